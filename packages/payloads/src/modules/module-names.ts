/** Parsing of module names, as in a configuration or on a command line. */
import { MODULES, type ModuleName } from './module-table.ts'

/** A module that can be asked for by its name: its event type is published. */
export type SubscribableModule = Exclude<ModuleName, 'sod'>

/** All modules with a published event type. */
export const SUBSCRIBABLE_MODULES: readonly SubscribableModule[] = (
  Object.keys(MODULES) as ModuleName[]
).filter((name) => name !== 'sod')

/**
 * The module that a text names, in any case of letters, with hyphens or underscores: `funding`, `Master_Data`.
 *
 * @returns `undefined` if there is no such module, or its event type is not published.
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
