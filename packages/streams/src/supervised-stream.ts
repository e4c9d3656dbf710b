/**
 * What fills a supervised stream: it joins attempts at a subscription, the supervision that begins them and reads, and the
 * stages that make items of what was read. How items reach the consumer is core's.
 */
import type { AbortSignalLike, Consumer } from '@brokerwire/core'
import { createConsumer, type Producer } from '@brokerwire/core/internal'
import type { DescMessage } from '@bufbuild/protobuf'
import type { CompletenessTracker } from './completeness/completeness-tracker.ts'
import type { BackfillHook, SupervisedStreamContext } from './context.ts'
import { BatchStatistics } from './delivery/batch-statistics.ts'
import type { FrameHandler, Progress } from './delivery/frame-handler.ts'
import { IdLimit } from './delivery/id-limit.ts'
import { ItemOutput } from './delivery/item-output.ts'
import { ItemQueue } from './delivery/item-queue.ts'
import type { EventStream, ItemBatch } from './event-stream.ts'
import { tokenMissing } from './items/notices.ts'
import type { ItemOf } from './items/stream-item.ts'
import { createReporter, type Reporter, type StreamName, type TradeStreamName } from './observer.ts'
import { outcomeError } from './outcome-error.ts'
import { CONSUMER_ERRORS, StreamsError } from './streams-error.ts'
import { RequestSecrets } from './subscription/call-failure.ts'
import { addContender, type Contender } from './subscription/contenders.ts'
import { type DialerOptions, SubscriptionDialer } from './subscription/subscription-dialer.ts'
import { Supervisor } from './supervisor/supervisor.ts'

/** The stages that all streams share. */
export interface SharedStages<Event> {
  readonly output: ItemOutput<Event>
  readonly ids: IdLimit
  /** Ends the stream with an error, after the items that are queued. */
  readonly fail: (error: unknown) => void
}

/** The stages of one stream. */
export interface Stages<Frame, Event> {
  readonly handler: FrameHandler<Frame>
  readonly completeness: CompletenessTracker
  readonly progress: Progress<Event>
  /** Returns the positions for the next request, by event type. */
  readonly cursors?: (() => ReadonlyMap<string, string>) | undefined
}

/** What differs between streams. */
export interface StreamParts<I extends DescMessage, Frame, Event>
  extends Pick<DialerOptions<I, Frame>, 'target' | 'method' | 'request' | 'decoder'> {
  readonly context: SupervisedStreamContext
  readonly name: StreamName
  /** Reads an item's own timestamp, milliseconds since the Unix epoch. */
  readonly serverTimeMs: (item: Event) => number | undefined
  readonly stages: (shared: SharedStages<Event>) => Stages<Frame, Event>
  readonly options: {
    readonly backfill: BackfillHook | undefined
    readonly signal: AbortSignalLike | undefined
  }
}

const NO_CURSORS: ReadonlyMap<string, string> = new Map()

/** Nothing happens before the first `next()`. */
export function superviseStream<I extends DescMessage, Frame, Event>(
  parts: StreamParts<I, Frame, Event>,
): EventStream<ItemOf<Event>> {
  const stream = new SupervisedStream(parts)
  return createConsumer(stream.queue, stream, CONSUMER_ERRORS)
}

