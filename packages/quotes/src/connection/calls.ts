/**
 * From what is wanted and what is confirmed to the next call. One call carries one category, one set of types and one form
 * (depth, overnight) for up to a hundred symbols (facts, market data, Subscribing).
 */
import { isSameForm, type Want, type Wants, wantKey } from '../selection/wants.ts'

/** A call of the streaming endpoints. */
export interface StreamingCall {
  readonly action: 'subscribe' | 'unsubscribe'
  readonly category: string
  /** As `typeBits` has them. */
  readonly types: number
  readonly depth: number | undefined
  readonly overnight: boolean | undefined
  /** At least one. */
  readonly symbols: readonly string[]
}

/** What one call asks of one symbol. */
type Ask = Want

/** What is confirmed and not wanted any more. A changed form is taken away first, whole. */
function leftOver(confirmed: Want, wanted: Want | undefined): number {
  if (wanted === undefined || !isSameForm(confirmed, wanted)) return confirmed.types
  return confirmed.types & ~wanted.types
}

function collect(
  action: StreamingCall['action'],
  asks: Iterable<Ask>,
  maxSymbols: number,
): StreamingCall | undefined {
  let first: Ask | undefined
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

function* surplus(wanted: Wants, confirmed: Wants): Iterable<Ask> {
  for (const [key, want] of confirmed) yield { ...want, types: leftOver(want, wanted.get(key)) }
}

function* missing(wanted: Wants, confirmed: Wants): Iterable<Ask> {
  for (const [key, want] of wanted) yield { ...want, types: want.types & ~(confirmed.get(key)?.types ?? 0) }
}

/** @returns The next call, or nothing where what is confirmed is what is wanted. What is too much goes first: it takes room. */
export function nextCall(wanted: Wants, confirmed: Wants, maxSymbols: number): StreamingCall | undefined {
  return (
    collect('unsubscribe', surplus(wanted, confirmed), maxSymbols) ??
    collect('subscribe', missing(wanted, confirmed), maxSymbols)
  )
}

/** What is confirmed once a call succeeded. */
export function confirmedAfter(confirmed: Wants, call: StreamingCall): Wants {
  const next = new Map(confirmed)
  const { category, depth, overnight } = call
  for (const symbol of call.symbols) {
    const key = wantKey(category, symbol)
    const before = next.get(key)?.types ?? 0
    const types = call.action === 'subscribe' ? before | call.types : before & ~call.types
    if (types === 0) next.delete(key)
    else next.set(key, { category, symbol, types, depth, overnight })
  }
  return next
}

/** The two halves of a call of at least two symbols. */
export function halves(call: StreamingCall): readonly [StreamingCall, StreamingCall] {
  const middle = Math.ceil(call.symbols.length / 2)
  return [
    { ...call, symbols: call.symbols.slice(0, middle) },
    { ...call, symbols: call.symbols.slice(middle) },
  ]
}

/** A call without some of its symbols, or nothing where none is left. */
export function withoutSymbols(call: StreamingCall, symbols: ReadonlySet<string>): StreamingCall | undefined {
  const left = call.symbols.filter((symbol) => !symbols.has(symbol))
  return left.length === 0 ? undefined : { ...call, symbols: left }
}

/** What is wanted, as calls that ask for all of it once more. */
export function callsForAll(wanted: Wants, maxSymbols: number): readonly StreamingCall[] {
  const calls: StreamingCall[] = []
  let confirmed: Wants = new Map()
  for (;;) {
    const call = nextCall(wanted, confirmed, maxSymbols)
    if (call === undefined) return calls
    calls.push(call)
    confirmed = confirmedAfter(confirmed, call)
  }
}
