/**
 * What fills a supervised stream: it joins attempts at a subscription, the supervision that begins them and reads, and the
 * delivery that makes items of what was read. How items are handed over is core's.
 */
import type { AbortSignalLike, Consumer } from '@brokerwire/core'
import { createConsumer, type Producer } from '@brokerwire/core/internal'
import type { DescMessage } from '@bufbuild/protobuf'
import type { ReconcileHook, StreamsContext } from './context.ts'
import { type Delivery, Outlet } from './delivery/delivery.ts'
import type { EventStream, ItemBatch } from './event-stream.ts'
import type { StreamNotice } from './items/notices.ts'
import type { StreamName } from './observer.ts'
import { outcomeError } from './outcome-error.ts'
import { Supervisor, type SupervisorPorts } from './pipeline/supervisor.ts'
import { CONSUMER_ERRORS, StreamsError } from './streams-error.ts'
import { type AttemptOptions, Attempts } from './subscription/attempt.ts'
import { SentSecrets } from './subscription/shown.ts'

/** What one stream is, where all of them are alike. */
export interface StreamParts<I extends DescMessage, Frame, Event>
  extends Pick<AttemptOptions<I, Frame>, 'target' | 'method' | 'request'> {
  readonly context: StreamsContext
  readonly name: StreamName
  /** Reads an item's own timestamp, milliseconds since the Unix epoch. */
  readonly sentMs: (item: Event) => number | undefined
  readonly deliver: (outlet: Outlet<Event>) => Delivery<Frame, Event>
  readonly options: JoinedParts<Frame, Event>['options']
}

/** What is supervised, and what the stream itself needs of it. */
interface JoinedParts<Frame, Event> extends Pick<SupervisorPorts<Frame>, 'attempts'> {
  readonly delivery: Delivery<Frame, Event>
  readonly context: StreamsContext
  readonly outlet: Outlet<Event>
  readonly options: {
    readonly reconcile: ReconcileHook | undefined
    readonly signal: AbortSignalLike | undefined
  }
}

const NO_CURSORS: ReadonlyMap<string, string> = new Map()

/** Nothing happens before the first `next()`. */
export function superviseStream<I extends DescMessage, Frame, Event>(
  parts: StreamParts<I, Frame, Event>,
): EventStream<Event | StreamNotice> {
  const { context, target, method, request, name, options } = parts
  const secrets = new SentSecrets()
  const outlet = new Outlet<Event>(context, name, secrets.shown, parts.sentMs)
  const delivery = parts.deliver(outlet)
  const attempts = new Attempts({
    signer: context.signer,
    clock: context.clock,
    accessToken: context.accessToken,
    learnClockOffset: context.learnClockOffset,
    target,
    method,
    request,
    secrets,
    decoder: delivery.decoder,
    cursors: () => delivery.takeCursors?.() ?? NO_CURSORS,
  })
  const stream = new SupervisedStream<Frame, Event>({ context, outlet, delivery, attempts, options })
  return createConsumer(outlet.queue, stream, CONSUMER_ERRORS)
}

type Item<Event> = Event | StreamNotice

/** The producer of one stream: owns its slot in the budget, its supervisor and its delivery. */
class SupervisedStream<Frame, Event> implements Producer<Item<Event>, ItemBatch<Item<Event>>> {
  readonly signal: AbortSignalLike | undefined
  readonly handled: Delivery<Frame, Event>['handled']
  readonly #parts: JoinedParts<Frame, Event>
  readonly #preparing = new AbortController()
  #supervisor: Supervisor<Frame> | undefined
  #releaseSlot: ((nowMs: number) => void) | undefined
  #forget = (): void => {}

  constructor(parts: JoinedParts<Frame, Event>) {
    const { delivery, outlet, options } = parts
    this.#parts = parts
    this.signal = options.signal
    this.handled = delivery.handled?.bind(delivery)
    outlet.fail = (error) => {
      outlet.queue.close({ error })
      this.stop()
    }
  }

  start(consumer: Consumer<Item<Event>, ItemBatch<Item<Event>>>): void {
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

  async finish(): Promise<void> {
    try {
      await this.#parts.delivery.finish?.()
    } finally {
      this.#forget()
    }
  }

  batch(items: Item<Event>[]): ItemBatch<Item<Event>> {
    const ack = this.#parts.delivery.ackOf?.(items) ?? ((): void => {})
    return Object.defineProperty(items, 'ack', { value: ack }) as typeof items & { ack(): void }
  }

  async #prepareAndRun(): Promise<void> {
    const { signal } = this.#preparing
    const { context, attempts, delivery, outlet } = this.#parts
    try {
      await delivery.prepare?.(signal)
    } catch (error) {
      if (!signal.aborted) outlet.fail(error)
    }
    if (signal.aborted) return
    const { policy, clock, random, budget } = context
    this.#supervisor = new Supervisor<Frame>({
      policy,
      clock,
      random,
      budget,
      attempts,
      delivery,
      outlet,
      reconcile: (cause, stop) => void this.#reconcile(cause, stop).catch(() => {}),
      onEnd: (outcome) => {
        const error = outcomeError(outcome)
        outlet.queue.close(error === undefined ? undefined : { error })
        this.#releaseSlot?.(context.clock.now())
      },
    })
    this.#supervisor.start()
  }

  async #reconcile(cause: 'subscribed' | 'timer', signal: AbortSignal): Promise<void> {
    const { context, options, outlet } = this.#parts
    const missing = await options.reconcile?.({ cause, signal })
    // A consumer who does not read would only pile up notices.
    if (missing === undefined || missing <= 0 || signal.aborted || outlet.queue.full) return
    outlet.notify({ type: 'notice', kind: 'suspect-silent', atMs: context.clock.now(), missing })
  }
}
