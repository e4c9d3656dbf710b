/**
 * The keep-alive option: a token that nobody asked for in a while is checked. The one thing here that runs by itself,
 * and only where it was asked for.
 */
import type { Clock } from '@brokerwire/core'

/** Checks now and then what nobody uses. */
export interface KeepAlive {
  /** The token was used now. */
  used(): void
  stop(): void
}

/**
 * @param idleMs - After so long without use; `undefined`: never.
 * @param check - Asks for the token. Its failure shows at the next use.
 */
export function createKeepAlive(
  clock: Clock,
  idleMs: number | undefined,
  check: () => Promise<unknown>,
): KeepAlive {
  let lastUseMs = 0
  let stopped = idleMs === undefined
  let cancel: (() => void) | undefined

  const arm = (): void => {
    if (stopped || idleMs === undefined || cancel !== undefined) return
    cancel = clock.setTimer(
      () => {
        cancel = undefined
        if (clock.now() - lastUseMs < idleMs) return arm()
        lastUseMs = clock.now()
        check().then(arm, arm)
      },
      Math.max(1, lastUseMs + idleMs - clock.now()),
    )
  }

  return {
    used() {
      lastUseMs = clock.now()
      arm()
    },
    stop() {
      stopped = true
      cancel?.()
    },
  }
}
