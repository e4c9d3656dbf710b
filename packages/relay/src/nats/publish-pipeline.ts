/**
 * A pipeline of messages into a JetStream stream. It keeps the order, stores each message once, and stops
 * when another writer has written. Pure: it is called with events, and calls its port.
 *
 * Each message has an expected last sequence, and each but the first of a round also an expected last message
 * id. The sequence alone does not detect another writer: if the message of that writer is stored instead of
 * the first one, the expected sequence of the second one still matches. Ids are unique to a writer, so a
 * stored message proves that all messages before it are stored. An acknowledgement therefore confirms all
 * messages before it, and a lost acknowledgement does not matter.
 *
 * An ambiguous result ends the round: the last message of the stream is read, and the next round starts after
 * it. A late copy of an earlier round can only be stored at the sequence that it expects.
 */
import type { RelayError } from '../relay-error.ts'
import type { JetStreamApiError } from './api/jetstream-api.ts'

/** A message in the pipeline. */
export interface PipelineEntry {
  readonly id: string
  readonly bytes: number
}

/**
 * The end of the stream that a message expects. If the stream has another end, the server rejects the
 * message.
 */
export interface Expected {
  readonly sequence: number
  /**
   * If it is `undefined`, any id is accepted. Servers forget ids after their window for duplicates
   * (`duplicate_window`).
   */
  readonly id: string | undefined
}

/** Identifies a sent message: the number of the round, and the message's sequence in the stream. */
export interface Ticket {
  readonly round: number
  readonly sequence: number
}

export interface PipelinePort<T extends PipelineEntry> {
  /** Publishes a message. */
  send(entry: T, expected: Expected, ticket: Ticket): void
  /** Reads the last message of the stream, then calls {@link PublishPipeline.tailRead} or {@link PublishPipeline.tailFailed}. */
  readTail(): void
  /**
   * Called when the first messages of the pipeline are stored.
   *
   * @param sequence - The sequence of the last of these messages.
   */
  onStored(entries: readonly T[], sequence: number): void
  /** Called when the pipeline has ended. */
  onLost(loss: Loss): void
}

/** The reason why a pipeline ended. */
export type Loss =
  | { readonly why: 'fenced'; readonly sequence: number }
  | { readonly why: 'truncated'; readonly acknowledged: number; readonly sequence: number }
  | { readonly why: 'refused'; readonly error: RelayError | JetStreamApiError }

/** Limits of a pipeline. */
export interface PipelineLimits {
  readonly maxMessages: number
  readonly maxBytes: number
  /**
   * How often the tail is read again if it is before the last acknowledged message. A new leader may still be
   * reading its log.
   */
  readonly maxStaleReads: number
}

/** The end of a stream, as it was read. */
export interface ObservedTail {
  readonly sequence: number
  /** The id of the last message; empty if it has no id, `undefined` if the message is no longer stored. */
  readonly id: string | undefined
  /** Whether the stream was deleted and created again. */
  readonly isRecreated?: boolean | undefined
}

export class PublishPipeline<T extends PipelineEntry> {
  readonly #port: PipelinePort<T>
  readonly #limits: PipelineLimits
  /** Messages that are not known to be stored, oldest first, from index `#head` on. */
  #pending: T[] = []
  #head = 0
  /** The number of pending messages that were sent in this round, and their bytes. */
  #sent = 0
  #sentBytes = 0
  /** The sequence of the last message that is known to be stored. */
  #base: number
  #baseId: string | undefined
  /** The highest sequence of all sent messages. */
  #highestSent: number
  #round = 1
  #phase: 'sending' | 'reading' | 'ended' = 'sending'
  #staleReads = 0

  constructor(port: PipelinePort<T>, bounds: PipelineLimits, tail: ObservedTail) {
    this.#port = port
    this.#limits = bounds
    this.#base = tail.sequence
    this.#baseId = tail.id
    this.#highestSent = tail.sequence
  }

  /** The number of messages that are not known to be stored. */
  get size(): number {
    return this.#pending.length - this.#head
  }

  /** The number of messages in flight. If no response arrives for them in time, call {@link ambiguous}. */
  get inFlight(): number {
    return this.#phase === 'sending' ? this.#sent : 0
  }

