/**
 * Compares the states that queries returned with what the stream delivered. Pure.
 *
 * Queries may lag behind the stream. So a polled state that differs is only a change if it is further in the
 * life of the order, or if the query was sent so long after the last delivery that it cannot lag.
 */
import { compareDecimals, type Decimal } from '@brokerwire/payloads'
import { hasEnded, isFinal, type KnownOrder, type OrderStateItem, orderKey } from './order-state.ts'

/** A state that the stream did not deliver. */
export interface OrderChange {
  readonly state: OrderStateItem
  /**
   * Whether the service sends an event for such a change: for fills, replacements and final statuses. For an
   * accepted order it sends none.
   */
  readonly hasEvent: boolean
}

/** Settings of a comparison. */
export interface CompareOptions {
  /** The longest time by which queries lag, in milliseconds. */
  readonly settleMs: number
  /**
   * Start of the time that is compared, by the service's clock. An order that was filled before it is not a
   * change, even if it is not known.
   */
  readonly changedSinceMs: number
}

/** The result of {@link compareOrders}. */
export interface Comparison {
  /** The changes, in the order of the service's times. */
  readonly changes: readonly OrderChange[]
  /** States of which it is not clear whether the query lags. A later query will show it. */
  readonly unsettled: readonly OrderStateItem[]
}

/** How a polled state relates to what is known of its order. */
export type Relation =
  /** The stream did not deliver this state. */
  | 'changed'
  /** The stream delivered this state. */
  | 'same'
  /** The query lags: the stream delivered a later state. */
  | 'older'
  /** The states differ, and it is not clear which one is later. */
  | 'unsettled'

/** Compares all polled states with the known orders, by {@link orderKey}. */
export function compareOrders(
  known: ReadonlyMap<string, KnownOrder>,
  polled: readonly OrderStateItem[],
  options: CompareOptions,
): Comparison {
  const changes: OrderChange[] = []
  const unsettled: OrderStateItem[] = []
  for (const state of polled) {
    const before = known.get(orderKey(state))
    const relation = relate(before, state, options)
    if (relation === 'unsettled') unsettled.push(state)
    else if (relation === 'changed') changes.push({ state, hasEvent: hasEvent(before, state) })
  }
  return { changes: sortChanges(changes), unsettled }
}

/** Returns changes in the order of the service's times. */
export const sortChanges = (changes: readonly OrderChange[]): readonly OrderChange[] =>
  [...changes].sort((one, other) => timeOf(one.state) - timeOf(other.state))

/** Returns how a polled state relates to what is known of its order. */
export function relate(
  known: KnownOrder | undefined,
  state: OrderStateItem,
  { settleMs, changedSinceMs }: CompareOptions,
): Relation {
  if (known === undefined) {
    const { status, filledAtMs } = state
    return status === 'FILLED' && filledAtMs !== undefined && filledAtMs < changedSinceMs ? 'same' : 'changed'
  }
  if (isSame(known, state)) return 'same'
  const filled = compareDecimals(state.filledQuantity, known.filledQuantity)
  if (filled < 0) return 'older'
  const wasFinal = isFinal(known.status)
  if (isFinal(state.status)) {
    if (!wasFinal) return 'changed'
  } else if (wasFinal) return 'older'
  else if (filled > 0) return 'changed'
  // The event of a replaced order has the status SUBMITTED, also if the order is partly filled. So a later status
  // is a later state only if the quantity is the same.
  else if (stage(state.status) > stage(known.status) && isEqual(known.quantity, state.quantity))
    return 'changed'
  return state.polledAtMs >= known.knownAtMs + settleMs ? 'changed' : 'unsettled'
}

/** Returns the known open orders of an account that no query returned. */
export function findMissing(
  known: ReadonlyMap<string, KnownOrder>,
  accountId: string,
  polled: ReadonlyMap<string, unknown>,
): readonly KnownOrder[] {
  return [...known]
    .filter(([key, order]) => order.accountId === accountId && !hasEnded(order) && !polled.has(key))
    .map(([, order]) => order)
}

/** Whether the values that both have are equal. */
function isSame(known: KnownOrder, state: OrderStateItem): boolean {
  return (
    known.status === state.status &&
    isEqual(known.filledQuantity, state.filledQuantity) &&
    isEqual(known.quantity, state.quantity) &&
    isEqual(known.averagePrice, state.averagePrice)
  )
}

const isEqual = (one: Decimal | undefined, other: Decimal | undefined): boolean =>
  one === undefined || other === undefined || compareDecimals(one, other) === 0

function hasEvent(known: KnownOrder | undefined, state: OrderStateItem): boolean {
  if (isFinal(state.status)) return known === undefined || known.status !== state.status
  const filledBefore = known?.filledQuantity ?? ('0' as Decimal)
  return !isEqual(filledBefore, state.filledQuantity) || !isEqual(known?.quantity, state.quantity)
}

/** The usual order of the statuses that are not final. Others count as `SUBMITTED`. */
function stage(status: string): number {
  return status === 'PENDING' ? 0 : status === 'PARTIAL_FILLED' ? 2 : 1
}

/** Returns the latest known time of a state by the service's clock. Orders without a time come first. */
function timeOf({ filledAtMs, placedAtMs }: OrderStateItem): number {
  return filledAtMs ?? placedAtMs ?? 0
}
