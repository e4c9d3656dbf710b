/** The signal of one call: the caller's, the deadline's, and the call's own end, as Connect's contract has it. */
import { onAbort } from '@brokerwire/core'
import { Code, ConnectError } from '@connectrpc/connect'

/** Longer ones fire at once in Node. No call lasts 24 days against a deadline that the server knows too. */
const MAX_TIMER_MS = 0x7f_ff_ff_ff

export class CallSignal {
  /** Why the caller, or the deadline, gave the call up. A call that came to its end by itself has none. */
  givenUp: ConnectError | undefined
  /** Why the call failed, whoever is at fault. */
  failure: ConnectError | undefined
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout | undefined
  readonly #stopListening: () => void = () => {}

  /** @param timeoutMs - The deadline, from now; `undefined` for none. */
  constructor(parent: AbortSignal | undefined, timeoutMs: number | undefined) {
    if (parent !== undefined) {
      this.#stopListening = onAbort(parent, () => this.#giveUp(canceled(parent.reason)))
    }
    if (timeoutMs === undefined || this.signal.aborted) return
    const late = (): void => this.#giveUp(new ConnectError('the deadline passed', Code.DeadlineExceeded))
    this.#timer = setTimeout(late, Math.min(timeoutMs, MAX_TIMER_MS))
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The call is over: nothing of it may hold a timer or a listener. */
  release(reason?: ConnectError): void {
    if (!this.signal.aborted) this.failure = reason
    clearTimeout(this.#timer)
    this.#stopListening()
    this.#controller.abort(reason ?? new ConnectError('the call is over', Code.Canceled))
  }

  #giveUp(reason: ConnectError): void {
    this.givenUp = reason
    this.release(reason)
  }
}

/** Why a call was given up, as an error: `canceled`, unless the reason says otherwise. */
export function canceled(reason: unknown): ConnectError {
  return ConnectError.from(reason, Code.Canceled)
}
