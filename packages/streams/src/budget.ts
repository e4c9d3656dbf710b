/**
 * The number of subscriptions that an app key has at the same time, and the time at which one of them last ended.
 *
 * The service grants about five connections for each app key (docs/facts.md, Streams), and a connection
 * beyond that costs a minute of waiting. So by default all streams of a process with the same app key share
 * one budget.
 */
import { integer, readOptions } from '@brokerwire/core/internal'
import { optionInvalid, StreamsError } from './streams-error.ts'

/** The subscriptions of one app key, and their limit. */
export interface SubscriptionBudget {
  /** Maximum number of subscriptions at the same time. */
  readonly max: number
  /** Number of current subscriptions. */
  readonly inUse: number
  /** Time at which a subscription or its connection last ended, in milliseconds since the Unix epoch. */
  readonly lastReleaseMs: number | undefined
  /** Called when a connection ended but its subscription continues, because the service may still count the connection. */
  onConnectionEnded?(nowMs: number): void
  /**
   * Acquires a subscription.
   *
   * @returns A function that releases the subscription. Its argument is the current time in milliseconds
   * since the Unix epoch. Further calls of it do nothing.
   * @throws StreamsError `STREAM_BUDGET_EXCEEDED`.
   */
  acquire(): (nowMs: number) => void
}

/**
 * Creates a budget for the subscriptions of one app key.
 *
 * @param options - `max`: the most subscriptions at the same time. @defaultValue 5
 * @throws StreamsError `STREAM_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createSubscriptionBudget } from '@brokerwire/streams'
 *
 * const budget = createSubscriptionBudget({ max: 5 })
 * console.log(budget.max, budget.inUse)
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
    onConnectionEnded(nowMs) {
      lastReleaseMs = nowMs
    },
    acquire() {
      if (inUse >= max) {
        const text = `${max} streams of this app key are open in this process, the limit of its budget: close one, or set the option "budget"`
        throw new StreamsError('STREAM_BUDGET_EXCEEDED', text, { details: { max }, retryable: true })
      }
      inUse += 1
      let isReleased = false
      return (nowMs) => {
        if (isReleased) return
        isReleased = true
        inUse -= 1
        lastReleaseMs = nowMs
      }
    },
  }
}

/** Budgets by app key. They are never removed, because the service may still count a subscription after its stream ended. */
const budgets = new Map<string, SubscriptionBudget>()

/** Returns the budget that all streams of this app key in this process share, unless the option `budget` is set. */
export function processBudget(appKey: string): SubscriptionBudget {
  const budget = budgets.get(appKey) ?? createSubscriptionBudget()
  budgets.set(appKey, budget)
  return budget
}
