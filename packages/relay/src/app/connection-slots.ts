/**
 * State machine of the connections of one app: when its subscriptions are opened and closed. Pure.
 *
 * The service allows five connections for an app key, and may count an ended connection for about a minute.
 * Such a connection lingers. A relay uses up to three, one for each subscription.
 *
 * - After a crash, the next relay finds at least two free connections, and opens the third when a lingering
 *   one expires.
 * - A relay that drains closes module events first, because the next relay continues at their cursor without
 *   a loss. It waits until the closed connection no longer lingers, unless the next relay has enough free
 *   connections anyway. After that, it closes the other two, and the next relay can open all three at once.
 *
 * Waits are measured with timers, so a clock that jumps has no effect.
 */
import { unreachable } from '@brokerwire/core/internal'
import type { Subscription } from '../wire/subjects.ts'

/** The state of a subscription. */
export type SubscriptionState =
  | 'waiting'
  /** Opened, but not live yet. */
  | 'opening'
  /** The service responded NumOfConnExceed. The subscription retries by itself. */
  | 'refused'
  | 'open'
  /** Being closed. Its received events are still being published. */
  | 'closing'
  /** Being closed after it was refused, so without a connection. */
  | 'closing-refused'
  | 'closed'

export interface SlotsState {
  readonly phase: 'idle' | 'holding' | 'draining' | 'ending' | 'released'
  /** The order in which subscriptions are opened. In any order, module events are closed first. */
  readonly order: readonly Subscription[]
  readonly subscriptions: Readonly<Partial<Record<Subscription, SubscriptionState>>>
  /** The number of ended connections that the service may still count. */
  readonly lingering: number
  /**
   * While draining: the number of connections that lingered when module events were closed, and that still
   * linger.
   */
  readonly awaitedLingering?: number | undefined
  readonly maxConnections: number
}

export type SlotsEvent =
  /**
   * The app is assigned to this relay. `lingering`: the number of connections of earlier holders, which
   * expire from now on.
   */
  | { readonly type: 'assigned'; readonly lingering: number }
  /** This relay is the writer of the app's stream. */
  | { readonly type: 'acquired' }
  | { readonly type: 'opened'; readonly subscription: Subscription }
  | { readonly type: 'refused'; readonly subscription: Subscription }
  /** The connection was lost. The subscription opens another one by itself. */
  | { readonly type: 'dropped'; readonly subscription: Subscription }
  /** The subscription is closed, and all its received events are published. */
  | { readonly type: 'closed'; readonly subscription: Subscription }
  /** A timer has ended: one connection no longer lingers. */
  | { readonly type: 'slot-expired' }
  /** The app is assigned to another relay. `now`: close everything at once, even if that causes gaps. */
  | { readonly type: 'drain'; readonly now: boolean }

export type SlotsEffect =
  | { readonly type: 'open'; readonly subscription: Subscription }
  | { readonly type: 'close'; readonly subscription: Subscription }
  /** A connection ended. Send `slot-expired` when it no longer lingers. */
  | { readonly type: 'start-timer' }
  /** All subscriptions are closed. */
  | { readonly type: 'released'; readonly lingering: number }

type Step = readonly [SlotsState, readonly SlotsEffect[]]

export function initialSlots(order: readonly Subscription[], maxConnections = 5): SlotsState {
  return {
    phase: 'idle',
    order,
    subscriptions: Object.fromEntries(order.map((subscription) => [subscription, 'waiting'])),
    lingering: 0,
    maxConnections,
  }
}

const USES_CONNECTION: Readonly<Record<SubscriptionState, boolean>> = {
  waiting: false,
  // The service rejected the connection, so it does not count it.
  refused: false,
  opening: true,
  open: true,
  closing: true,
  'closing-refused': false,
  closed: false,
}

/**
 * Returns the number of connections that the service may count. This relay opens a connection only if the
 * number is less than `maxConnections`.
 */
export function usedConnections({ subscriptions, lingering, order }: SlotsState): number {
  return lingering + order.filter((one) => USES_CONNECTION[subscriptions[one] ?? 'closed']).length
}

/** Returns the subscriptions that are not opened because all connections are in use or linger. */
export function subscriptionsWithoutConnection(state: SlotsState): readonly Subscription[] {
  if (state.phase !== 'holding' || usedConnections(state) < state.maxConnections) return []
  return state.order.filter((one) => isIn(state, one, ['waiting']))
}

