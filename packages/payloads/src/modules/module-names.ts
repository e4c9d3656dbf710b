/** Parsing of module names, as in a configuration or on a command line. */
import { MODULES, type ModuleName } from './module-table.ts'

/** The name of a module with a published event type. */
export type SubscribableModule = Exclude<ModuleName, 'sod'>

/** The names of all modules with a published event type. */
export const SUBSCRIBABLE_MODULES: readonly SubscribableModule[] = (
  Object.keys(MODULES) as ModuleName[]
).filter((name) => name !== 'sod')

/**
 * Parses the name of a module, in upper or lower case, with hyphens or underscores: `funding`, `Master_Data`.
 *
 * @returns The module, or `undefined` if there is no such module or its event type is not published.
 *
 * @example
 * ```ts
 * import { parseModuleName } from '@brokerwire/payloads'
 *
 * console.log(parseModuleName('MASTER_DATA')) // 'master-data'
 * ```
 */
export function parseModuleName(text: string): SubscribableModule | undefined {
  const spelling = text.toLowerCase().replaceAll('_', '-')
  return SUBSCRIBABLE_MODULES.find((module) => module === spelling)
}
