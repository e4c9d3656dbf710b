/** Follows the second factor: a countdown on a terminal, elsewhere a line for each change. */
import { systemClock } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import type { GuardedIo } from '../io.ts'
import { readDuration } from '../number-option.ts'
import { countdownText } from '../render/duration.ts'
import type { OpenTokens } from './open.ts'
import { deadlineOf, readStatus, statusText } from './stored.ts'

/** Flags of waiting. */
export interface WaitFlags {
  readonly pollInterval?: string
  readonly timeout?: string
}

/** Options of the token lifecycle for these flags. */
export function waitOptions({ pollInterval = '5s', timeout = '5m' }: WaitFlags) {
  return { pollIntervalMs: readDuration(pollInterval), pollTimeoutMs: readDuration(timeout) }
}

/**
 * Does what waits for the second factor, and shows meanwhile how long is left.
 *
 * @param wait - Waits: `get` for a token that was asked for, `renew` to ask and wait in one.
 * @throws TokensError `TOKEN_VERIFICATION_EXPIRED`, `TOKEN_POLL_TIMEOUT`, `TOKEN_SECOND_FACTOR_REQUIRED`, `TOKEN_CALL_FAILED`
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
    // What keeps the store from being read is told by who waits for the token.
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
