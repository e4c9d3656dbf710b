/** Pending calls of `publish`, oldest first. */
import { Queue } from '@brokerwire/core/internal'
import type { RelayError } from '../relay-error.ts'
import type { PublishAck } from '../sink/event-sink.ts'
import type { PendingPublish } from '../sink/pending-publish.ts'

interface Call extends PendingPublish {
  /**
   * The sequence of the last message of the call. For an empty call, the sequence of the message before it.
   */
  readonly sequence: number
  /** The error of the message at which publishing ended. */
  readonly rejection: RelayError | undefined
}

export class PublishCalls {
  readonly #calls = new Queue<Call>()
  #storedSequence = 0
  /** The sequence of the last message of all calls. */
  #lastSequence = 0

  /** The sequence of the last message that is known to be stored. */
  get storedSequence(): number {
    return this.#storedSequence
  }

  /** Starts without calls. @param sequence - The sequence at the end of the stream. */
  begin(sequence: number): void {
    this.#storedSequence = sequence
    this.#lastSequence = sequence
  }

  /**
   * Adds a call.
   *
   * @param count - The number of its messages.
   * @param rejection - The error of the message after them.
   */
  add(count: number, rejection: RelayError | undefined): Promise<PublishAck> {
    this.#lastSequence += count
    const sequence = this.#lastSequence
    return new Promise<PublishAck>((resolve, reject) => {
      this.#calls.push({ sequence, rejection, resolve, reject })
    })
  }

  /**
   * Settles the calls whose messages are all stored.
   *
   * @returns The error of the message at which publishing ended, if the call with that message was reached.
   */
  settle(storedSequence: number): RelayError | undefined {
    this.#storedSequence = storedSequence
    for (let call = this.#calls.peek(); call !== undefined; call = this.#calls.peek()) {
      if (call.sequence > storedSequence) break
      this.#calls.shift()
      if (call.rejection !== undefined) {
        call.reject(call.rejection)
        return call.rejection
      }
      call.resolve({ sequence: call.sequence })
    }
    return undefined
  }

  rejectAll(error: unknown): void {
    for (let call = this.#calls.shift(); call !== undefined; call = this.#calls.shift()) call.reject(error)
  }
}
