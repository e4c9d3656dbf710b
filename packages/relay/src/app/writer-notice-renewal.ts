/**
 * Schedule for renewing the notice of a stream's writer, so that the limits of the stream never delete the
 * last notice. Pure.
 *
 * Time is counted in ticks, so a clock that is set back does not delay a renewal.
 */
import type { Retention } from '../sink/event-sink.ts'

/** The notice is renewed after this fraction (1/4) of a limit. */
const PART = 4

export class WriterNoticeRenewal {
  #elapsedMs = 0
  #bytes = 0
  #messages = 0

  /** Called when the notice was written. */
  renewed(): void {
    this.#elapsedMs = 0
    this.#bytes = 0
    this.#messages = 0
  }

  elapsed(ms: number): void {
    this.#elapsedMs += ms
  }

  /** Called when other messages were written after the notice. */
  published(messages: number, bytes: number): void {
    this.#messages += messages
    this.#bytes += bytes
  }

  isDue({ maxAgeMs, maxBytes, maxMessages }: Retention): boolean {
    const isPart = (value: number, limit: number | undefined): boolean =>
      limit !== undefined && value > 0 && value >= limit / PART
    return (
      isPart(this.#elapsedMs, maxAgeMs) ||
      isPart(this.#bytes, maxBytes) ||
      isPart(this.#messages, maxMessages)
    )
  }
}
