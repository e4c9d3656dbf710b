/**
 * The event types and business types of the selected modules.
 *
 * A subscription names event types, and several modules share one event type. Events of other modules are filtered after
 * receipt. Entries with the same event type are merged: an event is delivered if one of them selects it.
 *
 * - The name of a module selects its business types and unknown ones, but not those of other modules.
 * - `bizTypes` selects only the business types in this array.
 * - An event without a business type that can be read is always delivered.
 */
import {
  array,
  type FieldsOf,
  type InferFields,
  isRecord,
  oneOf,
  optional,
  readOptions,
  receivedName,
  type Schema,
  string,
} from '@brokerwire/core/internal'
import { type DecodeResult, MODULES, type ModuleName } from '@brokerwire/payloads'

/** A module selected by its event type, for modules whose event type is not published. */
export interface ModuleByEventType {
  /** The event type to subscribe to. */
  readonly eventType: string
  /**
   * The business types to deliver, at least one. Events of other business types are not delivered.
   * @defaultValue all are delivered
   */
  readonly bizTypes?: readonly string[] | undefined
}

/** The selection of a module stream. */
export interface ModuleSelection {
  /** The event types to subscribe to. */
  readonly eventTypes: readonly string[]
  /** Returns a predicate for the decoded events of an event type; `undefined` if all of them are selected. */
  filterFor(eventType: string): ((decoded: DecodeResult<unknown>) => boolean) | undefined
}

const TABLE: Readonly<Record<ModuleName, Readonly<Record<'eventTypes' | 'bizTypes', readonly string[]>>>> =
  MODULES
const BY_EVENT_TYPE = {
  eventType: string(),
  bizTypes: optional(array(string(), { expected: 'a non-empty array of business types' })),
} satisfies FieldsOf<ModuleByEventType>
const moduleSchema: Schema<ModuleName | InferFields<typeof BY_EVENT_TYPE>> = (value, option, fail) => {
  if (isRecord(value)) return readOptions(fail, value, BY_EVENT_TYPE, option)
  const name = oneOf(Object.keys(TABLE) as ModuleName[])(value, option, fail)
  if (TABLE[name].eventTypes.length > 0) return name
  throw fail(
    option,
    '{ eventType } for this module, because its event type is not published',
    receivedName(name),
  )
}

/** Schema of the option `modules`: names of modules, or event types. */
export const modules = array(moduleSchema, { expected: 'a non-empty array of modules' })

/** Resolves the selected modules to event types and business types. */
export function selectModules(selected: ReturnType<typeof modules>): ModuleSelection {
  const table = Object.entries(TABLE) as [ModuleName, (typeof TABLE)[ModuleName]][]
  const bizTypesFor = (eventType: string, isSelected: boolean): ReadonlySet<string> =>
    new Set(
      table.flatMap(([name, { eventTypes, bizTypes }]) =>
        selected.includes(name) === isSelected && eventTypes.includes(eventType) ? bizTypes : [],
      ),
    )
  /** The predicate of each event type; `undefined` if all business types are selected. */
  const filters = new Map<string, ((bizType: string) => boolean) | undefined>()
  for (const eventType of table.flatMap(([name, row]) => (selected.includes(name) ? row.eventTypes : []))) {
    const wanted = bizTypesFor(eventType, true)
    const unwanted = new Set([...bizTypesFor(eventType, false)].filter((bizType) => !wanted.has(bizType)))
    filters.set(eventType, unwanted.size === 0 ? undefined : (bizType) => !unwanted.has(bizType))
  }
  for (const module of selected) {
    if (typeof module === 'string') continue
    const { eventType, bizTypes } = module
    const isSelected = filters.get(eventType)
    // An earlier entry without a filter already selects all business types.
    if (filters.has(eventType) && isSelected === undefined) continue
    const wanted = bizTypes && new Set(bizTypes)
    filters.set(eventType, wanted && ((bizType) => wanted.has(bizType) || (isSelected?.(bizType) ?? false)))
  }
  return {
    eventTypes: [...filters.keys()],
    filterFor(eventType) {
      const isSelected = filters.get(eventType)
      return (
        isSelected &&
        ((decoded) => {
          const bizType = decoded.ok && isRecord(decoded.value) ? decoded.value.bizType : undefined
          return typeof bizType !== 'string' || bizType === '' || isSelected(bizType)
        })
      )
    },
  }
}
