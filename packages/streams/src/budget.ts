/**
 * How many subscriptions an app key holds at once, and when one of them last ended.
 *
 * The service grants about five connections per key (facts, Streams); one too many costs a minute of waiting. So all
 * streams of a process count together by default, whoever made them: the key is what the service counts by.
 */
import { integer, readOptions } from '@brokerwire/core/internal'
import { optionInvalid, StreamsError } from './streams-error.ts'

/** The subscriptions of one app key. */
export interface SubscriptionBudget {
  readonly max: number
  readonly inUse: number
  /** When a subscription or a connection of one last ended, milliseconds since the Unix epoch. */
  readonly lastReleaseMs: number | undefined
  /** Takes note of a connection that ended, although its subscription goes on: the service may still count it. */
  dropped?(nowMs: number): void
  /**
   * Takes a slot.
   *
   * @returns Gives it back. Harmless when called again.
   * @throws StreamsError `STREAM_BUDGET_EXCEEDED`.
   */
  take(): (nowMs: number) => void
}

/**
 * @param options - `max`: how many at once. Default 5.
 * @throws StreamsError `STREAM_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createSubscriptionBudget } from '@brokerwire/streams'
 *
 * const budget = createSubscriptionBudget({ max: 5 })
 * console.log(budget)
 * ```
 */
export function createSubscriptionBudget(
  options: { readonly max?: number | undefined } = {},
): SubscriptionBudget {
  const { max } = readOptions(optionInvalid, options, { max: integer({ min: 1, max: 10_000, default: 5 }) })
  let inUse = 0
  let lastReleaseMs: number | undefined
  return {
    max,
    get inUse() {
      return inUse
    },
    get lastReleaseMs() {
      return lastReleaseMs
    },
    dropped(nowMs) {
      lastReleaseMs = nowMs
    },
    take() {
      if (inUse >= max) {
        const text = `at most ${max} subscriptions at once for one app key`
        throw new StreamsError('STREAM_BUDGET_EXCEEDED', text, { details: { max }, retryable: true })
      }
      inUse += 1
      let held = true
      return (nowMs) => {
        if (!held) return
        held = false
        inUse -= 1
        lastReleaseMs = nowMs
      }
    },
  }
}

/** By app key. A record is a few numbers and stays, because a slot may linger after the last stream of its key. */
const ofProcess = new Map<string, SubscriptionBudget>()

/** The budget that all streams of this app key share in this process, unless they are given another one. */
export function processBudget(appKey: string): SubscriptionBudget {
  const budget = ofProcess.get(appKey) ?? createSubscriptionBudget()
  ofProcess.set(appKey, budget)
  return budget
}
