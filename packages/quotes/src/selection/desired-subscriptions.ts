/** Sets of subscriptions, by category and symbol. */

/** Type of a market data subscription. */
export type QuoteType = 'quote' | 'snapshot' | 'tick'

/** Each type is a bit, so that a set of types is a number, which needs no separate memory for each symbol. */
const BITS: Readonly<Record<QuoteType, number>> = { quote: 1, snapshot: 2, tick: 4 }
export const QUOTE_TYPES: readonly QuoteType[] = ['quote', 'snapshot', 'tick']
const NO_TYPES = 0

/** The desired subscription of one symbol. */
export interface DesiredSubscription {
  readonly category: string
  readonly symbol: string
  /** See {@link typeBits}. */
  readonly types: number
  readonly depth: number | undefined
  readonly overnight: boolean | undefined
}

/** The desired subscriptions by {@link subscriptionKey}. */
export type DesiredSubscriptions = ReadonlyMap<string, DesiredSubscription>

/** A selection after validation: see `parseSelection`. */
export interface Selection {
  readonly symbols: readonly string[]
  readonly types: readonly QuoteType[]
  readonly category: string
  readonly depth: number | undefined
  readonly overnight: boolean | undefined
}

/**
 * Returns the key of a symbol in a category. A blank separates them, because a category contains no blank.
 */
export const subscriptionKey = (category: string, symbol: string): string => `${category} ${symbol}`

export function typeBits(types: readonly QuoteType[]): number {
  let bits = NO_TYPES
  for (const type of types) bits |= BITS[type]
  return bits
}

export function typesFromBits(bits: number): readonly QuoteType[] {
  return QUOTE_TYPES.filter((type) => (bits & BITS[type]) !== 0)
}

/** Adds a selection. Its depth and overnight, if set, replace those of a symbol. */
export function withSelection(
  subscriptions: DesiredSubscriptions,
  selection: Selection,
): DesiredSubscriptions {
  const next = new Map(subscriptions)
  const types = typeBits(selection.types)
  const { category, depth, overnight } = selection
  for (const symbol of selection.symbols) {
    const key = subscriptionKey(category, symbol)
    const before = next.get(key)
    next.set(key, {
      category,
      symbol,
      types: types | (before?.types ?? NO_TYPES),
      depth: depth ?? before?.depth,
      overnight: overnight ?? before?.overnight,
    })
  }
  return next
}

/** Removes types of the symbols with these keys. */
export function withoutTypes(
  subscriptions: DesiredSubscriptions,
  keys: Iterable<string>,
  types: number,
): DesiredSubscriptions {
  const next = new Map(subscriptions)
  for (const key of keys) {
    const before = next.get(key)
    if (before === undefined) continue
    const left = before.types & ~types
    if (left === NO_TYPES) next.delete(key)
    else next.set(key, { ...before, types: left })
  }
  return next
}

/** Groups the symbols of these keys by a number. Keys without a subscription are skipped. */
export function symbolsBy(
  groupBy: (subscription: DesiredSubscription, key: string) => number,
  keys: Iterable<string>,
  subscriptions: DesiredSubscriptions,
): ReadonlyMap<number, readonly Pick<DesiredSubscription, 'category' | 'symbol'>[]> {
  const groups = new Map<number, Pick<DesiredSubscription, 'category' | 'symbol'>[]>()
  for (const key of keys) {
    const subscription = subscriptions.get(key)
    if (subscription === undefined) continue
    const { category, symbol } = subscription
    const number = groupBy(subscription, key)
    const group = groups.get(number) ?? []
    group.push({ category, symbol })
    groups.set(number, group)
  }
  return groups
}

/** Whether two subscriptions have the same depth and overnight. */
export function isSameForm(one: DesiredSubscription, other: DesiredSubscription): boolean {
  return one.depth === other.depth && one.overnight === other.overnight
}

/** Whether two sets have the same subscriptions, in any order. */
export function isSame(one: DesiredSubscriptions, other: DesiredSubscriptions): boolean {
  const isIn = ([key, subscription]: readonly [string, DesiredSubscription]): boolean => {
    const same = other.get(key)
    return subscription.types === same?.types && isSameForm(subscription, same)
  }
  return one.size === other.size && [...one].every(isIn)
}
