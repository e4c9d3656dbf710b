/** What the caller gives a call to send: partial messages made whole, and told when nobody takes any more of them. */
import { create, type DescMessage, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf'
import type { ConnectError } from '@connectrpc/connect'

/** The messages of one call. An interceptor may take them more than once, if the caller's iterable can be. */
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
    const left = async (reason: unknown): Promise<typeof done> => {
      this.#leave(inner, reason)
      return done
    }
    return {
      next: async () => {
        const result = await inner.next()
        if (result.done !== true) return { done: false, value: create(this.#schema, result.value) }
        this.#open.delete(inner)
        return done
      },
      return: () => left(undefined),
      throw: left,
    }
  }

  leave(failure: ConnectError | undefined): void {
    for (const inner of this.#open) this.#leave(inner, failure)
  }

  #leave(inner: AsyncIterator<MessageInitShape<I>>, reason: unknown): void {
    if (this.#open.delete(inner)) leaveIterator(inner, reason)
  }
}

/** Tells an iterator that nobody waits for it any more: `throw` with the reason, if there is one, and then `return`. */
export function leaveIterator(iterator: AsyncIterator<unknown>, reason: unknown): void {
  const quietly = async (leave: () => Promise<unknown> | undefined): Promise<void> => {
    try {
      await leave()
    } catch {
      // What it answers is its own affair: there is nobody left to hear of it.
    }
  }
  if (reason !== undefined) void quietly(() => iterator.throw?.(reason))
  void quietly(() => iterator.return?.())
}
