/**
 * A stream as its consumer holds it: started by the first `next()`, stopped by leaving the loop, by the signal, or by
 * disposal, whichever comes first. It joins attempts at a subscription, the supervision that begins them and reads, and
 * the delivery that makes items of what was read.
 *
 * Not an async generator: `return()` of one waits for the `next()` that is pending, so a stream without events could
 * not be left. And what is queued is handed over in a promise that is resolved already: nothing is waited for.
 */
import { integerRow, onAbort, readOptions, readSignal } from '@brokerwire/core'
import type { ReconcileHook, StreamsContext } from './context.ts'
import type { Delivery, EventFields, Outlet } from './delivery/delivery.ts'
import type { BatchStream, EventStream, ItemBatch } from './event-stream.ts'
import type { StreamNotice } from './items/notices.ts'
import { outcomeError } from './outcome-error.ts'
import { optionInvalid } from './streams-error.ts'
import type { Attempts } from './subscription/attempt.ts'
import { Supervisor } from './supervisor/runner.ts'

export interface CursorKeeping<Item> {
  prepare(signal: AbortSignal): Promise<void>
  /** The consumer asked for more, so this item was handled. */
  handled(item: Item): void
  finish(): Promise<void>
}

export interface StreamParts<Frame, Event extends EventFields> {
  readonly context: StreamsContext
  readonly outlet: Outlet<Event>
  readonly delivery: Delivery<Frame>
  readonly attempts: Attempts<Frame>
  readonly cursors?: CursorKeeping<Event | StreamNotice> | undefined
  readonly reconcile: ReconcileHook | undefined
  readonly signal: AbortSignal | undefined
}

const BATCH_OPTIONS = { maxItems: integerRow(1, 1_000_000, 1024) }

/** A class, because functions made anew for each stream would be compiled anew for each. */
export class SupervisedStream<Frame, Event extends EventFields> implements EventStream<Event | StreamNotice> {
  readonly #parts: StreamParts<Frame, Event>
  readonly #queue: Outlet<Event>['queue']
  readonly #cursors: StreamParts<Frame, Event>['cursors']
  readonly #preparing = new AbortController()
  #supervisor: Supervisor<Frame> | undefined
  #releaseSlot: ((nowMs: number) => void) | undefined
  #phase: 'new' | 'running' | 'left' = 'new'
  /** Handed over since the last call: handled, as soon as somebody asks for more. Most often it is one item. */
  #inHand: Event | StreamNotice | undefined
  #alsoInHand: readonly (Event | StreamNotice)[] = []
  #finished: Promise<void> | undefined
  /** Calls that wait their turn. */
  #waiting = 0
  #turn: Promise<unknown> = Promise.resolve()
  #stopListening = (): void => {}

  /** Nothing happens before the first `next()`. @throws StreamsError `STREAM_OPTION_INVALID`. */
  constructor(parts: StreamParts<Frame, Event>) {
    readSignal(optionInvalid, parts.signal)
    this.#parts = parts
    this.#queue = parts.outlet.queue
    this.#cursors = parts.cursors
    parts.outlet.fail = (error) => {
      this.#queue.close({ error })
      this.#stop()
    }
  }

  next(): Promise<IteratorResult<Event | StreamNotice, undefined>> {
    this.#handle()
    if (this.#waiting === 0 && this.#phase === 'running') {
      const value = this.#takeItem()
      return value === undefined ? this.#handOver() : Promise.resolve({ done: false, value })
    }
    return this.#inTurn(() => this.#takeItem())
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    const wasRunning = this.#phase === 'running'
    this.#phase = 'left'
    if (wasRunning) {
      this.#stop()
      this.#queue.clear()
      await this.#finish()
    }
    this.#queue.close()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  batches(options: { readonly maxItems?: number | undefined } = {}): BatchStream<Event | StreamNotice> {
    const { maxItems } = readOptions(optionInvalid, 'options', options, BATCH_OPTIONS)
    const batches: BatchStream<Event | StreamNotice> = {
      next: () => {
        this.#handle()
        return this.#inTurn(() => this.#takeBatch(maxItems))
      },
      return: () => this.return(),
      [Symbol.asyncIterator]: () => batches,
      [Symbol.asyncDispose]: () => this[Symbol.asyncDispose](),
    }
    return batches
  }

