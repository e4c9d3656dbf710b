/**
 * The producer of a supervised stream. It connects three parts: attempts to subscribe, the supervisor that starts them and
 * reads frames, and the pipeline that makes items from frames.
 */
import type { AbortSignalLike, AsyncStream } from '@brokerwire/core'
import { createAsyncStream, type Producer } from '@brokerwire/core/internal'
import type { DescMessage } from '@bufbuild/protobuf'
import { type Backfill, createBackfillRunner } from './backfill-runner.ts'
import type { CompletenessTracker } from './completeness/completeness-tracker.ts'
import type { SupervisedStreamContext } from './context.ts'
import { BatchStatistics } from './delivery/batch-statistics.ts'
import type { FrameHandler, Progress } from './delivery/frame-handler.ts'
import { IdLimit } from './delivery/id-limit.ts'
import { ItemOutput } from './delivery/item-output.ts'
import { ItemQueue } from './delivery/item-queue.ts'
import type { EventStream, ItemBatch } from './event-stream.ts'
import { type NoticeBounds, type StreamNotice, tokenMissing } from './items/notices.ts'
import type { QueuedItem } from './items/queued-item.ts'
import type { UndecodableItem } from './items/undecodable-item.ts'
import {
  createStreamReporter,
  nextStreamId,
  type StreamName,
  type StreamReporter,
  type StreamSource,
  type TradeStreamName,
} from './observer.ts'
import { outcomeError } from './outcome-error.ts'
import { ASYNC_STREAM_ERRORS, StreamsError } from './streams-error.ts'
import { RequestSecrets } from './subscription/call-failure.ts'
import { addContender, type Contender } from './subscription/contenders.ts'
import { type DialerOptions, SubscriptionDialer } from './subscription/subscription-dialer.ts'
import { Supervisor } from './supervisor/supervisor.ts'

/** The parts that are the same for all streams. */
export interface SharedParts<Event> {
  /** The queue of the consumer. */
  readonly output: ItemOutput<Event>
  /** The limit for the length of ids. */
  readonly ids: IdLimit
  /** Ends the stream with an error, after the queued items. */
  readonly fail: (error: unknown) => void
}

/** The pipeline of one stream. */
export interface Pipeline<Frame, Event> {
  /** Handles the frames that the supervisor reads. */
  readonly handler: FrameHandler<Frame>
  /** Tracks up to which instant the stream is complete. */
  readonly completeness: CompletenessTracker
  /** Tracks which items the consumer has handled. */
  readonly progress: Progress<Event>
  /** Returns the positions for the next request, by event type. */
  readonly cursors?: (() => ReadonlyMap<string, string>) | undefined
  /** Returns the bounds of the last gap. @defaultValue not known: the stream has no backfill of states */
  readonly lastGap?: (() => NoticeBounds | undefined) | undefined
}

/** The parts that differ between streams. */
export interface StreamParts<I extends DescMessage, Frame, Event>
  extends Pick<DialerOptions<I, Frame>, 'target' | 'method' | 'request' | 'decoder'> {
  readonly context: SupervisedStreamContext
  /** Name of the stream in reports. */
  readonly name: StreamName
  /** Returns an event's timestamp in milliseconds since the Unix epoch. */
  readonly serverTimeMs: (item: Event) => number | undefined
  /** Creates the pipeline. */
  readonly createPipeline: (shared: SharedParts<Event>) => Pipeline<Frame, Event>
  readonly options: {
    readonly streamId: string | undefined
    readonly backfill: Backfill | undefined
    readonly signal: AbortSignalLike | undefined
    /** Accounts of the stream. @defaultValue none */
    readonly accounts?: readonly string[] | undefined
  }
}

const NO_CURSORS: ReadonlyMap<string, string> = new Map()

/** Creates a supervised stream. It does nothing before the first `next()`. */
export function superviseStream<I extends DescMessage, Frame, Event>(
  parts: StreamParts<I, Frame, Event>,
): EventStream<Event | UndecodableItem | StreamNotice> {
  const stream = new SupervisedStream(parts)
  const items = createAsyncStream(stream.queue, stream, ASYNC_STREAM_ERRORS)
  // The type of a stream has states only if its options have a backfill that adds them.
  return items as EventStream<Event | UndecodableItem | StreamNotice>
}

