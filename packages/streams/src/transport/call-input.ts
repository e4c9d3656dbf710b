/** The request messages of the caller: completes partial messages, and cancels the caller's iterators at the end of the call. */
import { create, type DescMessage, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf'
import type { ConnectError } from '@connectrpc/connect'

/** The messages of one call. An interceptor may iterate more than once, if the caller's iterable allows it. */
export class CallInput<I extends DescMessage> implements AsyncIterable<MessageShape<I>> {
  readonly #schema: I
  readonly #messages: AsyncIterable<MessageInitShape<I>>
  readonly #open = new Set<AsyncIterator<MessageInitShape<I>>>()

  constructor(schema: I, messages: AsyncIterable<MessageInitShape<I>>) {
    this.#schema = schema
    this.#messages = messages
  }

  [Symbol.asyncIterator](): AsyncIterator<MessageShape<I>> {
    const inner = this.#messages[Symbol.asyncIterator]()
    this.#open.add(inner)
    const done = { done: true as const, value: undefined }
    const close = async (reason: unknown): Promise<typeof done> => {
      this.#cancel(inner, reason)
      return done
    }
    return {
      next: async () => {
        const result = await inner.next()
        if (result.done !== true) return { done: false, value: create(this.#schema, result.value) }
        this.#open.delete(inner)
        return done
      },
      return: () => close(undefined),
      throw: close,
    }
  }

  /** Cancels all iterators, with the error of a failed call. */
  cancel(failure: ConnectError | undefined): void {
    for (const inner of this.#open) this.#cancel(inner, failure)
  }

  #cancel(inner: AsyncIterator<MessageInitShape<I>>, reason: unknown): void {
    if (this.#open.delete(inner)) cancelIterator(inner, reason)
  }
}

/** Cancels an iterator: calls `throw` with the reason, if there is one, and then `return`. Its errors are ignored. */
export function cancelIterator(iterator: AsyncIterator<unknown>, reason: unknown): void {
  const quietly = async (call: () => Promise<unknown> | undefined): Promise<void> => {
    try {
      await call()
    } catch {
      // The call has ended, so there is no way to report the error.
    }
  }
  if (reason !== undefined) void quietly(() => iterator.throw?.(reason))
  void quietly(() => iterator.return?.())
}
