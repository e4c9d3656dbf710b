/** Publishes messages to the sink in order, and pauses reading while too many bytes are in flight. */
import { type EventSink, entryBytes, type SinkEntry } from '../sink/event-sink.ts'
import type { AnyEvent } from '../wire/entries.ts'
import { waitForBoth } from './wait-for-both.ts'

/** Messages that were stored together. */
export interface Stored {
  readonly messages: number
  /** Memory of the messages while they waited. */
  readonly bytes: number
  /** Sequence of the last message. */
  readonly sequence: number
  /** The first event of the messages. */
  readonly first: AnyEvent | undefined
}

export interface PublisherOptions {
  readonly sink: EventSink
  /** Reading is paused while at least this many bytes are in flight. */
  readonly bufferBytes: number
  readonly onStored: (stored: Stored) => void
  readonly onBackpressure: (isPaused: boolean, bytes: number) => void
  /** The sink rejected messages. */
  readonly onError: (error: unknown) => void
}

export class Publisher {
  readonly #options: PublisherOptions
  /** Bytes of messages that were published and are not stored yet. */
  #bytes = 0
  #isPaused = false
  #isEnded = false
  #waiters: (() => void)[] = []
  #published: Promise<void> = Promise.resolve()
  #sequence = 0

  constructor(options: PublisherOptions) {
    this.#options = options
  }

  /** Resolves when everything that was published so far is stored. Rejects with the error of the sink. */
  get published(): Promise<void> {
    return this.#published
  }

  /** The sequence of the last message that is stored. */
  get sequence(): number {
    return this.#sequence
  }

  /** Whether messages wait to be stored. */
  get isPending(): boolean {
    return this.#bytes > 0
  }

  /** Sets the sequence of the message after which publishing starts. */
  begin(sequence: number): void {
    this.#sequence = sequence
  }

  /**
   * Publishes messages.
   *
   * @param onStored - Called when all of them are stored.
   * @param first - The first event of the messages.
   */
  publish(entries: readonly SinkEntry[], onStored: () => void, first?: AnyEvent): void {
    const { sink, onError, onStored: report } = this.#options
    let bytes = 0
    for (const entry of entries) bytes += entryBytes(entry)
    this.#bytes += bytes
    const published = sink.publish(entries).then(({ sequence }) => {
      this.#bytes -= bytes
      this.#sequence = sequence
      onStored()
      if (entries.length > 0) report({ messages: entries.length, bytes, sequence, first })
      this.#resume()
    })
    published.catch(onError)
    this.#published = waitForBoth(this.#published, published)
    this.#published.catch(() => {})
  }

  /**
   * Waits while at least `bufferBytes` are in flight. A paused reader applies backpressure to the service.
   */
  async ready(): Promise<void> {
    while (this.#bytes >= this.#options.bufferBytes && !this.#isEnded) {
      if (!this.#isPaused) {
        this.#isPaused = true
        this.#options.onBackpressure(true, this.#bytes)
      }
      await new Promise<void>((resolve) => this.#waiters.push(resolve))
    }
  }

  /** Ends all present and later waits of `ready()`. */
  end(): void {
    this.#isEnded = true
    for (const resume of this.#waiters.splice(0)) resume()
  }

  #resume(): void {
    if (this.#bytes >= this.#options.bufferBytes) return
    if (this.#isPaused) {
      this.#isPaused = false
      this.#options.onBackpressure(false, this.#bytes)
    }
    for (const resume of this.#waiters.splice(0)) resume()
  }
}