/** Returns the next state and its effects. An event that arrives too late changes nothing. */
export function slotsTransition(state: SlotsState, event: SlotsEvent): Step {
  switch (event.type) {
    case 'assigned': {
      if (state.phase !== 'idle') return [state, []]
      const arms = Array.from({ length: event.lingering }, () => ({ type: 'start-timer' }) as const)
      return [{ ...state, lingering: state.lingering + event.lingering }, arms]
    }
    case 'acquired':
      return state.phase === 'idle' ? openNext({ ...state, phase: 'holding' }, []) : [state, []]
    case 'opened':
      // When the subscription was closed, a retry was on its way, and it has succeeded.
      if (isIn(state, event.subscription, ['closing-refused']))
        return [withState(state, event.subscription, 'closing'), []]
      return isIn(state, event.subscription, ['opening', 'refused'])
        ? openNext(withState(state, event.subscription, 'open'), [])
        : [state, []]
    case 'refused':
      return isIn(state, event.subscription, ['opening', 'open'])
        ? [withState(state, event.subscription, 'refused'), []]
        : [state, []]
    case 'dropped':
      return isIn(state, event.subscription, ['open'])
        ? [
            { ...withState(state, event.subscription, 'opening'), lingering: state.lingering + 1 },
            [{ type: 'start-timer' }],
          ]
        : [state, []]
    case 'closed': {
      const before = state.subscriptions[event.subscription] ?? 'closed'
      if (before === 'closed') return [state, []]
      const closed = withState(state, event.subscription, 'closed')
      return USES_CONNECTION[before]
        ? closeNext({ ...closed, lingering: state.lingering + 1 }, [{ type: 'start-timer' }])
        : closeNext(closed, [])
    }
    case 'slot-expired': {
      const { lingering, awaitedLingering } = state
      // All connections linger equally long, so the awaited ones, which ended first, expire first.
      const freed = {
        ...state,
        lingering: decrement(lingering),
        awaitedLingering: awaitedLingering && decrement(awaitedLingering),
      }
      return freed.phase === 'holding' ? openNext(freed, []) : closeNext(freed, [])
    }
    case 'drain': {
      if (state.phase === 'idle')
        return [{ ...state, phase: 'released' }, [{ type: 'released', lingering: state.lingering }]]
      if (state.phase === 'released') return [state, []]
      const isNow = event.now || state.phase === 'ending'
      return closeNext({ ...state, phase: isNow ? 'ending' : 'draining' }, [])
    }
    default:
      return unreachable(event)
  }
}

function decrement(count: number): number {
  return Math.max(0, count - 1)
}

function isIn(state: SlotsState, subscription: Subscription, states: readonly SubscriptionState[]): boolean {
  return states.includes(state.subscriptions[subscription] ?? 'closed')
}

function withState(state: SlotsState, subscription: Subscription, to: SubscriptionState): SlotsState {
  return { ...state, subscriptions: { ...state.subscriptions, [subscription]: to } }
}

/**
 * Opens as many subscriptions as possible. While one is refused, it opens no more, because another client
 * then uses connections.
 */
function openNext(state: SlotsState, effects: readonly SlotsEffect[]): Step {
  if (state.phase !== 'holding') return [state, effects]
  const opened = [...effects]
  let next = state
  for (const subscription of state.order) {
    if (state.order.some((one) => isIn(next, one, ['refused']))) break
    if (usedConnections(next) >= next.maxConnections) break
    if (!isIn(next, subscription, ['waiting'])) continue
    next = withState(next, subscription, 'opening')
    opened.push({ type: 'open', subscription })
  }
  return [next, opened]
}

/** The state of a subscription that is to be closed. A subscription in any other state is not changed. */
const STATE_AFTER_CLOSE: Readonly<Partial<Record<SubscriptionState, SubscriptionState>>> = {
  // The subscription was never opened, so no effect is needed.
  waiting: 'closed',
  refused: 'closing-refused',
  opening: 'closing',
  open: 'closing',
}

/** Closes the next subscriptions, and releases the app after the last one. */
function closeNext(state: SlotsState, effects: readonly SlotsEffect[]): Step {
  if (state.phase !== 'draining' && state.phase !== 'ending') return [state, effects]
  const all = [...effects]
  let next = state
  const close = (subscription: Subscription): void => {
    const to = STATE_AFTER_CLOSE[next.subscriptions[subscription] ?? 'closed']
    if (to === undefined) return
    next = withState(next, subscription, to)
    if (to !== 'closed') all.push({ type: 'close', subscription })
  }
  // Only module events can be interrupted without a loss. If the app has no module events, a wait would only
  // lengthen a gap.
  const canWait = state.order.includes('module') && state.order.length > 1
  if (state.phase === 'ending' || !canWait) state.order.forEach(close)
  else {
    close('module')
    if (isIn(next, 'module', ['closed'])) {
      // Connections that are lost later are not awaited. Otherwise an unstable connection could delay the end
      // without limit.
      next = { ...next, awaitedLingering: next.awaitedLingering ?? next.lingering }
      // The next relay needs as many connections as this one, while this relay's other connections linger. If
      // the limit does not allow that, wait for the connections that lingered when module events were closed.
      const others = state.order.length - 1
      const hasCapacity = next.lingering + others + state.order.length <= next.maxConnections
      if (next.awaitedLingering === 0 || hasCapacity) state.order.forEach(close)
    }
  }
  const isDone = next.order.every((one) => isIn(next, one, ['closed']))
  if (!isDone) return [next, all]
  return [{ ...next, phase: 'released' }, [...all, { type: 'released', lingering: next.lingering }]]
}
