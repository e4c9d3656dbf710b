/** The module stream, with a cursor for each event type. */
import {
  type FieldsOf,
  func,
  integer,
  isRecord,
  oneOf,
  optional,
  readOptions,
  signal,
  string,
  typeName,
  unchecked,
} from '@brokerwire/core/internal'
import {
  ModuleEventService,
  type ModuleSubscribeRequest,
  ModuleSubscribeRequestSchema,
} from '@brokerwire/protos'
import { create } from '@bufbuild/protobuf'
import { CompletenessTracker } from './completeness/completeness-tracker.ts'
import type { BackfillHook, SharedContext } from './context.ts'
import { CursorTracker } from './delivery/cursor-tracker.ts'
import { ModuleGaps } from './delivery/module-gaps.ts'
import { ModulePipeline } from './delivery/module-pipeline.ts'
import { ModuleProgress } from './delivery/module-progress.ts'
import { ProgressStore } from './delivery/progress-store.ts'
import { moduleRecordKeys } from './delivery/record-keys.ts'
import type { EventStream } from './event-stream.ts'
import { ModuleFrameDecoder, moduleFrames, type ReceivedModuleFrame } from './items/module-frames.ts'
import type { ModuleDecoder, ModuleItem } from './items/module-items.ts'
import type { StreamNotice } from './items/notices.ts'
import type { UndecodableItem } from './items/undecodable-item.ts'
import { type ModuleByEventType, type ModuleSelection, modules, selectModules } from './module-selection.ts'
import { optionInvalid } from './streams-error.ts'
import type { ServiceTarget } from './subscription/connection.ts'
import { superviseStream } from './supervised-stream.ts'

