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
import {
  type CompareOptions,
  compareOrders,
  type OrderChange,
  relate,
  sortChanges,
} from './compare-orders.ts'
import { KnownOrders } from './known-orders.ts'
import { type BackfillSettings, type OrderBackfillOptions, readBackfillOptions } from './options.ts'
import {
  type KnownOrder,
  knownFromEvent,
  knownFromState,
  type OrderStateItem,
  orderKey,
} from './order-state.ts'
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

/** How long ended orders stay known. The history of the earlier path family begins up to two days earlier. */
const KEEP_MS = 3 * 86_400_000

/** A shorter wait for capacity is not a pause of the stream. */
const NO_WAIT_MS = 100

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

/** The part of an account's changes that was compared. */
interface Coverage {
  /** Everything that the service changed before this instant of its clock is covered. */
  coveredUntilMs: number | undefined
  /** Whether no comparison was complete yet, so that open orders may be unknown. */
  isFirst: boolean
  /** The bounds of all gaps that are not covered, by the service's clock. */
  gap: BackfillGap | undefined
}

/** The result of one comparison of an account. */
interface AccountResult {
  readonly problems: readonly BackfillProblem[]
  readonly mayFindMore: boolean
  readonly notFound: readonly KnownOrder[]
}

class StateBackfill implements OrderBackfill {
  readonly intervalMs: number | undefined
  readonly #settings: BackfillSettings
  readonly #known: KnownOrders
  readonly #coverage = new Map<string, Coverage>()

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
    if (gap !== undefined) for (const accountId of run.accounts) this.#addGap(accountId, gap)
    const settledAtMs = clock.now() + settleMs
    const results = new Map<string, AccountResult>()
    let accounts = run.accounts
    let missing = 0
    try {
      for (let polls = 1; ; polls += 1) {
        const startMs = clock.now()
        // This is not decided by the clock, because it may be set while the run waits.
        const isSettled = gap === undefined || settleMs === 0 || polls > 1
        missing += await this.#poll(run, accounts, results)
        if (isSettled) {
          const isIncomplete = (accountId: string) => results.get(accountId)?.mayFindMore !== false
          for (const accountId of accounts)
            if (!isIncomplete(accountId)) this.#complete(accountId, startMs, run)
          accounts = accounts.filter(isIncomplete)
          if (accounts.length === 0) break
        }
        if (cause === 'timer' || polls === MAX_POLLS) break
        const waitMs = isSettled ? settleMs : settledAtMs - clock.now()
        await sleep(clock, Math.min(settleMs, Math.max(0, waitMs)), signal)
      }
      for (const { notFound } of results.values()) for (const order of notFound) this.#known.delete(order)
    } catch (error) {
      // The next subscription starts a run that covers this gap too.
      if (!signal.aborted) throw error
    }
    return { missing, problems: [...results.values()].flatMap(({ problems }) => problems) }
  }

  #coverageOf(accountId: string): Coverage {
    const coverage = this.#coverage.get(accountId) ?? {
      coveredUntilMs: undefined,
      isFirst: true,
      gap: undefined,
    }
    this.#coverage.set(accountId, coverage)
    return coverage
  }

  /** Adds a gap to those that are not covered. */
  #addGap(accountId: string, { fromMs, toMs }: BackfillGap): void {
    const coverage = this.#coverageOf(accountId)
    const { gap } = coverage
    coverage.gap = {
      fromMs: Math.min(gap?.fromMs ?? fromMs, fromMs),
      toMs: Math.max(gap?.toMs ?? toMs, toMs),
    }
    // It is not the start of the gap, because an order that was accepted before the gap has caused no event.
    coverage.coveredUntilMs ??= fromMs
  }

  /** Called after a complete comparison that began at `startMs` of this host's clock. */
  #complete(
    accountId: string,
    startMs: number,
    { clockOffsetMs = 0, receivedUntilMs = Number.POSITIVE_INFINITY }: BackfillRun<OrderStateItem>,
  ): void {
    const coverage = this.#coverageOf(accountId)
    const coveredMs = startMs - this.#settings.settleMs
    // This host's clock may be wrong. The last timestamp of the stream is never in the service's future.
    coverage.coveredUntilMs = Math.min(coveredMs + clockOffsetMs, receivedUntilMs)
    coverage.isFirst = false
    coverage.gap = undefined
    this.#known.prune(accountId, coveredMs - KEEP_MS)
  }

  /** Compares accounts, and sets their results. @returns the number of missed changes. */
  async #poll(
    { signal, ready, deliver, clockOffsetMs }: BackfillRun<OrderStateItem>,
    accounts: readonly string[],
    results: Map<string, AccountResult>,
  ): Promise<number> {
    const { clock, settleMs, graceMs, lookbackMs } = this.#settings
    const known = this.#known.orders
    const offsetMs = clockOffsetMs ?? 0
    const context = { ...this.#settings, signal, ready }
    const polls = new Map<string, Poll & { readonly options: CompareOptions }>()
    for (const accountId of accounts) {
      const { coveredUntilMs = clock.now() + offsetMs, isFirst } = this.#coverageOf(accountId)
      const changedSinceMs = coveredUntilMs - CLOCK_MARGIN_MS
      const fromMs = isFirst ? changedSinceMs - lookbackMs : changedSinceMs
      const poll = await pollOrders(context, { accountId, fromMs, offsetMs, known })
      polls.set(accountId, { ...poll, options: { settleMs, changedSinceMs } })
    }
    // Events of these changes may still arrive.
    await sleep(clock, graceMs, signal)
    const found: OrderChange[] = []
    for (const [accountId, { states, problems, hasFailed, notFound, closed, options }] of polls) {
      const { changes, unsettled } = compareOrders(known, states, options)
      found.push(...changes)
      for (const order of closed) this.#known.close(order)
      results.set(accountId, {
        problems: [
          ...problems,
          ...(unsettled.length > 0 ? [{ code: 'QUERIES_MAY_LAG', accountId, operation: undefined }] : []),
          ...(notFound.length > 0 ? [{ code: 'ORDER_NOT_FOUND', accountId, operation: 'orders.get' }] : []),
        ],
        mayFindMore: unsettled.length > 0 || hasFailed,
        notFound,
      })
    }
    let missing = 0
    for (const change of sortChanges(found)) {
      await this.#waitUntilReady(ready, signal)
      const { state } = change
      const options = polls.get(state.accountId)?.options
      const before = known.get(orderKey(state))
      if (options === undefined || relate(before, state, options) !== 'changed') continue
      if (this.#isMissed(change, clockOffsetMs)) missing += 1
      this.#known.set(knownFromState(state, clock.now()))
      deliver(state)
    }
    return missing
  }

  /** Waits for capacity. If that takes time, events that arrive then may report the same changes. */
  async #waitUntilReady(
    ready: () => Promise<void>,
    signal: BackfillRun<OrderStateItem>['signal'],
  ): Promise<void> {
    const { clock, graceMs } = this.#settings
    const startMs = clock.now()
    await ready()
    if (clock.now() - startMs < NO_WAIT_MS) return
    await sleep(clock, graceMs, signal)
    await ready()
  }

  /** Whether the stream was live when the service sent the event of a change, so that it should have delivered it. */
  #isMissed({ hasEvent, state }: OrderChange, clockOffsetMs: number | undefined): boolean {
    const { accountId, status, filledAtMs } = state
    const { gap, isFirst } = this.#coverageOf(accountId)
    if (!hasEvent || gap === undefined) return hasEvent
    // Only the time of a fill is known.
    if (filledAtMs === undefined || status === 'CANCELLED' || status === 'FAILED') return false
    const marginMs = this.#settings.graceMs + (clockOffsetMs === undefined ? CLOCK_MARGIN_MS : 0)
    return filledAtMs > gap.toMs + marginMs || (!isFirst && filledAtMs < gap.fromMs - marginMs)
  }
}
