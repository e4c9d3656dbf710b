/**
 * What is on its way into a JetStream stream: a pipeline that keeps the order, stores nothing twice, and stops as soon as
 * somebody else has written. No clock, no network: it is told what happened, and says through its port what to do.
 *
 * Each message expects a sequence number, and each but the first of a round also expects the id of the message before it.
 * The number alone is no fence: where another writer's message takes the place of the first of a pipeline, the number fits
 * the second one, which would be stored behind that writer's. No two writers share an id, so with both a message that was
 * stored proves that all before it were, each in its place. Acknowledgements count for what came before them, and a lost
 * one costs nothing.
 *
 * After anything unclear a round ends: the last message of the stream is read, and the next round begins behind it. A copy
 * that is still on its way from an earlier round can only take the place that was meant for it.
 */
import type { RelayError } from '../relay-error.ts'
import type { JetStreamApiError } from './api/jetstream-api.ts'

/** A message in the line. */
export interface PipelineEntry {
  readonly id: string
  readonly bytes: number
}

/** What a message needs to find at the end of the stream, to be stored. */
export interface Expected {
  readonly sequence: number
  /** `undefined`: whichever it is. Servers forget the id of a message that is older than their window for repeats. */
  readonly id: string | undefined
}

/** Names a sending: a number for the round, and the message's place in the stream. */
export interface Ticket {
  readonly round: number
  readonly sequence: number
}

export interface PipelinePort<T extends PipelineEntry> {
  send(entry: T, expected: Expected, ticket: Ticket): void
  /** The last message is to be read: {@link PublishPipeline.tailRead} or {@link PublishPipeline.tailFailed} answers. */
  readTail(): void
  /** The first ones of the line are stored. @param sequence - Of the last of them. */
  onStored(entries: readonly T[], sequence: number): void
  /** Somebody else wrote, or the stream is not what it was: the line has ended. */
  onLost(loss: Loss): void
}

/** Why a line ended. */
export type Loss =
  | { readonly why: 'fenced'; readonly sequence: number }
  | { readonly why: 'truncated'; readonly acknowledged: number; readonly sequence: number }
  | { readonly why: 'refused'; readonly error: RelayError | JetStreamApiError }

/** How much may be on its way. */
export interface PipelineLimits {
  readonly maxMessages: number
  readonly maxBytes: number
  /** How often a tail that is behind what was acknowledged is read again: a new leader may still be reading its log. */
  readonly maxStaleReads: number
}

/** The end of a stream, as it was read. */
export interface ObservedTail {
  readonly sequence: number
  /** Empty where the message has none; `undefined` where the message is no longer there. */
  readonly id: string | undefined
  /** The stream is another one of the same name. */
  readonly isRecreated?: boolean | undefined
}

export class PublishPipeline<T extends PipelineEntry> {
  readonly #port: PipelinePort<T>
  readonly #limits: PipelineLimits
  /** Not known to be stored, oldest first; from `#head`. */
  #pending: T[] = []
  #head = 0
  /** Of them, how many are on their way in this round, and their bytes. */
  #sent = 0
  #sentBytes = 0
  /** The place of the last message that is known to be stored. The first that waits is meant for the next one. */
  #base: number
  #baseId: string | undefined
  /** The last place that any round has sent to. */
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

  /** Messages that are not known to be stored. */
  get size(): number {
    return this.#pending.length - this.#head
  }

  /** Messages on their way. While there are some, and nothing is heard for long, {@link ambiguous} is to be called. */
  get inFlight(): number {
    return this.#phase === 'sending' ? this.#sent : 0
  }

  /** Puts a message at the end. Ignored once the line has ended. */
  add(entry: T): void {
    if (this.#phase === 'ended') return
    this.#pending.push(entry)
  }

  /** Sends what there is room for. */
  send(): void {
    const { maxMessages, maxBytes } = this.#limits
    while (this.#phase === 'sending' && this.#sent < this.size && this.#sent < maxMessages) {
      const entry = this.#at(this.#sent)
      // The first one always goes, however long it is.
      if (this.#sent > 0 && this.#sentBytes + entry.bytes > maxBytes) return
      const sequence = this.#base + this.#sent + 1
      const id = this.#sent === 0 ? undefined : this.#at(this.#sent - 1).id
      this.#sent += 1
      this.#sentBytes += entry.bytes
      this.#highestSent = Math.max(this.#highestSent, sequence)
      this.#port.send(entry, { sequence: sequence - 1, id }, { round: this.#round, sequence })
    }
  }

  /** The server acknowledged a message: stored now, or before under the same id. */
  acknowledged(ticket: Ticket, sequence: number): void {
    // An earlier round's answer: what it tells was read from the stream since then.
    if (this.#isOutdated(ticket)) return
    if (sequence === ticket.sequence) {
      this.#settle(ticket.sequence - this.#base)
      this.send()
    } else this.ambiguous(ticket)
  }

  /** A message was refused, or no answer came: only the stream itself knows. */
  ambiguous(ticket?: Ticket): void {
    if (this.#phase !== 'sending' || (ticket !== undefined && this.#isOutdated(ticket))) return
    this.#phase = 'reading'
    this.#port.readTail()
  }

  /** The stream refuses for a reason that a repeat does not change. */
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

  /** It could not be read: it is asked for again. The port waits as long as it sees fit. */
  tailFailed(): void {
    if (this.#phase === 'reading') this.#port.readTail()
  }

  /** Ends the line. @returns What is not known to be stored. */
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

  /** The first so many are stored. */
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
