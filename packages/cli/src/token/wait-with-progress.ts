/** Shows the progress of the second factor: a countdown on a terminal, otherwise a line for each change. */
import { systemClock } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import type { GuardedIo } from '../io.ts'
import { parseDuration } from '../number-option.ts'
import { countdownText } from '../render/duration.ts'
import type { OpenTokens } from './open.ts'
import { describeStatus, getDeadline, readStatus } from './stored.ts'

/** Flags of commands that wait. */
export interface WaitFlags {
  readonly pollInterval?: string
  readonly timeout?: string
}

/** Returns the options of the token client for these flags. */
export function waitOptions({ pollInterval = '5s', timeout = '5m' }: WaitFlags) {
  return { pollIntervalMs: parseDuration(pollInterval), pollTimeoutMs: parseDuration(timeout) }
}

/**
 * Runs an operation that waits for the second factor, and shows the remaining time.
 *
 * @param wait - `get` waits for a requested token. `renew` requests a token and waits.
 * @throws TokensError `TOKEN_VERIFICATION_EXPIRED`, `TOKEN_POLL_TIMEOUT`, `TOKEN_SECOND_FACTOR_REQUIRED`,
 * `TOKEN_CALL_FAILED`
 */
export async function waitWithProgress(
  tokens: OpenTokens,
  io: GuardedIo,
  wait: 'get' | 'renew',
): Promise<void> {
  const done = new AbortController()
  const shown = showProgress(tokens, io, done.signal)
  try {
    await tokens.brokerage.accessTokens[wait]({ signal: io.signal })
  } finally {
    done.abort()
    await shown
    io.progress?.(undefined)
  }
}

const SECOND_MS = 1000

async function showProgress(tokens: OpenTokens, io: GuardedIo, ended: AbortSignal): Promise<void> {
  let last = ''
  while (!ended.aborted) {
    // An error is ignored here, because the operation itself reports an unreadable store.
    const status = await readStatus(tokens).catch(() => undefined)
    const deadlineMs = status && getDeadline(status)
    if (ended.aborted) return
    if (status !== undefined && deadlineMs !== undefined) {
      if (io.progress === undefined) {
        if (last !== status.state) io.err(`token: ${describeStatus(status)}`)
        last = status.state
      } else {
        const left = countdownText(deadlineMs - status.nowMs)
        io.progress(`Enter the code in the broker's app: ${left} left (Ctrl-C stops waiting)`)
      }
    }
    await sleep(systemClock, SECOND_MS, ended).catch(() => {})
  }
}