  /** Appends a message. After the end of the pipeline, it does nothing. */
  add(entry: T): void {
    if (this.#phase === 'ended') return
    this.#pending.push(entry)
  }

  /** Sends messages up to the limits. */
  send(): void {
    const { maxMessages, maxBytes } = this.#limits
    while (this.#phase === 'sending' && this.#sent < this.size && this.#sent < maxMessages) {
      const entry = this.#at(this.#sent)
      // One message is always sent, whatever its length.
      if (this.#sent > 0 && this.#sentBytes + entry.bytes > maxBytes) return
      const sequence = this.#base + this.#sent + 1
      const id = this.#sent === 0 ? undefined : this.#at(this.#sent - 1).id
      this.#sent += 1
      this.#sentBytes += entry.bytes
      this.#highestSent = Math.max(this.#highestSent, sequence)
      this.#port.send(entry, { sequence: sequence - 1, id }, { round: this.#round, sequence })
    }
  }

  /** Called when the server acknowledged a message. It was stored now, or before under the same id. */
  acknowledged(ticket: Ticket, sequence: number): void {
    // An acknowledgement of an earlier round is ignored, because the stream was read since then.
    if (this.#isOutdated(ticket)) return
    if (sequence === ticket.sequence) {
      this.#settle(ticket.sequence - this.#base)
      this.send()
    } else this.ambiguous(ticket)
  }

  /** Called when a message was rejected, or no response came. The end of the stream must then be read. */
  ambiguous(ticket?: Ticket): void {
    if (this.#phase !== 'sending' || (ticket !== undefined && this.#isOutdated(ticket))) return
    this.#phase = 'reading'
    this.#port.readTail()
  }

  /** Called when the stream rejects messages for a reason that a retry does not change. */
  refused(error: RelayError | JetStreamApiError): void {
    this.#end({ why: 'refused', error })
  }

  tailRead({ sequence, id, isRecreated = false }: ObservedTail): void {
    if (this.#phase !== 'reading') return
    if (sequence < this.#base || isRecreated) {
      this.#staleReads += 1
      if (this.#staleReads <= this.#limits.maxStaleReads && !isRecreated) this.#port.readTail()
      else this.#end({ why: 'truncated', acknowledged: this.#base, sequence })
      return
    }
    this.#staleReads = 0
    const count = sequence - this.#base
    const expectedId = count === 0 ? this.#baseId : this.#idAt(count - 1)
    if (sequence > this.#highestSent || (id !== undefined && expectedId !== undefined && id !== expectedId)) {
      this.#end({ why: 'fenced', sequence })
      return
    }
    if (count > 0) this.#settle(count)
    this.#baseId = id ?? this.#baseId
    this.#phase = 'sending'
    this.#round += 1
    this.#sent = 0
    this.#sentBytes = 0
    this.send()
  }

  /** Called when the tail could not be read. The tail is read again, and the port adds the delay. */
  tailFailed(): void {
    if (this.#phase === 'reading') this.#port.readTail()
  }

  /** Ends the pipeline. @returns The messages that are not known to be stored. */
  end(): readonly T[] {
    this.#phase = 'ended'
    const unconfirmed = this.#pending.slice(this.#head)
    this.#pending = []
    this.#head = 0
    this.#sent = 0
    return unconfirmed
  }

  #at(index: number): T {
    return this.#pending[this.#head + index] as T
  }

  #idAt(index: number): string | undefined {
    return index < this.size ? this.#at(index).id : undefined
  }

  #isOutdated({ round, sequence }: Ticket): boolean {
    return this.#phase !== 'sending' || round !== this.#round || sequence <= this.#base
  }

  /** Removes the first messages, which are stored. */
  #settle(count: number): void {
    const entries = this.#pending.slice(this.#head, this.#head + count)
    this.#base += count
    this.#baseId = entries.at(-1)?.id
    this.#sent -= count
    for (const { bytes } of entries) this.#sentBytes -= bytes
    this.#head += count
    if (this.#head >= 1024 && this.#head * 2 >= this.#pending.length) {
      this.#pending = this.#pending.slice(this.#head)
      this.#head = 0
    }
    this.#port.onStored(entries, this.#base)
  }

  #end(loss: Loss): void {
    if (this.#phase === 'ended') return
    this.#phase = 'ended'
    this.#port.onLost(loss)
  }
}
