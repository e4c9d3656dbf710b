/** The module stream: cursors for each event type, kept in a store where there is one. */
import {
  anyRow,
  functionRow,
  integerRow,
  isRecord,
  type OptionRow,
  oneOfRow,
  optionalRow,
  readOneOf,
  readOptions,
  requireText,
  textRow,
} from '@brokerwire/core'
import { ModuleEventService } from '@brokerwire/protos'
import { type ReconcileHook, type ServiceTarget, type StreamsContext, seedOf } from './context.ts'
import { Committer } from './delivery/committer.ts'
import { CursorStore, parseCursor } from './delivery/cursor-store.ts'
import { Outlet } from './delivery/delivery.ts'
import { ModuleDelivery, type ModuleDeliveryOptions, type StartingPoint } from './delivery/module-delivery.ts'
import type { EventStream } from './event-stream.ts'
import type { ModuleItem } from './items/module-items.ts'
import type { StreamNotice } from './items/notices.ts'
import {
  type ModuleByEventType,
  type ModuleDecoder,
  type ModuleSelection,
  type ModuleTable,
  selectModules,
} from './module-selection.ts'
import { optionInvalid } from './streams-error.ts'
import { createAttempts } from './subscription/attempt.ts'
import { moduleRequest } from './subscription/requests.ts'
import { SentSecrets } from './subscription/shown.ts'
import { SupervisedStream } from './supervised-stream.ts'

/** Options of `moduleEvents`. */
export interface ModuleStreamOptions<ModuleName extends string = string> {
  /** Names of modules, or `{ eventType }` for one whose event type is not published (SOD). At least one. */
  readonly modules: readonly (ModuleName | ModuleByEventType)[]
  /**
   * Where to begin: the stored cursors, now, or positions by event type (an event type that is not named there
   * begins at its stored cursor). Where there is no cursor: from now on. @defaultValue 'cursor'
   */
  readonly from?: 'cursor' | 'now' | Readonly<Record<string, string>> | undefined
  /**
   * `auto`: asking for the next item commits the one before. `manual`: `item.ack()` does, and the cursor follows
   * the acknowledged events without a hole. @defaultValue 'auto'
   */
  readonly ack?: 'auto' | 'manual' | undefined
  /** Tells apart consumers that share a store and a `cursorKey`. @defaultValue 'default' */
  readonly consumer?: string | undefined
  /** With `ack: 'manual'`: reading pauses while so many events wait for `ack()`. @defaultValue 10_000 */
  readonly maxUnacked?: number | undefined
  /** The request's `timestamp`. @defaultValue milliseconds since the Unix epoch as text */
  readonly timestamp?: ((nowMs: number) => string) | undefined
  /** Called after each SubscribeSuccess and on a timer. */
  readonly reconcile?: ReconcileHook | undefined
  readonly signal?: AbortSignal | undefined
}

const MODULE_OPTIONS = {
  modules: anyRow<unknown>(),
  from: anyRow<ModuleStreamOptions['from']>(),
  ack: oneOfRow(['auto', 'manual'], 'auto'),
  consumer: optionalRow(textRow),
  maxUnacked: integerRow(1, 10_000_000, 10_000),
  timestamp: functionRow((nowMs: number) => String(Math.trunc(nowMs))),
  reconcile: functionRow<ReconcileHook>(),
  signal: anyRow<AbortSignal | undefined>(),
} satisfies Record<keyof ModuleStreamOptions, OptionRow<unknown>>

/** An item of the module stream. */
export type ModuleStreamItem<Event> = ModuleItem<Event> | StreamNotice

/** Time in which commits are gathered into one write. */
const COMMIT_INTERVAL_MS = 200
const NOTHING_KNOWN = { committedIds: [], passedSinceMs: undefined }
/** The store could not read a record that is ignored anyhow. */
const UNREAD: unique symbol = Symbol('unread')

