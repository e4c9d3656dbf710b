/** Options of a backfill. */
import type { Clock, PathFamily } from '@brokerwire/core'
import {
  clock,
  type FieldsOf,
  type InferFields,
  integer,
  oneOf,
  optional,
  port,
  readOptions,
} from '@brokerwire/core/internal'
import { optionFailure } from '../orders-error.ts'
import type { JournalClient } from '../types.ts'

/** Options of {@link createOrderBackfill}. They are read once. */
export interface OrderBackfillOptions {
  /**
   * Sends the queries. It must wait for the rate limits of operations, as the client of `createBrokerage` does. Then the queries
   * and your own requests share the limits.
   */
  readonly http: Pick<JournalClient, 'request'>
  /**
   * Time between two comparisons while the stream is live, in milliseconds. Without it, orders are compared after each gap
   * only, and a stream that is live and delivers nothing is not noticed.
   * @defaultValue no comparisons at an interval
   */
  readonly intervalMs?: number | undefined
  /**
   * The longest time, in milliseconds, that you assume until queries show a change. After a gap, orders are compared
   * immediately, and again after this time. @defaultValue 30000
   */
  readonly settleMs?: number | undefined
  /**
   * The longest time, in milliseconds, by which an event may arrive after a query shows its change. A state is delivered after
   * this time, unless its event arrives before. @defaultValue 5000
   */
  readonly graceMs?: number | undefined
  /**
   * How far before the first gap the history is read, in milliseconds. An order that was placed earlier, and that
   * ended in that gap, is not found. @defaultValue 86400000 (a day)
   */
  readonly lookbackMs?: number | undefined
  /** Maximum number of groups of orders that are read from a list. @defaultValue 1000 */
  readonly maxGroups?: number | undefined
  /**
   * Maximum number of orders of which the last delivered state is stored. If there are more, the ended ones that
   * were delivered first are removed, and delivered again if a query returns them. @defaultValue 10000
   */
  readonly maxOrders?: number | undefined
  /** Path family of the requests. @defaultValue `'current'` */
  readonly pathFamily?: PathFamily | undefined
  /** Time limit of each attempt of a query, in milliseconds. @defaultValue 5000 */
  readonly timeoutMs?: number | undefined
  /** Source of time and timers. @defaultValue systemClock */
  readonly clock?: Clock | undefined
}

const DAY_MS = 86_400_000

/** Schemas of {@link OrderBackfillOptions}. */
export const ORDER_BACKFILL_OPTIONS = {
  http: port<Pick<JournalClient, 'request'>>(['request']),
  intervalMs: optional(integer({ min: 1000, max: DAY_MS })),
  settleMs: integer({ min: 0, max: DAY_MS, default: 30_000 }),
  graceMs: integer({ min: 0, max: DAY_MS, default: 5000 }),
  lookbackMs: integer({ min: 0, max: 180 * DAY_MS, default: DAY_MS }),
  maxGroups: integer({ min: 1, max: 1_000_000, default: 1000 }),
  maxOrders: integer({ min: 1, max: 1_000_000, default: 10_000 }),
  pathFamily: oneOf(['current', 'openapi'], 'current'),
  timeoutMs: integer({ min: 1, max: 600_000, default: 5000 }),
  clock,
} satisfies FieldsOf<OrderBackfillOptions>

/** The options after validation. */
export type BackfillSettings = InferFields<typeof ORDER_BACKFILL_OPTIONS>

export const readBackfillOptions = (given: OrderBackfillOptions): BackfillSettings =>
  readOptions(optionFailure, given, ORDER_BACKFILL_OPTIONS)
