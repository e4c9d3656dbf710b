/**
 * Which event types to subscribe to, and which of their events are wanted.
 *
 * The service subscribes by event type, and several modules share one: what else comes on a shared event type is
 * filtered after receipt. Only an event that evidently belongs to another known module is dropped; one that cannot be
 * decoded, or that nobody knows, is delivered.
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

/** An event type named by the caller: for modules that the table does not know. */
export interface ModuleByEventType {
  readonly eventType: string
  /** Other business types are dropped. @defaultValue all are delivered */
  readonly bizTypes?: readonly string[] | undefined
}

export interface ModuleSelection {
  readonly eventTypes: readonly string[]
  /** Returns a test of which decoded events of an event type are selected; `undefined` if all of them are. */
  wants(eventType: string): ((decoded: DecodeResult<unknown>) => boolean) | undefined
}

const TABLE: Readonly<Record<ModuleName, Readonly<Record<'eventTypes' | 'bizTypes', readonly string[]>>>> =
  MODULES
const BY_EVENT_TYPE = {
  eventType: string(),
  bizTypes: optional(array(string(), { expected: 'an array of business types', default: [] })),
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

/** Names of modules, or event types of the caller's own. */
export const modules = array(moduleSchema, { expected: 'a non-empty array of modules' })

export function selectModules(selected: ReturnType<typeof modules>): ModuleSelection {
  const table = Object.entries(TABLE) as [ModuleName, (typeof TABLE)[ModuleName]][]
  const bizTypesOf = (eventType: string, isSelected: boolean): ReadonlySet<string> =>
    new Set(
      table.flatMap(([name, { eventTypes, bizTypes }]) =>
        selected.includes(name) === isSelected && eventTypes.includes(eventType) ? bizTypes : [],
      ),
    )
  /** By event type: tells which business types are wanted, where not all are. */
  const wishes = new Map<string, ((bizType: string) => boolean) | undefined>()
  for (const eventType of table.flatMap(([name, row]) => (selected.includes(name) ? row.eventTypes : []))) {
    const wanted = bizTypesOf(eventType, true)
    const unwanted = new Set([...bizTypesOf(eventType, false)].filter((bizType) => !wanted.has(bizType)))
    wishes.set(eventType, unwanted.size === 0 ? undefined : (bizType) => !unwanted.has(bizType))
  }
  for (const module of selected) {
    if (typeof module === 'string') continue
    const { eventType, bizTypes } = module
    const wanted = new Set([...(bizTypes ?? []), ...bizTypesOf(eventType, true)])
    wishes.set(eventType, bizTypes && ((bizType) => wanted.has(bizType)))
  }
  return {
    eventTypes: [...wishes.keys()],
    wants(eventType) {
      const isWanted = wishes.get(eventType)
      return (
        isWanted &&
        ((decoded) => {
          const bizType = decoded.ok && isRecord(decoded.value) ? decoded.value.bizType : undefined
          return typeof bizType !== 'string' || bizType === '' || isWanted(bizType)
        })
      )
    },
  }
}
