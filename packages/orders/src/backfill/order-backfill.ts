/**
 * The backfill of order events: after a gap, and at an interval, it reads the states of orders and delivers
 * those that the stream did not.
 *
 * The order of the steps matters. The stream's events are recorded at any time, also while a query runs. So a
 * polled state is compared with them again immediately before it is delivered.
 */
import type {
  BackfillGap,
  BackfillProblem,
  BackfillResult,
  BackfillRun,
  StreamBackfill,
} from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import type { DecodeResult, TradeEvent } from '@brokerwire/payloads'
import { type CompareOptions, compareOrders, type OrderChange, relate } from './compare-orders.ts'
import { KnownOrders } from './known-orders.ts'
import { type BackfillSettings, type OrderBackfillOptions, readBackfillOptions } from './options.ts'
import { knownFromEvent, knownFromState, type OrderStateItem, orderKey } from './order-state.ts'
import { type Poll, pollOrders } from './poll.ts'

/** The part of a stream's event that the backfill reads. */
export type BackfillEvent =
  | {
      readonly kind: 'order'
      /** Time of receipt by this host's clock, in milliseconds since the Unix epoch. */
      readonly receivedAtMs: number
      /** Decodes the payload. */
      decode(): DecodeResult<TradeEvent>
    }
  | { readonly kind: 'position' | 'option' | 'unknown' }

/** A backfill of order events. */
export type OrderBackfill = StreamBackfill<BackfillEvent, OrderStateItem>

/** The service's clock and this host's clock may differ by this much more than it is known. */
const CLOCK_MARGIN_MS = 60_000

/** How long final orders stay known. The history of the earlier path family begins up to two days earlier. */
const KEEP_MS = 2 * 86_400_000 + 2 * CLOCK_MARGIN_MS

/** Maximum number of polls after a gap, if queries fail. */
const MAX_POLLS = 4

/**
 * Creates the backfill of one stream of order events. Pass it to `tradeEvents` or `accountEvents` of
 * `@brokerwire/streams` as `backfill`. Create one for each stream.
 *
 * @throws OrdersError `JOURNAL_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import type { HttpClient } from '@brokerwire/http'
 * import { createOrderBackfill } from '@brokerwire/orders'
 *
 * declare const http: HttpClient
 *
 * const backfill = createOrderBackfill({ http, intervalMs: 300_000 })
 * console.log(backfill.intervalMs)
 * ```
 */
export function createOrderBackfill(options: OrderBackfillOptions): OrderBackfill {
  return new StateBackfill(readBackfillOptions(options))
}

class StateBackfill implements OrderBackfill {
  readonly intervalMs: number | undefined
  readonly #settings: BackfillSettings
  readonly #known: KnownOrders
  /** Everything that the service changed before this instant of its clock is covered. */
  #coveredUntilMs: number | undefined
  /** Whether no run was complete yet, so that open orders may be unknown. */
  #isFirst = true
  /** The bounds of all gaps that are not covered, by the service's clock. */
  #gap: Pick<BackfillGap, 'fromMs' | 'toMs'> | undefined
  /** The service's clock minus this host's clock. `undefined` if it is not known. */
  #offsetMs: number | undefined

  constructor(settings: BackfillSettings) {
    this.#settings = settings
    this.#known = new KnownOrders(settings.maxOrders)
    this.intervalMs = settings.intervalMs
  }

  onEvent(event: BackfillEvent): void {
    if (event.kind !== 'order') return
    const result = event.decode()
    const known = result.ok ? knownFromEvent(result.value, event.receivedAtMs) : undefined
    if (known !== undefined) this.#known.set(known)
  }

