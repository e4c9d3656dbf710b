/** Shows the progress of the second factor: a countdown on a terminal, otherwise a line for each change. */
import { systemClock } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import type { GuardedIo } from '../io.ts'
import { readDuration } from '../number-option.ts'
import { countdownText } from '../render/duration.ts'
import type { OpenTokens } from './open.ts'
import { deadlineOf, readStatus, statusText } from './stored.ts'

/** Flags of commands that wait. */
export interface WaitFlags {
  readonly pollInterval?: string
  readonly timeout?: string
}

/** Options of the token client for these flags. */
export function waitOptions({ pollInterval = '5s', timeout = '5m' }: WaitFlags) {
  return { pollIntervalMs: readDuration(pollInterval), pollTimeoutMs: readDuration(timeout) }
}

/**
 * Runs an operation that waits for the second factor, and shows the remaining time.
 *
 * @param wait - `get` waits for a requested token; `renew` requests one and waits.
 * @throws TokensError `TOKEN_VERIFICATION_EXPIRED`, `TOKEN_POLL_TIMEOUT`, `TOKEN_SECOND_FACTOR_REQUIRED`,
 * `TOKEN_CALL_FAILED`
 */
export async function followToken(tokens: OpenTokens, io: GuardedIo, wait: 'get' | 'renew'): Promise<void> {
  const done = new AbortController()
  const shown = show(tokens, io, done.signal)
  try {
    await tokens.brokerage.accessTokens[wait]({ signal: io.signal })
  } finally {
    done.abort()
    await shown
    io.progress?.(undefined)
  }
}

const SECOND_MS = 1000

async function show(tokens: OpenTokens, io: GuardedIo, ended: AbortSignal): Promise<void> {
  let last = ''
  while (!ended.aborted) {
    // The operation itself reports an unreadable store.
    const status = await readStatus(tokens).catch(() => undefined)
    const deadlineMs = status && deadlineOf(status)
    if (ended.aborted) return
    if (status !== undefined && deadlineMs !== undefined) {
      if (io.progress === undefined) {
        if (last !== status.state) io.err(`token: ${statusText(status)}`)
        last = status.state
      } else {
        const left = countdownText(deadlineMs - status.nowMs)
        io.progress(`Enter the code in the broker's app: ${left} left (Ctrl-C stops waiting)`)
      }
    }
    await sleep(systemClock, SECOND_MS, ended).catch(() => {})
  }
}
