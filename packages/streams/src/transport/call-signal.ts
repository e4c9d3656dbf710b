/** The abort signal of one call. It aborts with the caller's signal, at the deadline, and at the end of the call, as Connect requires. */
import { systemClock } from '@brokerwire/core'
import { addAbortListener } from '@brokerwire/core/internal'
import { Code, ConnectError } from '@connectrpc/connect'

/** The signal of one call, and the reason of its end. */
export class CallSignal {
  /** The error of the call: cancelled by the caller, the deadline, or a failure. */
  failure: ConnectError | undefined
  readonly #controller = new AbortController()
  readonly signal: AbortSignal = this.#controller.signal
  /** Functions that stop the timer and remove the listener from the caller's signal. */
  readonly #stops: (() => void)[] = []

  /** @param timeoutMs - Milliseconds from now to the deadline; `undefined` for no deadline. */
  constructor(parent: AbortSignal | undefined, timeoutMs: number | undefined) {
    if (parent !== undefined) {
      const canceled = (reason: unknown): void => this.end(ConnectError.from(reason, Code.Canceled))
      this.#stops.push(addAbortListener(parent, canceled))
    }
    if (timeoutMs === undefined || this.signal.aborted) return
    const onDeadline = (): void => this.end(new ConnectError('the deadline passed', Code.DeadlineExceeded))
    this.#stops.push(systemClock.setTimer(onDeadline, timeoutMs))
  }

  /** Ends the call: stops the timer, removes listeners and aborts the signal. */
  end(reason?: ConnectError): void {
    if (!this.signal.aborted) this.failure = reason
    for (const stop of this.#stops) stop()
    this.#controller.abort(reason ?? new ConnectError('the call is over', Code.Canceled))
  }
}