  async run(run: BackfillRun<OrderStateItem>): Promise<BackfillResult> {
    const { cause, gap, signal } = run
    if (cause === 'timer' && this.intervalMs === undefined) return { missing: 0, problems: [] }
    const { clock, settleMs } = this.#settings
    if (gap !== undefined) this.#addGap(gap)
    const settledAtMs = clock.now() + (gap === undefined ? 0 : settleMs)
    let missing = 0
    let problems: readonly BackfillProblem[] = []
    try {
      for (let polls = 1; ; polls += 1) {
        const startMs = clock.now()
        const isSettled = startMs >= settledAtMs
        const result = await this.#poll(run)
        missing += result.missing
        problems = result.problems
        if (isSettled && !result.mayFindMore) {
          this.#complete(startMs)
          break
        }
        if (cause === 'timer' || polls === MAX_POLLS) break
        await sleep(clock, isSettled ? settleMs : Math.max(0, settledAtMs - clock.now()), signal)
      }
    } catch (error) {
      // The next subscription starts a run that covers this gap too.
      if (!signal.aborted) throw error
    }
    return { missing, problems }
  }

  /** Adds a gap to those that are not covered. */
  #addGap({ fromMs, toMs, clockOffsetMs }: BackfillGap): void {
    this.#offsetMs = clockOffsetMs ?? this.#offsetMs
    this.#gap = {
      fromMs: Math.min(this.#gap?.fromMs ?? fromMs, fromMs),
      toMs: Math.max(this.#gap?.toMs ?? toMs, toMs),
    }
    // It is not the start of the gap, because an order that was accepted before the gap has caused no event.
    this.#coveredUntilMs ??= fromMs
  }

  /** Called after a complete run whose last poll began at `startMs` of this host's clock. */
  #complete(startMs: number): void {
    const coveredMs = startMs - this.#settings.settleMs
    this.#coveredUntilMs = coveredMs + (this.#offsetMs ?? 0)
    this.#isFirst = false
    this.#gap = undefined
    this.#known.prune(coveredMs - KEEP_MS)
  }

  async #poll({
    accounts,
    signal,
    ready,
    deliver,
  }: BackfillRun<OrderStateItem>): Promise<BackfillResult & { readonly mayFindMore: boolean }> {
    const { clock, settleMs, graceMs, lookbackMs } = this.#settings
    const known = this.#known.orders
    const offsetMs = this.#offsetMs ?? 0
    const sinceMs = (this.#coveredUntilMs ?? clock.now() + offsetMs) - CLOCK_MARGIN_MS
    const fromMs = this.#isFirst ? sinceMs - lookbackMs : sinceMs
    const context = { ...this.#settings, signal, ready }
    const polls: Poll[] = []
    for (const accountId of accounts)
      polls.push(await pollOrders(context, { accountId, fromMs, offsetMs, known }))
    // Events of these changes may still arrive.
    await sleep(clock, graceMs, signal)
    const options: CompareOptions = { settleMs, changedSinceMs: sinceMs }
    const states = polls.flatMap((poll) => poll.states)
    const { changes, unsettled } = compareOrders(known, states, options)
    let missing = 0
    for (const change of changes) {
      await ready()
      const { state } = change
      if (relate(known.get(orderKey(state)), state, options) !== 'changed') continue
      if (this.#isMissed(change)) missing += 1
      this.#known.set(knownFromState(state, clock.now()))
      deliver(state)
    }
    const problems = polls.flatMap((poll) => poll.problems)
    for (const accountId of new Set(unsettled.map((state) => state.accountId)))
      problems.push({ code: 'QUERIES_MAY_LAG', accountId, operation: undefined })
    for (const order of polls.flatMap(({ notFound }) => notFound)) {
      this.#known.delete(order)
      problems.push({ code: 'ORDER_NOT_FOUND', accountId: order.accountId, operation: 'orders.get' })
    }
    return {
      missing,
      problems,
      mayFindMore: unsettled.length > 0 || polls.some(({ hasFailed }) => hasFailed),
    }
  }

  /** Whether the stream was live when the service sent the event of a change, so that it should have delivered it. */
  #isMissed({ hasEvent, state: { status, filledAtMs } }: OrderChange): boolean {
    if (!hasEvent || this.#gap === undefined) return hasEvent
    // Only the time of a fill is known.
    if (filledAtMs === undefined || status === 'CANCELLED' || status === 'FAILED') return false
    const { fromMs, toMs } = this.#gap
    const marginMs = this.#settings.graceMs + (this.#offsetMs === undefined ? CLOCK_MARGIN_MS : 0)
    return filledAtMs > toMs + marginMs || (!this.#isFirst && filledAtMs < fromMs - marginMs)
  }
}
