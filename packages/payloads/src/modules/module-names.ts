/** Modules as people name them: in a configuration or on a command line, in any spelling of letters, hyphens and underscores. */
import { MODULES, type ModuleName } from './module-table.ts'

/** A module that can be asked for by its name: its event type is published. */
export type SubscribableModule = Exclude<ModuleName, 'sod'>

/** All of them. */
export const SUBSCRIBABLE_MODULES: readonly SubscribableModule[] = (
  Object.keys(MODULES) as ModuleName[]
).filter((name) => name !== 'sod')

/**
 * The module that a text names, in any case of letters, with hyphens or underscores: `funding`, `Master_Data`.
 *
 * @returns `undefined` where it names none, or one whose event type is not published.
 *
 * @example
 * ```ts
 * import { moduleNamed } from '@brokerwire/payloads'
 *
 * console.log(moduleNamed('MASTER_DATA')) // 'master-data'
 * ```
 */
export function moduleNamed(text: string): SubscribableModule | undefined {
  const spelling = text.toLowerCase().replaceAll('_', '-')
  return SUBSCRIBABLE_MODULES.find((module) => module === spelling)
}
