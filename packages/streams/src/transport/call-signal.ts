/** The signal of one call: the caller's, the deadline's, and the call's own end, as Connect's contract has it. */
import { onAbort } from '@brokerwire/core'
import { Code, ConnectError } from '@connectrpc/connect'

/** Longer ones fire at once in Node. No call lasts 24 days against a deadline that the server knows too. */
const MAX_TIMER_MS = 0x7f_ff_ff_ff

/** Handle of the signal. */
export interface CallSignal {
  readonly signal: AbortSignal
  /** Why the caller, or the deadline, gave the call up. A call that came to its end by itself has none. */
  readonly givenUp: ConnectError | undefined
  /** Why the call failed, whoever is at fault. */
  readonly failure: ConnectError | undefined
  /** The call is over: nothing of it may hold a timer or a listener. */
  release(reason?: ConnectError): void
}

/** @param timeoutMs - The deadline, from now; `undefined` for none. */
export function callSignal(parent: AbortSignal | undefined, timeoutMs: number | undefined): CallSignal {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let givenUp: ConnectError | undefined
  let failure: ConnectError | undefined
  let stopListening = (): void => {}
  const release = (reason?: ConnectError): void => {
    if (!controller.signal.aborted) failure = reason
    clearTimeout(timer)
    stopListening()
    controller.abort(reason ?? new ConnectError('the call is over', Code.Canceled))
  }
  const giveUp = (reason: ConnectError): void => {
    givenUp = reason
    release(reason)
  }
  if (parent !== undefined) stopListening = onAbort(parent, () => giveUp(canceled(parent.reason)))
  if (timeoutMs !== undefined && !controller.signal.aborted) {
    timer = setTimeout(
      () => giveUp(new ConnectError('the deadline passed', Code.DeadlineExceeded)),
      Math.min(timeoutMs, MAX_TIMER_MS),
    )
  }
  return {
    signal: controller.signal,
    get givenUp() {
      return givenUp
    },
    get failure() {
      return failure
    },
    release,
  }
}

/** Why a call was given up, as an error: `canceled`, unless the reason says otherwise. */
export function canceled(reason: unknown): ConnectError {
  return ConnectError.from(reason, Code.Canceled)
}
