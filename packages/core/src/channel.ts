/**
 * A queue between one producer and one consumer that waits with `for await`.
 *
 * Unbounded by itself: a producer that could outrun its consumer looks at `size` and holds back. `close` lets the
 * consumer finish what is queued, `fail` as well, before the error: nothing already received is lost.
 */

/** Written by one side, read by the other. */
export interface Channel<T> extends AsyncIterableIterator<T> {
  /** Items that nobody has taken yet. */
  readonly size: number
  /** Whether `close`, `fail` or `return` was called. */
  readonly closed: boolean
  /** Adds an item. Ignored once closed. */
  push(item: T): void
  /** No more items; the consumer gets what is queued, then the end. */
  close(): void
  /** No more items; the consumer gets what is queued, then the error, once. */
  fail(error: unknown): void
  next(): Promise<IteratorResult<T, undefined>>
  /** The consumer leaves: what is queued is dropped. */
  return(): Promise<IteratorResult<T, undefined>>
  [Symbol.asyncIterator](): Channel<T>
}

/** Options of {@link createChannel}. */
export interface ChannelOptions {
  /** Called after the consumer took an item. */
  readonly onTake?: (() => void) | undefined
  /** Called once, when the consumer left the loop before the end. */
  readonly onLeave?: (() => void) | undefined
}

interface Waiter<T> {
  resolve(result: IteratorResult<T, undefined>): void
  reject(error: unknown): void
}

/** Makes a channel. */
export function createChannel<T>(options: ChannelOptions = {}): Channel<T> {
  let queue: (T | undefined)[] = []
  let head = 0
  const waiters: Waiter<T>[] = []
  let closed = false
  let failure: { readonly error: unknown } | undefined

  const end = (): void => {
    closed = true
    for (const waiter of waiters.splice(0)) {
      if (failure === undefined) waiter.resolve({ done: true, value: undefined })
      else {
        const { error } = failure
        failure = undefined
        waiter.reject(error)
      }
    }
  }

  return {
    get size() {
      return queue.length - head
    },
    get closed() {
      return closed
    },
    push(item) {
      if (closed) return
      const waiter = waiters.shift()
      if (waiter === undefined) queue.push(item)
      else {
        waiter.resolve({ done: false, value: item })
        options.onTake?.()
      }
    },
    close() {
      if (!closed) end()
    },
    fail(error) {
      if (closed) return
      failure = { error }
      end()
    },
    next() {
      if (head < queue.length) {
        const value = queue[head] as T
        // Lets go of the item at once: a payload may be megabytes.
        queue[head] = undefined
        head += 1
        if (head === queue.length || (head >= 1024 && head * 2 >= queue.length)) {
          queue = queue.slice(head)
          head = 0
        }
        options.onTake?.()
        return Promise.resolve({ done: false, value })
      }
      if (failure !== undefined) {
        const { error } = failure
        failure = undefined
        return Promise.reject(error)
      }
      if (closed) return Promise.resolve({ done: true, value: undefined })
      return new Promise((resolve, reject) => waiters.push({ resolve, reject }))
    },
    return() {
      queue = []
      head = 0
      failure = undefined
      const left = !closed
      end()
      if (left) options.onLeave?.()
      return Promise.resolve({ done: true, value: undefined })
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
