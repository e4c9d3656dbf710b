/** The signal of one call: the caller's, the deadline's, and the call's own end, as Connect's contract has it. */
import { systemClock } from '@brokerwire/core'
import { onAbort } from '@brokerwire/core/internal'
import { Code, ConnectError } from '@connectrpc/connect'

export class CallSignal {
  /** Why the call failed, whoever is at fault: the caller or the deadline gave it up, or it came to a bad end by itself. */
  failure: ConnectError | undefined
  readonly #controller = new AbortController()
  readonly signal: AbortSignal = this.#controller.signal
  /** Ends the timer, and lets go of the caller's signal. */
  readonly #stops: (() => void)[] = []

  /** @param timeoutMs - The deadline, from now; `undefined` for none. */
  constructor(parent: AbortSignal | undefined, timeoutMs: number | undefined) {
    if (parent !== undefined) {
      const canceled = (reason: unknown): void => this.release(ConnectError.from(reason, Code.Canceled))
      this.#stops.push(onAbort(parent, canceled))
    }
    if (timeoutMs === undefined || this.signal.aborted) return
    const late = (): void => this.release(new ConnectError('the deadline passed', Code.DeadlineExceeded))
    this.#stops.push(systemClock.setTimer(late, timeoutMs))
  }

  /** The call is over: nothing of it may hold a timer or a listener. */
  release(reason?: ConnectError): void {
    if (!this.signal.aborted) this.failure = reason
    for (const stop of this.#stops) stop()
    this.#controller.abort(reason ?? new ConnectError('the call is over', Code.Canceled))
  }
}