/** Options of `moduleEvents`. */
export interface ModuleStreamOptions<ModuleName extends string = string> {
  /** Names of modules, or `{ eventType }` for a module whose event type is not published (SOD). At least one. */
  readonly modules: readonly (ModuleName | ModuleByEventType)[]
  /**
   * Where to begin. @defaultValue 'cursor'
   *
   * - `'cursor'`: at the stored cursors.
   * - `'now'`: with the events from now on. The stored cursors are not used, and are removed after the first subscription.
   * - An object: at these positions by event type; other event types begin at their stored cursors.
   *
   * An event type without a cursor begins with the events from now on.
   */
  readonly from?: 'cursor' | 'now' | Readonly<Record<string, string>> | undefined
  /**
   * How events are acknowledged. @defaultValue 'auto'
   *
   * - `'auto'`: asking for the next item commits the previous one.
   * - `'manual'`: call `item.ack()`. An event is committed once it and all earlier events of its type are acknowledged.
   */
  readonly ack?: 'auto' | 'manual' | undefined
  /** Name that distinguishes consumers with the same store and `identity`. @defaultValue 'default' */
  readonly consumer?: string | undefined
  /**
   * With `ack: 'manual'`: reading pauses while this many events are not committed. An event that was acknowledged before an earlier
   * event of its type is not committed yet. @defaultValue 10_000
   */
  readonly maxUnacked?: number | undefined
  /** Returns the field `timestamp` of the request. @defaultValue a decimal string of milliseconds since the Unix epoch */
  readonly timestamp?: ((nowMs: number) => string) | undefined
  /**
   * Name of the stream in reports to the observer. If reports become metrics, name each stream, because the default names of streams
   * that you create again and again never repeat. @defaultValue `module-1`, `module-2` and so on, in the order of creation
   */
  readonly streamId?: string | undefined
  /** Called after each SubscribeSuccess and on a timer, to find missed events. @defaultValue not called */
  readonly backfill?: BackfillHook | undefined
  /** Ends the stream when it aborts. `next()` then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

const MODULE_OPTIONS = {
  modules,
  from: unchecked<ModuleStreamOptions['from']>(),
  ack: oneOf(['auto', 'manual'], 'auto'),
  consumer: optional(string()),
  maxUnacked: integer({ min: 1, max: 10_000_000, default: 10_000 }),
  timestamp: func((nowMs: number) => String(Math.trunc(nowMs))),
  streamId: optional(string()),
  backfill: optional(func<BackfillHook>()),
  signal,
} satisfies FieldsOf<ModuleStreamOptions>

/** An item of the module stream. */
export type ModuleStreamItem<Event> = ModuleItem<Event> | UndecodableItem | StreamNotice

/** Creates a module stream. @throws StreamsError `STREAM_OPTION_INVALID`. */
export function createModuleStream<Event>(
  context: SharedContext,
  target: ServiceTarget,
  input: ModuleStreamOptions,
  decode: ModuleDecoder<Event>,
): EventStream<ModuleStreamItem<Event>> {
  const options = readOptions(optionInvalid, input, MODULE_OPTIONS)
  const { ack, maxUnacked, consumer = 'default' } = options
  const { store, clock, identity, random } = context
  const selection = selectModules(options.modules)
  const from = parseFrom(options.from, selection)
  const decoder = new ModuleFrameDecoder()
  return superviseStream<typeof ModuleSubscribeRequestSchema, ReceivedModuleFrame, ModuleItem<Event>>({
    context,
    target,
    name: 'module',
    options,
    method: ModuleEventService.method.subscribe,
    decoder,
    serverTimeMs: moduleFrames.serverTimeMs,
    createPipeline({ output, ids, fail }) {
      const isIdle = (): boolean =>
        output.queue.pushed === progress.handledItems && cursors.unacked === 0 && gaps.unhandled === 0
      const completeness = new CompletenessTracker({
        isIdle,
        serverTimeMs: moduleFrames.serverTimeMs,
        onAdvance: () => records.advance(),
      })
      const records = new ProgressStore({
        store,
        clock,
        keys: identity && moduleRecordKeys(identity, consumer),
        from,
        handledUntil: () => completeness.takeHandledUntil(),
        onRetry: (eventType) =>
          output.notify({ type: 'notice', kind: 'cursor-write-failed', atMs: clock.now(), eventType }),
        onConflict: fail,
      })
      const cursors = new CursorTracker({ selection, records, ack, maxUnacked, queue: output.queue })
      const gaps = new ModuleGaps(cursors, completeness, records, output.notify)
      const pipeline = new ModulePipeline<Event>({ output, ids, cursors, gaps, decoder, decode, random })
      const progress = new ModuleProgress<Event>({ ack, records, completeness, cursors, gaps, pipeline })
      return { handler: pipeline, completeness, progress, cursors: () => gaps.cursorsForRequest() }
    },
    request: (nowMs, cursors) => moduleRequest(selection.eventTypes, cursors, options.timestamp(nowMs)),
  })
}

function parseFrom(value: ModuleStreamOptions['from'], selection: ModuleSelection) {
  if (!isRecord(value)) return oneOf(['cursor', 'now'], 'cursor')(value, 'from', optionInvalid)
  for (const [eventType, position] of Object.entries(value)) {
    string()(position, `from.${eventType}`, optionInvalid)
    if (!selection.eventTypes.includes(eventType)) {
      throw optionInvalid(`from.${eventType}`, 'an event type of the selected modules', 'another event type')
    }
  }
  return { ...value } as Readonly<Record<string, string>>
}

/** Creates the request. @param cursors - Positions by event type. An event type without one begins with the events from now on. */
export function moduleRequest(
  eventTypes: readonly string[],
  cursors: ReadonlyMap<string, string>,
  timestamp: unknown,
): ModuleSubscribeRequest {
  if (typeof timestamp !== 'string')
    throw optionInvalid('timestamp', 'a function that returns a string', typeName(timestamp))
  return create(ModuleSubscribeRequestSchema, {
    events: eventTypes.map((eventType) => ({ eventType, position: cursors.get(eventType) ?? '' })),
    timestamp,
  })
}