  /** Right at the call: a consumer that asks for more has handled what it was given, also where it leaves next. */
  #handle(): void {
    const cursors = this.#cursors
    if (cursors === undefined || this.#phase !== 'running') return
    if (this.#inHand !== undefined) cursors.handled(this.#inHand)
    this.#inHand = undefined
    if (this.#alsoInHand.length === 0) return
    for (const item of this.#alsoInHand) cursors.handled(item)
    this.#alsoInHand = []
  }

  #takeItem(): Event | StreamNotice | undefined {
    const item = this.#queue.take()
    if (this.#cursors === undefined || item === undefined) return item
    if (this.#inHand === undefined) this.#inHand = item
    else this.#alsoInHand = [...this.#alsoInHand, item]
    return item
  }

  #takeBatch(maxItems: number): ItemBatch<Event | StreamNotice> | undefined {
    const items = this.#queue.takeMany(maxItems)
    if (items === undefined) return undefined
    if (this.#cursors !== undefined) this.#alsoInHand = [...this.#alsoInHand, ...items]
    const ack = (): void => {
      for (const item of items) if ('ack' in item && typeof item.ack === 'function') item.ack()
    }
    return Object.defineProperty(items, 'ack', { value: ack }) as typeof items & { ack(): void }
  }

  /** Nobody else waits: the next item is handed over as it is queued. */
  #handOver(): Promise<IteratorResult<Event | StreamNotice, undefined>> {
    this.#waiting += 1
    const result = new Promise<IteratorResult<Event | StreamNotice, undefined>>((resolve) => {
      this.#queue.onFilled(() => {
        const value = this.#takeItem()
        if (value !== undefined) this.#waiting -= 1
        resolve(value === undefined ? this.#step(() => this.#takeItem()) : { done: false, value })
      })
    })
    this.#turn = result
    return result
  }

  #inTurn<T>(take: () => T | undefined): Promise<IteratorResult<T, undefined>> {
    this.#waiting += 1
    const step = (): Promise<IteratorResult<T, undefined>> => this.#step(take)
    const result = this.#waiting === 1 ? step() : this.#turn.then(step, step)
    this.#turn = result
    return result
  }

  async #step<T>(take: () => T | undefined): Promise<IteratorResult<T, undefined>> {
    const { signal } = this.#parts
    try {
      if (this.#phase === 'new') {
        signal?.throwIfAborted()
        this.#start()
      }
      for (;;) {
        const value = take()
        if (value !== undefined) return { done: false, value }
        if (!(await this.#queue.filled())) break
      }
    } catch (error) {
      this.#phase = 'left'
      this.#queue.close()
      // The first failure is the one to tell: what could not be written then comes again, as the contract says.
      await this.#finish().catch(() => {})
      throw error
    } finally {
      this.#waiting -= 1
    }
    const aborted = this.#phase === 'running' && signal?.aborted === true
    this.#phase = 'left'
    await this.#finish()
    if (aborted) throw signal?.reason
    return { done: true, value: undefined }
  }

  #start(): void {
    const { context, signal } = this.#parts
    context.openStreams.add(this)
    this.#phase = 'running'
    const onAborted = (): void => {
      this.#stop()
      this.#queue.clear()
    }
    if (signal !== undefined) this.#stopListening = onAbort(signal, onAborted)
    this.#releaseSlot = context.budget.take()
    void this.#prepareAndRun()
  }

  #stop(): void {
    this.#preparing.abort()
    this.#supervisor?.stop()
    this.#releaseSlot?.(this.#parts.context.clock.now())
  }

  #finish(): Promise<void> {
    this.#stopListening()
    this.#parts.context.openStreams.delete(this)
    this.#finished ??= this.#cursors?.finish() ?? Promise.resolve()
    return this.#finished
  }

  async #prepareAndRun(): Promise<void> {
    const { signal } = this.#preparing
    const { context, outlet } = this.#parts
    try {
      await this.#cursors?.prepare(signal)
    } catch (error) {
      if (!signal.aborted) outlet.fail(error)
    }
    if (signal.aborted) return
    this.#supervisor = new Supervisor<Frame>({
      ...this.#parts,
      reconcile: (cause, stop) => void this.#reconcile(cause, stop).catch(() => {}),
      onEnd: (outcome) => {
        const error = outcomeError(outcome)
        this.#queue.close(error === undefined ? undefined : { error })
        this.#releaseSlot?.(context.clock.now())
      },
    })
    this.#supervisor.start()
  }

  async #reconcile(cause: 'subscribed' | 'timer', signal: AbortSignal): Promise<void> {
    const { context, outlet, reconcile } = this.#parts
    const missing = await reconcile?.({ cause, signal })
    // A consumer who does not read would only pile up notices.
    if (missing !== undefined && missing > 0 && !signal.aborted && !this.#queue.full) {
      outlet.notify({ type: 'notice', kind: 'suspect-silent', atMs: context.clock.now(), missing })
    }
  }
}