/** Makes a module stream. @throws StreamsError `STREAM_OPTION_INVALID`. */
export function createModuleStream<Event>(
  context: StreamsContext,
  target: ServiceTarget,
  input: ModuleStreamOptions,
  decode: ModuleDecoder<Event>,
  table: ModuleTable,
): EventStream<ModuleStreamItem<Event>> {
  const options = readOptions(optionInvalid, 'options', input, MODULE_OPTIONS)
  const { ack, maxUnacked, consumer = 'default' } = options
  const selection = selectModules(options.modules, table)
  const from = readFrom(options.from, selection)
  const secrets = new SentSecrets()
  const outlet = new Outlet<ModuleItem<Event>>(context, 'module', secrets.shown, Date.parse)
  const cursors = createCursors(context, from, consumer, outlet)
  const delivery = new ModuleDelivery<Event>(outlet, {
    selection,
    decode,
    ack,
    maxUnacked,
    seed: seedOf(context),
    ...cursors,
  })
  return new SupervisedStream({
    context,
    outlet,
    delivery,
    cursors: delivery,
    attempts: createAttempts({
      context,
      target,
      secrets,
      decode: delivery.decode,
      method: ModuleEventService.method.subscribe,
      request(nowMs) {
        const sent = delivery.takeCursors()
        const message = moduleRequest(selection.eventTypes, sent, options.timestamp(nowMs))
        return { message, cursorSent: sent.size > 0 }
      },
    }),
    reconcile: options.reconcile,
    signal: options.signal,
  })
}

function readFrom(value: ModuleStreamOptions['from'], selection: ModuleSelection) {
  if (!isRecord(value)) return readOneOf(optionInvalid, 'from', value, ['cursor', 'now'], 'cursor')
  for (const [eventType, position] of Object.entries(value)) {
    requireText(optionInvalid, `from.${eventType}`, position)
    if (!selection.eventTypes.includes(eventType)) {
      throw optionInvalid(`from.${eventType}`, 'an event type of the selected modules', 'another one')
    }
  }
  return { ...value } as Readonly<Record<string, string>>
}

/** What is kept of the cursors, and where each event type begins. */
function createCursors<Event>(
  context: StreamsContext,
  from: ReturnType<typeof readFrom>,
  consumer: string,
  outlet: Outlet<ModuleItem<Event>>,
): Pick<ModuleDeliveryOptions<Event>, 'committer' | 'startOf'> {
  const { clock, store } = context
  const positionOf = (eventType: string): string | undefined =>
    typeof from === 'object' ? from[eventType] : undefined
  if (store === undefined) {
    return {
      committer: undefined,
      startOf: async (eventType) => ({ ...NOTHING_KNOWN, position: positionOf(eventType) }),
    }
  }
  const records = new CursorStore(store, context.cursorKey ?? '', consumer)
  const committer = new Committer({
    store: records,
    clock,
    intervalMs: COMMIT_INTERVAL_MS,
    onRetry: (eventType) =>
      outlet.notify({ type: 'notice', kind: 'cursor-not-saved', atMs: clock.now(), eventType }),
    onConflict: (error) => outlet.fail(error),
  })

  const startOf = async (eventType: string): Promise<StartingPoint> => {
    const position = positionOf(eventType)
    // Who names a position, or none, may want to see again what was committed, and needs no record that can be read.
    const ignored = from === 'now' || position !== undefined
    const text = await records.read(eventType).catch((error: unknown): typeof UNREAD => {
      if (!ignored) throw error
      return UNREAD
    })
    if (text === UNREAD) {
      committer.adoptUnread(eventType)
      return { ...NOTHING_KNOWN, position }
    }
    if (text === undefined) {
      // Before anything is asked for: whatever happens from here on, the next start knows since when.
      const record = { position: undefined, ids: [], sinceMs: Math.trunc(clock.now()) }
      committer.adopt(eventType, await records.begin(eventType, record), record)
      return { ...NOTHING_KNOWN, position }
    }
    const record = ignored ? undefined : parseCursor(eventType, text)
    committer.adopt(eventType, text, record)
    return {
      position: position ?? record?.position,
      committedIds: record?.ids ?? [],
      passedSinceMs: record?.sinceMs,
    }
  }
  return { committer, startOf }
}
