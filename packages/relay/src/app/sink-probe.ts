/**
 * Checks whether the sink of an app can be written. It can if a write was confirmed or a probe succeeded in
 * the last 15 seconds. While messages wait to be stored, only a write counts.
 *
 * Ticks are counted instead of reading the clock, so a clock that jumps has no effect.
 */
import { isRelayError } from '../relay-error.ts'
import type { EventSink, Retention } from '../sink/event-sink.ts'
import { TICK_MS } from './gap-tracker.ts'

export interface SinkProbeOptions {
  readonly sink: EventSink
  /** Whether messages wait to be stored. */
  readonly isPending: () => boolean
  readonly onRetention: (retention: Retention) => void
  /** Called when this relay can no longer write the stream. */
  readonly onError: (error: unknown) => void
}

/** The time for which a confirmation is valid. */
const VALID_MS = 15_000
const PROBE_MS = 5000

export class SinkProbe {
  readonly #options: SinkProbeOptions
  /** Time since the last confirmation; `undefined` before the first one. */
  #ageMs: number | undefined
  #sinceProbeMs = 0
  #isProbing = false

  constructor(options: SinkProbeOptions) {
    this.#options = options
  }

  /** Whether the sink can be written. */
  get isConfirmed(): boolean {
    return this.#ageMs !== undefined && this.#ageMs < VALID_MS
  }

  /** Called when a write was confirmed. */
  confirmed(): void {
    this.#ageMs = 0
    this.#sinceProbeMs = 0
  }

  /** Called every `TICK_MS`. Does nothing before the first confirmed write. */
  tick(): void {
    if (this.#ageMs === undefined) return
    this.#ageMs += TICK_MS
    this.#sinceProbeMs += TICK_MS
    if (this.#sinceProbeMs >= PROBE_MS && !this.#isProbing) void this.#probe()
  }

  async #probe(): Promise<void> {
    const { sink, isPending, onRetention, onError } = this.#options
    this.#isProbing = true
    this.#sinceProbeMs = 0
    try {
      const retention = await sink.probe?.()
      if (retention !== undefined) onRetention(retention)
      if (!isPending()) this.#ageMs = 0
    } catch (error) {
      const isTransient = isRelayError(error, 'RELAY_SINK_UNAVAILABLE') || isRelayError(error, 'RELAY_CLOSED')
      if (!isTransient) onError(error)
    }
    this.#isProbing = false
  }
}
