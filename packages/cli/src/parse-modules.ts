/**
 * Parses `--modules`: names of modules in any spelling (`funding`, `FUNDING`, `Master_Data`). Any other name
 * is used as an event type, because the service may add types, and the type of SOD is not documented. An
 * unknown type causes a warning and no error. If the name is misspelled, nothing is received.
 */
import type { Brokerage } from '@brokerwire/client'
import { MODULES, parseModuleName, SUBSCRIBABLE_MODULES } from '@brokerwire/payloads'
import { suggestion } from './suggestion.ts'

/** Result of parsing `--modules`. */
export interface ParsedModules {
  readonly modules: Parameters<Brokerage['moduleEvents']>[0]['modules']
  /** Warnings for the user. */
  readonly warnings: readonly string[]
}

const EVENT_TYPES = new Set<string>(SUBSCRIBABLE_MODULES.flatMap((name) => MODULES[name].eventTypes))

/** Parses the names. Without names, the result contains all modules whose event type is known. */
export function parseModules(names: readonly string[] | undefined): ParsedModules {
  if (names === undefined) return { modules: SUBSCRIBABLE_MODULES, warnings: [] }
  return {
    modules: names.map((name) => parseModuleName(name) ?? { eventType: name }),
    warnings: names.flatMap((name) => getWarning(name) ?? []),
  }
}

function getWarning(name: string): string | undefined {
  if (parseModuleName(name) !== undefined || EVENT_TYPES.has(name)) return undefined
  return name.toLowerCase() === 'sod'
    ? `${name}: the event type of this module is not published; listening for the event type ${name}`
    : `${name} is not a known module and is used as an event type; known modules are ${SUBSCRIBABLE_MODULES.join(', ')}${suggestion(name, SUBSCRIBABLE_MODULES)}`
}
