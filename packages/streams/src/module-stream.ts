/** The module stream: cursors for each event type, kept in a store where there is one. */
import { isRecord, readFunction, readInteger, readOneOf, requireObject, requireText } from '@brokerwire/core'
import { ModuleEventService } from '@brokerwire/protos'
import type { ReconcileHook, ServiceTarget, StreamsContext } from './context.ts'
import { createCommitter } from './delivery/committer.ts'
import { createCursorStore, parseCursor } from './delivery/cursor-store.ts'
import { createModuleRules, type ModuleRules, type StartingPoint } from './delivery/module-rules.ts'
import { createEventStream, type EventStream } from './event-stream.ts'
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
import { moduleRequest } from './subscription/requests.ts'
import { createSupervisedSource, type DeliveryPorts } from './supervised-source.ts'

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

/** An item of the module stream. */
export type ModuleStreamItem<Event> = ModuleItem<Event> | StreamNotice

/** Time in which commits are gathered into one write. */
const COMMIT_INTERVAL_MS = 200

/** Makes a module stream. @throws StreamsError `STREAM_OPTION_INVALID`. */
export function createModuleStream<Event>(
  context: StreamsContext,
  target: ServiceTarget,
  input: ModuleStreamOptions,
  decode: ModuleDecoder<Event>,
  table: ModuleTable,
): EventStream<ModuleStreamItem<Event>> {
  const options = readOptions(input, table)
  const { selection } = options
  let rules: ModuleRules<Event> | undefined
  const source = createSupervisedSource<
    typeof ModuleEventService.method.subscribe.input,
    typeof ModuleEventService.method.subscribe.output,
    ModuleItem<Event>
  >({
    name: 'module',
    context,
    target,
    method: ModuleEventService.method.subscribe,
    reconcile: options.reconcile,
    request(nowMs) {
      const cursors = rules?.takeCursors() ?? new Map<string, string>()
      const message = moduleRequest(selection.eventTypes, cursors, options.timestamp(nowMs))
      return { message, cursorSent: cursors.size > 0 }
    },
    rules(ports) {
      rules = createRules(context, options, decode, ports)
      return rules
    },
  })
  return createEventStream(source, input.signal, context.openStreams)
}

type ReadOptions = ReturnType<typeof readOptions>

function readOptions(input: ModuleStreamOptions, table: ModuleTable) {
  requireObject(optionInvalid, 'options', input)
  const selection = selectModules(input.modules, table)
  const ack = readOneOf(optionInvalid, 'ack', input.ack, ['auto', 'manual'], 'auto')
  const maxUnacked = readInteger(optionInvalid, 'maxUnacked', input.maxUnacked, {
    min: 1,
    max: 10_000_000,
    fallback: 10_000,
  })
  return {
    selection,
    from: readFrom(input.from, selection),
    ack,
    maxUnacked: ack === 'manual' ? maxUnacked : Number.POSITIVE_INFINITY,
    consumer: requireText(optionInvalid, 'consumer', input.consumer ?? 'default'),
    timestamp: readFunction(optionInvalid, 'timestamp', input.timestamp, (nowMs: number) =>
      String(Math.trunc(nowMs)),
    ),
    reconcile:
      input.reconcile === undefined
        ? undefined
        : readFunction(optionInvalid, 'reconcile', input.reconcile, input.reconcile),
  }
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

function createRules<Event>(
  context: StreamsContext,
  options: ReadOptions,
  decode: ModuleDecoder<Event>,
  ports: DeliveryPorts<ModuleItem<Event>>,
): ModuleRules<Event> {
  const { clock, store } = context
  const { from, selection } = options
  const cursors =
    store === undefined ? undefined : createCursorStore(store, context.cursorKey ?? '', options.consumer)
  const committer =
    cursors === undefined
      ? undefined
      : createCommitter({
          store: cursors,
          clock,
          intervalMs: COMMIT_INTERVAL_MS,
          onRetry: (eventType) =>
            ports.notify({ type: 'notice', kind: 'cursor-not-saved', atMs: clock.now(), eventType }),
          onConflict: ports.fail,
        })
  const explicit = typeof from === 'object' ? from : {}

  const startingPoint = async (eventType: string): Promise<StartingPoint> => {
    const text = await cursors?.read(eventType)
    const position = explicit[eventType]
    if (cursors !== undefined && text === undefined) {
      // Before anything is asked for: whatever happens from here on, the next start knows since when.
      const record = { position: undefined, ids: [], sinceMs: Math.trunc(clock.now()) }
      committer?.adopt(eventType, await cursors.begin(eventType, record), record)
      return { position, committedIds: [], passedSinceMs: undefined }
    }
    // Who names a position may want to see again what was committed after it.
    const ignored = from === 'now' || position !== undefined || text === undefined
    const record = ignored ? undefined : parseCursor(eventType, text)
    committer?.adopt(eventType, text, record)
    return {
      position: position ?? record?.position,
      committedIds: record?.ids ?? [],
      passedSinceMs: record?.sinceMs,
    }
  }
  return createModuleRules(
    {
      selection,
      decode,
      ack: options.ack,
      maxUnacked: options.maxUnacked,
      committer,
      async prepare(signal) {
        const starts = new Map<string, StartingPoint>()
        for (const eventType of selection.eventTypes) {
          signal.throwIfAborted()
          starts.set(eventType, await startingPoint(eventType))
        }
        return starts
      },
    },
    ports,
  )
}
