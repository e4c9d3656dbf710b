/**
 * Calculation of the next call from the desired and confirmed subscriptions. A call has one category, one set of types and
 * one form (depth, overnight) for up to a hundred symbols (facts, market data, Subscribing).
 */
import {
  type DesiredSubscription,
  type DesiredSubscriptions,
  isSameForm,
  subscriptionKey,
} from '../selection/desired-subscriptions.ts'

/** A call of the streaming endpoints. */
export interface StreamingCall {
  readonly action: 'subscribe' | 'unsubscribe'
  readonly category: string
  /** The types as bits: see `typeBits`. */
  readonly types: number
  readonly depth: number | undefined
  readonly overnight: boolean | undefined
  /** The symbols of the call, at least one. */
  readonly symbols: readonly string[]
}

/** The part of a call that concerns one symbol. */
type Request = DesiredSubscription

/**
 * Returns the types that are confirmed and no longer desired. If depth or overnight changed, these are all
 * confirmed types.
 */
function surplusTypes(confirmed: DesiredSubscription, desired: DesiredSubscription | undefined): number {
  if (desired === undefined || !isSameForm(confirmed, desired)) return confirmed.types
  return confirmed.types & ~desired.types
}

function collect(
  action: StreamingCall['action'],
  asks: Iterable<Request>,
  maxSymbols: number,
): StreamingCall | undefined {
  let first: Request | undefined
  const symbols: string[] = []
  for (const ask of asks) {
    if (ask.types === 0) continue
    first ??= ask
    if (ask.category !== first.category || ask.types !== first.types || !isSameForm(ask, first)) continue
    symbols.push(ask.symbol)
    if (symbols.length === maxSymbols) break
  }
  if (first === undefined) return undefined
  const { category, types, depth, overnight } = first
  return { action, category, types, depth, overnight, symbols }
}

function* surplus(desired: DesiredSubscriptions, confirmed: DesiredSubscriptions): Iterable<Request> {
  for (const [key, subscription] of confirmed)
    yield { ...subscription, types: surplusTypes(subscription, desired.get(key)) }
}

function* missing(desired: DesiredSubscriptions, confirmed: DesiredSubscriptions): Iterable<Request> {
  for (const [key, subscription] of desired)
    yield { ...subscription, types: subscription.types & ~(confirmed.get(key)?.types ?? 0) }
}

/**
 * @returns The next call; `undefined` if all desired subscriptions are confirmed, and no others. Unsubscribe
 * calls come first, because they free capacity.
 */
export function nextCall(
  desired: DesiredSubscriptions,
  confirmed: DesiredSubscriptions,
  maxSymbols: number,
): StreamingCall | undefined {
  return (
    collect('unsubscribe', surplus(desired, confirmed), maxSymbols) ??
    collect('subscribe', missing(desired, confirmed), maxSymbols)
  )
}

/** Returns the confirmed subscriptions after a successful call. */
export function confirmedAfter(confirmed: DesiredSubscriptions, call: StreamingCall): DesiredSubscriptions {
  const next = new Map(confirmed)
  const { category, depth, overnight } = call
  for (const symbol of call.symbols) {
    const key = subscriptionKey(category, symbol)
    const before = next.get(key)?.types ?? 0
    const types = call.action === 'subscribe' ? before | call.types : before & ~call.types
    if (types === 0) next.delete(key)
    else next.set(key, { category, symbol, types, depth, overnight })
  }
  return next
}

/** Splits a call of at least two symbols in half. */
export function bisect(call: StreamingCall): readonly [StreamingCall, StreamingCall] {
  const middle = Math.ceil(call.symbols.length / 2)
  return [
    { ...call, symbols: call.symbols.slice(0, middle) },
    { ...call, symbols: call.symbols.slice(middle) },
  ]
}

/** Returns a call without some of its symbols; `undefined` if none remains. */
export function withoutSymbols(call: StreamingCall, symbols: ReadonlySet<string>): StreamingCall | undefined {
  const left = call.symbols.filter((symbol) => !symbols.has(symbol))
  return left.length === 0 ? undefined : { ...call, symbols: left }
}

/** Returns the calls that subscribe to all desired subscriptions again. */
export function callsForAll(desired: DesiredSubscriptions, maxSymbols: number): readonly StreamingCall[] {
  const calls: StreamingCall[] = []
  let confirmed: DesiredSubscriptions = new Map()
  for (;;) {
    const call = nextCall(desired, confirmed, maxSymbols)
    if (call === undefined) return calls
    calls.push(call)
    confirmed = confirmedAfter(confirmed, call)
  }
}
