/**
 * What is sent again, and when: pure, so that the README's table and this are held against each other by a test.
 */
import { type HttpError, saidBy } from './http-error.ts'
import type { RepeatRule } from './request.ts'

/** Whether `rule` allows to send again after `error`. */
export function mayRepeat(rule: RepeatRule, error: HttpError): boolean {
  if (rule !== 'unsent') return rule === 'always' && error.retryable
  const isAsked = error.code === 'HTTP_RATE_LIMITED' && saidBy(error).retryAfterMs !== undefined
  return isAsked || error.code === 'HTTP_NOT_SENT'
}

/** How repeats are spaced. */
export interface RepeatSpacing {
  /** The longest wait before a repeat; where the service asks for more, there is none. */
  readonly maxRepeatDelayMs: number
  /** From 0 up to but not including 1. */
  readonly random: () => number
}

const FIRST_DELAY_MS = 250

/**
 * How long to wait before attempt `attempt + 1`.
 *
 * @param attempt - The attempt that failed; the first is 1.
 * @returns `undefined` where the service asks for a longer wait than allowed.
 */
export function repeatDelay(error: HttpError, attempt: number, spacing: RepeatSpacing): number | undefined {
  const asked = saidBy(error).retryAfterMs
  if (asked !== undefined) return asked > spacing.maxRepeatDelayMs ? undefined : asked
  const longest = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), spacing.maxRepeatDelayMs)
  return Math.floor(longest / 2 + (spacing.random() * longest) / 2)
}