/** The producer of one stream. Owns its subscription in the budget, its supervisor and its pipeline. */
class SupervisedStream<I extends DescMessage, Frame, Event>
  implements Producer<QueuedItem<Event>, ItemBatch<QueuedItem<Event>>>
{
  readonly queue: ItemQueue<QueuedItem<Event>>
  readonly signal: AbortSignalLike | undefined
  readonly #parts: StreamParts<I, Frame, Event>
  readonly #source: StreamSource
  readonly #secrets = new RequestSecrets()
  readonly #report: StreamReporter
  readonly #statistics: BatchStatistics<Event>
  readonly #output: ItemOutput<Event>
  /** Aborted when the stream stops, because `progress.prepare()` may still be running. */
  readonly #abortController = new AbortController()
  /** Released at the end, because it may have megabytes of ids and frames. */
  #pipeline: Pipeline<Frame, Event> | undefined
  /** Released at the end, with the pipeline. */
  #supervisor: Supervisor<Frame> | undefined
  #releaseSubscription: ((nowMs: number) => void) | undefined
  /** Removes the stream from the open streams. */
  #unregister = (): void => {}

  constructor(parts: StreamParts<I, Frame, Event>) {
    const { context, name, options, serverTimeMs } = parts
    const { observer, maxIdBytes } = context
    this.#parts = parts
    this.queue = new ItemQueue(context.buffer)
    this.signal = options.signal
    this.#source = { streamId: options.streamId ?? nextStreamId(name), stream: name }
    this.#report = createStreamReporter(observer, this.#source)
    this.#statistics = new BatchStatistics(this.#report, observer.onStreamBatch && serverTimeMs)
    this.#output = new ItemOutput({
      queue: this.queue,
      statistics: this.#statistics,
      report: this.#report,
      service: name === 'module' ? 'module' : 'trade',
      redact: this.#secrets.redact,
    })
    this.#pipeline = parts.createPipeline({
      output: this.#output,
      ids: new IdLimit(maxIdBytes, this.#output.notify),
      fail: (error) => this.#fail(error),
    })
  }

  start(stream: AsyncStream<QueuedItem<Event>, ItemBatch<QueuedItem<Event>>>): void {
    const { openStreams, budget } = this.#parts.context
    const text = 'these streams are closed: create new ones with createStreams()'
    this.#unregister = openStreams.add(stream, () => new StreamsError('STREAM_CLOSED', text, { details: {} }))
    this.#releaseSubscription = budget.acquire()
    void this.#prepareAndRun()
  }

  stop(): void {
    this.#abortController.abort()
    this.#supervisor?.stop()
    this.#releaseSubscription?.(this.#parts.context.clock.now())
  }

  onConsumed(item: QueuedItem<Event>): void {
    this.#pipeline?.progress.handled(item)
  }

  async teardown(): Promise<void> {
    const progress = this.#pipeline?.progress
    this.#pipeline = undefined
    this.#supervisor = undefined
    try {
      await progress?.finish()
    } finally {
      this.#unregister()
    }
  }

  batch(items: QueuedItem<Event>[]): ItemBatch<QueuedItem<Event>> {
    const ack = this.#pipeline?.progress.createAck(items) ?? ((): void => {})
    return Object.defineProperty(items, 'ack', { value: ack }) as typeof items & { ack(): void }
  }

  #fail(error: unknown): void {
    this.queue.close({ error })
    this.stop()
  }

  async #prepareAndRun(): Promise<void> {
    const { signal } = this.#abortController
    const nowMs = this.#parts.context.clock.now()
    const pipeline = this.#pipeline
    try {
      await pipeline?.progress.prepare(nowMs, signal)
    } catch (error) {
      if (!signal.aborted) this.#fail(error)
    }
    if (signal.aborted || pipeline === undefined) return
    this.#supervisor = this.#createSupervisor(pipeline)
    this.#supervisor.start()
  }

  #createSupervisor({
    handler,
    completeness,
    cursors = () => NO_CURSORS,
    lastGap = () => undefined,
  }: Pipeline<Frame, Event>): Supervisor<Frame> {
    const { context, name, target, method, decoder, request } = this.#parts
    const { backfill, accounts = [] } = this.#parts.options
    const { signer, clock, accessTokens, accessTokenRequired, onClockSkew, headers } = context
    const { policy, random, budget } = context
    const { intervalMs = policy.backfillIntervalMs } = typeof backfill === 'object' ? backfill : {}
    return new Supervisor<Frame>({
      policy: { ...policy, backfillIntervalMs: intervalMs },
      clock,
      random,
      budget,
      dialer: new SubscriptionDialer({
        signer,
        clock,
        accessTokens,
        accessTokenRequired,
        onTokenMissing: () => this.#output.notify(tokenMissing('required', clock.now())),
        onClockSkew,
        headers: headers && ((attempt) => headers({ ...this.#source, ...attempt })),
        target,
        method,
        decoder,
        request,
        cursors,
        secrets: this.#secrets,
      }),
      handler,
      completeness,
      queue: this.queue,
      statistics: this.#statistics,
      output: this.#output,
      report: this.#report,
      fail: (error) => this.#fail(error),
      contender: name === 'module' ? undefined : this.#addContender(name),
      backfill: createBackfillRunner({
        backfill,
        accounts,
        clock,
        output: this.#output,
        queue: this.queue,
        completeness,
        lastGap,
      }),
      onEnd: (outcome) => {
        const error = outcomeError(outcome)
        this.queue.close(error === undefined ? undefined : { error })
        this.#releaseSubscription?.(clock.now())
      },
    })
  }

  #addContender(name: TradeStreamName): Contender {
    const { context, target } = this.#parts
    const group = target.host === undefined ? target : `${context.signer.appKey} ${target.host}`
    return addContender(group, name, (heldBy) => this.#supervisor?.onContenderLive(heldBy))
  }
}