/** The producer of one stream: owns its slot in the budget, its supervisor and its stages. */
class SupervisedStream<I extends DescMessage, Frame, Event>
  implements Producer<ItemOf<Event>, ItemBatch<ItemOf<Event>>>
{
  readonly queue: ItemQueue<ItemOf<Event>>
  readonly signal: AbortSignalLike | undefined
  readonly #parts: StreamParts<I, Frame, Event>
  readonly #secrets = new RequestSecrets()
  readonly #report: Reporter
  readonly #statistics: BatchStatistics<Event>
  readonly #output: ItemOutput<Event>
  readonly #preparing = new AbortController()
  /** Megabytes of ids and frames, so both are released at the end. */
  #stages: Stages<Frame, Event> | undefined
  #supervisor: Supervisor<Frame> | undefined
  #releaseSlot: ((nowMs: number) => void) | undefined
  #forget = (): void => {}

  constructor(parts: StreamParts<I, Frame, Event>) {
    const { context, name, options, serverTimeMs } = parts
    const { observer, maxIdBytes } = context
    this.#parts = parts
    this.queue = new ItemQueue(context.buffer)
    this.signal = options.signal
    this.#report = createReporter(observer, name)
    this.#statistics = new BatchStatistics(this.#report, observer?.onBatch && serverTimeMs)
    this.#output = new ItemOutput({
      queue: this.queue,
      statistics: this.#statistics,
      report: this.#report,
      service: name === 'module' ? 'module' : 'trade',
      redact: this.#secrets.redact,
    })
    this.#stages = parts.stages({
      output: this.#output,
      ids: new IdLimit(maxIdBytes, this.#output.notify),
      fail: (error) => this.#fail(error),
    })
  }

  start(consumer: Consumer<ItemOf<Event>, ItemBatch<ItemOf<Event>>>): void {
    const { openStreams, budget } = this.#parts.context
    const text = 'these streams were disposed of: make new ones'
    this.#forget = openStreams.add(consumer, () => new StreamsError('STREAM_CLOSED', text, { details: {} }))
    this.#releaseSlot = budget.take()
    void this.#prepareAndRun()
  }

  stop(): void {
    this.#preparing.abort()
    this.#supervisor?.stop()
    this.#releaseSlot?.(this.#parts.context.clock.now())
  }

  handled(item: ItemOf<Event>): void {
    this.#stages?.progress.handled(item)
  }

  async finish(): Promise<void> {
    const progress = this.#stages?.progress
    this.#stages = undefined
    this.#supervisor = undefined
    try {
      await progress?.finish()
    } finally {
      this.#forget()
    }
  }

  batch(items: ItemOf<Event>[]): ItemBatch<ItemOf<Event>> {
    const ack = this.#stages?.progress.createAck(items) ?? ((): void => {})
    return Object.defineProperty(items, 'ack', { value: ack }) as typeof items & { ack(): void }
  }

  #fail(error: unknown): void {
    this.queue.close({ error })
    this.stop()
  }

  async #prepareAndRun(): Promise<void> {
    const { signal } = this.#preparing
    const nowMs = this.#parts.context.clock.now()
    const stages = this.#stages
    try {
      await stages?.progress.prepare(nowMs, signal)
    } catch (error) {
      if (!signal.aborted) this.#fail(error)
    }
    if (signal.aborted || stages === undefined) return
    this.#supervisor = this.#createSupervisor(stages)
    this.#supervisor.start()
  }

  #createSupervisor({
    handler,
    completeness,
    cursors = () => NO_CURSORS,
  }: Stages<Frame, Event>): Supervisor<Frame> {
    const { context, name, target, method, decoder, request } = this.#parts
    const { signer, clock, accessTokens, accessTokenRequired, onClockSkew } = context
    const { policy, random, budget } = context
    return new Supervisor<Frame>({
      policy,
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
      backfill: (cause, stop) => void this.#backfill(cause, stop).catch(() => {}),
      onEnd: (outcome) => {
        const error = outcomeError(outcome)
        this.queue.close(error === undefined ? undefined : { error })
        this.#releaseSlot?.(clock.now())
      },
    })
  }

  #addContender(name: TradeStreamName): Contender {
    const { context, target } = this.#parts
    const group = `${context.signer.appKey} ${target.host}`
    return addContender(group, name, (heldBy) => this.#supervisor?.onContenderLive(heldBy))
  }

  async #backfill(cause: 'subscribed' | 'timer', signal: AbortSignal): Promise<void> {
    const { context, options } = this.#parts
    const missing = await options.backfill?.({ cause, signal })
    // If the consumer does not read, notices would only accumulate.
    if (missing === undefined || missing <= 0 || signal.aborted || this.queue.full) return
    this.#output.notify({ type: 'notice', kind: 'missed-events', atMs: context.clock.now(), missing })
  }
}
