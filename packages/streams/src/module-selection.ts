/**
 * Which event types to subscribe to, and which of their events are wanted.
 *
 * The service subscribes by event type, and several modules share one: what else comes on a shared event type is
 * filtered after receipt. Only an event that evidently belongs to another known module is dropped; one that cannot be
 * decoded, or that nobody knows, is delivered.
 */
import { describe, isRecord, requireText } from '@brokerwire/core'
import type { DecodeResult, ModuleFrame } from '@brokerwire/payloads'
import { optionInvalid } from './streams-error.ts'

/** The one table of modules: `MODULES` of `@brokerwire/payloads`. */
export type ModuleTable = Readonly<
  Record<string, { readonly eventTypes: readonly string[]; readonly bizTypes: readonly string[] }>
>

/** An event type named by the caller: for modules that the table does not know. */
export interface ModuleByEventType {
  readonly eventType: string
  /** Other business types are dropped. @defaultValue all are delivered */
  readonly bizTypes?: readonly string[] | undefined
}

/** Decodes a module frame. */
export type ModuleDecoder<Event> = (frame: ModuleFrame) => DecodeResult<Event>

/** What was selected. */
export interface ModuleSelection {
  readonly eventTypes: readonly string[]
  /** Tells which events of an event type belong to the selection, by decoding them. `undefined`: all of them. */
  wants(eventType: string): ((item: { decode(): DecodeResult<unknown> }) => boolean) | undefined
}

/** What is wanted of an event type, where not all is. */
interface Wish {
  readonly all: boolean
  readonly wanted: ReadonlySet<string>
  /** Business types of modules that were not selected. `undefined`: everything that is not wanted. */
  readonly unwanted: ReadonlySet<string> | undefined
}

/**
 * @param modules - Names from the table, or event types of the caller's own.
 * @throws StreamsError `STREAM_OPTION_INVALID`.
 */
export function selectModules(modules: unknown, table: ModuleTable): ModuleSelection {
  if (!Array.isArray(modules) || modules.length === 0) {
    throw optionInvalid('modules', 'a non-empty array of modules', describe(modules))
  }
  const names = new Set<string>()
  const own = new Map<string, readonly string[] | undefined>()
  modules.forEach((module: unknown, index) => {
    if (isRecord(module)) {
      const eventType = requireText(optionInvalid, `modules[${index}].eventType`, module.eventType)
      own.set(eventType, readBizTypes(`modules[${index}].bizTypes`, module.bizTypes))
      return
    }
    const row = typeof module === 'string' && Object.hasOwn(table, module) ? table[module] : undefined
    if (typeof module !== 'string' || row === undefined) {
      throw optionInvalid(`modules[${index}]`, `one of ${Object.keys(table).join(', ')}`, describe(module))
    }
    if (row.eventTypes.length === 0) {
      throw optionInvalid(
        `modules[${index}]`,
        `{ eventType } for this module: its event type is not published`,
        'its name',
      )
    }
    names.add(module)
  })

  const wishes = new Map<string, Wish>()
  for (const [module, row] of Object.entries(table)) {
    for (const eventType of names.has(module) ? row.eventTypes : []) {
      if (!wishes.has(eventType)) wishes.set(eventType, wishFor(eventType, names, table))
    }
  }
  for (const [eventType, bizTypes] of own) {
    const wanted = new Set([...(bizTypes ?? []), ...(wishes.get(eventType)?.wanted ?? [])])
    wishes.set(eventType, { all: bizTypes === undefined, wanted, unwanted: undefined })
  }

  return {
    eventTypes: [...wishes.keys()],
    wants(eventType) {
      const wish = wishes.get(eventType)
      if (wish === undefined || wish.all) return undefined
      return (item) => {
        const decoded = item.decode()
        const bizType = decoded.ok && isRecord(decoded.value) ? decoded.value.bizType : undefined
        if (typeof bizType !== 'string' || bizType === '') return true
        return wish.unwanted === undefined ? wish.wanted.has(bizType) : !wish.unwanted.has(bizType)
      }
    },
  }
}

function wishFor(eventType: string, names: ReadonlySet<string>, table: ModuleTable): Wish {
  const wanted = new Set<string>()
  const unwanted = new Set<string>()
  for (const [module, row] of Object.entries(table)) {
    if (!row.eventTypes.includes(eventType)) continue
    for (const bizType of row.bizTypes) (names.has(module) ? wanted : unwanted).add(bizType)
  }
  for (const bizType of wanted) unwanted.delete(bizType)
  return { all: unwanted.size === 0, wanted, unwanted }
}

function readBizTypes(option: string, value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw optionInvalid(option, 'an array of business types', describe(value))
  return value.map((bizType, index) => requireText(optionInvalid, `${option}[${index}]`, bizType))
}
