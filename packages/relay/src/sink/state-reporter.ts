/**
 * Reports the state of a sink to its option `onState`: each change between writing and waiting, and a new reason of a wait.
 * The first `MAX_REASONS` reasons of a wait are reported at once. After them, and if a reason comes back, reports are at least
 * `REPEAT_MS` apart, so that a server that fails in changing ways does not fill a log.
 */
import type { Clock } from '@brokerwire/core'
import { notify } from '@brokerwire/core/internal'
import type { SinkState } from './event-sink.ts'

const REPEAT_MS = 60_000
const MAX_REASONS = 5

export class StateReporter {
  readonly #clock: Clock
  readonly #onState: ((state: SinkState) => void) | undefined
  /** The reasons of this wait, with the time of their last report. */
  readonly #reported = new Map<string, number>()
  #lastReason: string | undefined
  #lastMs = 0

  constructor({
    clock,
    onState,
  }: { readonly clock: Clock; readonly onState?: ((state: SinkState) => void) | undefined }) {
    this.#clock = clock
    this.#onState = onState
  }

  /** Whether the last reported state is `waiting`. */
  get isWaiting(): boolean {
    return this.#lastReason !== undefined
  }

  /** Called after each attempt. */
  report(state: SinkState): void {
    if (state.state === 'writing') {
      if (!this.isWaiting) return
      this.#lastReason = undefined
      this.#reported.clear()
      this.#notify(state)
      return
    }
    const { reason } = state
    const nowMs = this.#clock.now()
    if (this.isWaiting && !this.#isDue(reason, nowMs)) return
    if (this.#reported.size < MAX_REASONS || this.#reported.has(reason)) this.#reported.set(reason, nowMs)
    this.#lastReason = reason
    this.#lastMs = nowMs
    this.#notify(state)
  }

  #isDue(reason: string, nowMs: number): boolean {
    if (reason === this.#lastReason) return false
    const earlierMs = this.#reported.get(reason)
    if (earlierMs === undefined && this.#reported.size < MAX_REASONS) return true
    return nowMs - (earlierMs ?? this.#lastMs) >= REPEAT_MS
  }

  #notify(state: SinkState): void {
    const onState = this.#onState
    if (onState !== undefined) notify(() => onState(state))
  }
}
