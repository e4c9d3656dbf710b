/**
 * What a caller iterates over: started by the first `next()`, left by leaving the loop, by a signal, or by disposal.
 *
 * Not an async generator: `return()` of one waits for the `next()` that is pending, so data that does not come could not be
 * left. And what waits is handed over in a promise that is resolved already.
 */

/** Items in the order received, notices in their places; at least one. */
export type QuotesBatch<Item> = readonly Item[]

/** Where items wait. */
export interface ItemSource<Item> {
  take(): Item | undefined
  takeMany(max: number): Item[] | undefined
  filled(): Promise<boolean>
}

/** What starting and leaving mean. */
export interface ConsumerHooks {
  /** Before the first item. @throws Whatever keeps it from starting. */
  start(): void
  leave(): Promise<void>
  /** What a consumer is told that waits while its signal aborts. */
  aborted(): { readonly reason: unknown } | undefined
}

/** Hands over what waits, alone or in arrays. One consumer. */
export class Consumer<Item> {
  readonly #source: ItemSource<Item>
  readonly #hooks: ConsumerHooks
  #phase: 'new' | 'running' | 'left' = 'new'
  /** Calls that wait their turn. */
  #waiting = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(source: ItemSource<Item>, hooks: ConsumerHooks) {
    this.#source = source
    this.#hooks = hooks
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#waiting === 0 && this.#phase === 'running') {
      const value = this.#source.take()
      if (value !== undefined) return Promise.resolve({ done: false, value })
    }
    return this.#inTurn(() => this.#source.take())
  }

  nextBatch(maxItems: number): Promise<IteratorResult<QuotesBatch<Item>, undefined>> {
    return this.#inTurn(() => this.#source.takeMany(maxItems))
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#phase = 'left'
    await this.#hooks.leave()
    return { done: true, value: undefined }
  }

  #inTurn<T>(take: () => T | undefined): Promise<IteratorResult<T, undefined>> {
    this.#waiting += 1
    const step = (): Promise<IteratorResult<T, undefined>> => this.#step(take)
    const result = this.#waiting === 1 ? step() : this.#turn.then(step, step)
    this.#turn = result
    return result
  }

  async #step<T>(take: () => T | undefined): Promise<IteratorResult<T, undefined>> {
    try {
      if (this.#phase === 'new') {
        this.#hooks.start()
        this.#phase = 'running'
      }
      for (;;) {
        const value = take()
        if (value !== undefined) return { done: false, value }
        if (!(await this.#source.filled())) break
      }
    } catch (error) {
      this.#phase = 'left'
      await this.#hooks.leave()
      throw error
    } finally {
      this.#waiting -= 1
    }
    const aborted = this.#phase === 'running' ? this.#hooks.aborted() : undefined
    this.#phase = 'left'
    await this.#hooks.leave()
    if (aborted !== undefined) throw aborted.reason
    return { done: true, value: undefined }
  }
}
