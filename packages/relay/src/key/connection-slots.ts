/**
 * When the subscriptions of one app key are opened and closed, as a pure machine.
 *
 * A key may hold five connections, and one that was lost may keep its place for about a minute. Three are in use, so a relay
 * that takes a key over from one that died finds two places for certain, and opens the third as soon as another is free. One
 * that hands a key over on purpose closes the first of them, the module events, alone and early: nothing of them is lost, and
 * with its place free again the successor can open all three at the moment in which the other two are closed.
 *
 * Waits are counted by timers, never by comparing instants: a clock that jumps frees no place.
 */
import { unreachable } from '@brokerwire/core/internal'
import type { Subscription } from '../wire/subjects.ts'

/** How a subscription stands. */
export type SubscriptionState =
  | 'waiting'
  /** Asked for, and not yet there. */
  | 'opening'
  /** The service said NumOfConnExceed; it is asked again by itself. */
  | 'refused'
  | 'open'
  /** Told to close; what it received is still being published. */
  | 'closing'
  | 'closed'

export interface SlotsState {
  readonly phase: 'idle' | 'holding' | 'draining' | 'ending' | 'released'
  /** In the order in which they are opened, and closed. */
  readonly order: readonly Subscription[]
  readonly subscriptions: Readonly<Partial<Record<Subscription, SubscriptionState>>>
  /** Places that nobody of this relay uses, and that may still be taken. */
  readonly lingering: number
  /** Of the places that lingered when a handover had closed the first subscription: those that may still be taken. */
  readonly awaitedLingering?: number | undefined
  readonly maxConnections: number
}

export type SlotsEvent =
  /** The key is to be this relay's. @param lingering - Places that others may have left behind, waited for from now on. */
  | { readonly type: 'assigned'; readonly lingering: number }
  /** The key's stream is this relay's now. */
  | { readonly type: 'acquired' }
  | { readonly type: 'opened'; readonly subscription: Subscription }
  | { readonly type: 'refused'; readonly subscription: Subscription }
  /** The connection was lost: it comes back by itself, in another place. */
  | { readonly type: 'dropped'; readonly subscription: Subscription }
  /** Closed, with all that it received published. */
  | { readonly type: 'closed'; readonly subscription: Subscription }
  /** The time of an `arm` is over. */
  | { readonly type: 'slot-expired' }
  /** Another relay is to have the key. `now`: at once, whatever is lost. */
  | { readonly type: 'drain'; readonly now: boolean }

export type SlotsEffect =
  | { readonly type: 'open'; readonly subscription: Subscription }
  | { readonly type: 'close'; readonly subscription: Subscription }
  /** A place that was left: `freed` is to follow, after as long as a place lingers. */
  | { readonly type: 'start-timer' }
  /** The key may be another's. @param lingering - Places that are left behind. */
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
  // It is refused at the door.
  refused: false,
  opening: true,
  open: true,
  closing: true,
  closed: false,
}

/** Places that are taken, or may be. Never more than `maxConnections` by what this relay opens. */
export function usedConnections({ subscriptions, lingering, order }: SlotsState): number {
  return lingering + order.filter((one) => USES_CONNECTION[subscriptions[one] ?? 'closed']).length
}

/** The next state, and what is to be done. An event that comes too late changes nothing. */
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
      // All places linger equally long, so those that are awaited are the first to be free.
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

function decrement(places: number): number {
  return Math.max(0, places - 1)
}

function isIn(state: SlotsState, subscription: Subscription, states: readonly SubscriptionState[]): boolean {
  return states.includes(state.subscriptions[subscription] ?? 'closed')
}

function withState(state: SlotsState, subscription: Subscription, to: SubscriptionState): SlotsState {
  return { ...state, subscriptions: { ...state.subscriptions, [subscription]: to } }
}

/** Opens as many as there are places for. While one is refused, somebody else has places that nobody here knows of. */
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

/** Closes what is to be closed now, and says when all is. */
function closeNext(state: SlotsState, effects: readonly SlotsEffect[]): Step {
  if (state.phase !== 'draining' && state.phase !== 'ending') return [state, effects]
  const all = [...effects]
  let next = state
  const close = (subscription: Subscription): void => {
    if (isIn(next, subscription, ['closing', 'closed'])) return
    // One that was never opened is closed by that.
    const isOpen = !isIn(next, subscription, ['waiting'])
    next = withState(next, subscription, isOpen ? 'closing' : 'closed')
    if (isOpen) all.push({ type: 'close', subscription })
  }
  const [first] = state.order
  if (state.phase === 'ending' || first === undefined || state.order.length === 1) state.order.forEach(close)
  else {
    close(first)
    if (isIn(next, first, ['closed'])) {
      // What is dropped from now on is not waited for: a connection that breaks again and again would never let it end.
      next = { ...next, awaitedLingering: next.awaitedLingering ?? next.lingering }
      // With its place free, the successor finds as many as it needs beside those that the others leave. Where there are not so
      // many in all, it waits for those that lingered then.
      const others = state.order.length - 1
      const hasCapacity = next.lingering + others + state.order.length <= next.maxConnections
      if (next.awaitedLingering === 0 || hasCapacity) state.order.forEach(close)
    }
  }
  const isDone = next.order.every((one) => isIn(next, one, ['closed']))
  if (!isDone) return [next, all]
  return [{ ...next, phase: 'released' }, [...all, { type: 'released', lingering: next.lingering }]]
}
