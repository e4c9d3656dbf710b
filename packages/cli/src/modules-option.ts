/**
 * `--modules` as people write it: a module in any spelling of its name (`funding`, `FUNDING`, `Master_Data`), anything
 * else as an event type. An unknown name is no error, because new event types appear and that of SOD is not published;
 * it is remarked on, because a misspelt one would listen for ever and hear nothing.
 */
import type { Brokerage } from '@brokerwire/client'
import { MODULES } from '@brokerwire/payloads'
import { suggestion } from './suggestion.ts'

/** What the names say. */
export interface ModuleChoice {
  readonly modules: Parameters<Brokerage['moduleEvents']>[0]['modules']
  /** Lines for the person. */
  readonly remarks: readonly string[]
}

/** Modules that can be named: those whose event type is known. */
export const MODULE_NAMES = (Object.keys(MODULES) as (keyof typeof MODULES)[]).filter(
  (name) => name !== 'sod',
)
const EVENT_TYPES = new Set<string>(MODULE_NAMES.flatMap((name) => MODULES[name].eventTypes))

/** Reads the names. Without any, all modules whose event type is known. */
export function chooseModules(names: readonly string[] | undefined): ModuleChoice {
  if (names === undefined) return { modules: MODULE_NAMES, remarks: [] }
  return {
    modules: names.map((name) => moduleOf(name) ?? { eventType: name }),
    remarks: names.flatMap((name) => remarkOn(name) ?? []),
  }
}

function moduleOf(name: string): (typeof MODULE_NAMES)[number] | undefined {
  const spelling = name.toLowerCase().replaceAll('_', '-')
  return MODULE_NAMES.find((module) => module === spelling)
}

function remarkOn(name: string): string | undefined {
  if (moduleOf(name) !== undefined || EVENT_TYPES.has(name)) return undefined
  return name.toLowerCase() === 'sod'
    ? `${name}: the event type of this module is not published; listening for the event type ${name}`
    : `${name}: no module that this toolkit knows, so it is taken as an event type${suggestion(name, MODULE_NAMES)}; known are ${MODULE_NAMES.join(', ')}`
}
