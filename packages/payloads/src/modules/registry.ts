/**
 * The registry of schemas by event type and business type.
 *
 * A custom schema for an event type replaces the built-in ones of all its business types. A custom schema for an event type and
 * business type replaces only that one.
 */
import { isRecord, typeName } from '@brokerwire/core/internal'
import { optionInvalid } from '../payloads-error.ts'
import type { StandardSchema } from '../standard-schema.ts'
import { MODULE_DECODERS } from './module-decoders.ts'
import type { ModuleSchemas } from './module-event.ts'
import { MODULES, type ModuleName } from './module-table.ts'

/** A schema with the module name of its events. */
export interface RegistryEntry {
  readonly module: string
  readonly schema: StandardSchema<unknown, unknown>
}

/** An immutable registry of schemas. */
export interface Registry {
  /** Finds the schema of an event. */
  find(eventType: string, bizType: string): RegistryEntry | undefined
  /** Returns a registry with more schemas. */
  with(schemas: ModuleSchemas): Registry
}

const BUILT_IN: ReadonlyMap<string, RegistryEntry> = new Map(
  Object.entries(MODULE_DECODERS).flatMap(([module, decoders]) =>
    Object.entries(decoders).flatMap(([bizType, schema]) =>
      MODULES[module as keyof typeof MODULE_DECODERS].eventTypes.map(
        (eventType) => [`${eventType}/${bizType}`, { module, schema }] as const,
      ),
    ),
  ),
)

/** Creates the registry of built-in and custom schemas. */
export function createRegistry(added: ReadonlyMap<string, RegistryEntry> = new Map()): Registry {
  return {
    find: (eventType, bizType) =>
      added.get(`${eventType}/${bizType}`) ?? added.get(eventType) ?? BUILT_IN.get(`${eventType}/${bizType}`),
    with: (schemas) => {
      const names = validateNames(schemas)
      const kept = [...added].filter(([name]) => !names.some((replacing) => name.startsWith(`${replacing}/`)))
      const entries = Object.entries(schemas).map(([module, schema]) => [module, { module, schema }] as const)
      return createRegistry(new Map([...kept, ...entries]))
    },
  }
}

function validateNames(schemas: unknown): readonly string[] {
  if (!isRecord(schemas)) throw optionInvalid('modules', 'an object of schemas', typeName(schemas))
  for (const [name, schema] of Object.entries(schemas)) {
    if (name === '') throw optionInvalid('modules', 'schemas by event type', 'an empty event type')
    if (isModuleName(name)) throw moduleAsKey(name)
    if (!isStandardSchema(schema)) {
      throw optionInvalid(`modules.${name}`, 'a Standard Schema', typeName(schema))
    }
  }
  return Object.keys(schemas)
}

const isModuleName = (name: string): name is ModuleName => Object.hasOwn(MODULES, name)

/**
 * Creates the error for a module name that was given as a key. Several modules share an event type, so a key
 * must be an event type, or an event type and a business type.
 */
function moduleAsKey(name: ModuleName): Error {
  const { eventTypes, bizTypes } = MODULES[name]
  const keys = eventTypes.flatMap((eventType) => bizTypes.map((bizType) => `"${eventType}/${bizType}"`))
  const message = `modules must have event types as keys; received the module's name "${name}"`
  const hint = keys.length > 0 ? `. Use ${keys.join(' or ')}` : ''
  return optionInvalid(`modules.${name}`, 'an event type as the key', 'the name of a module', message + hint)
}

/** Whether a value is a Standard Schema. The schemas of some libraries are functions. */
function isStandardSchema(value: unknown): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const standard = (value as Partial<StandardSchema>)['~standard']
  return standard?.version === 1 && typeof standard.validate === 'function'
}
