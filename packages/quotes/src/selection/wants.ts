/**
 * What is asked for, as a set by symbol: what the caller declares is compared with what the service confirmed, and the
 * difference is sent.
 */

/** Kinds of market data. */
export type QuoteType = 'quote' | 'snapshot' | 'tick'

/** Each type is a bit, so that sets of them are numbers: ten thousand symbols have ten thousand of these. */
const BITS: Readonly<Record<QuoteType, number>> = { quote: 1, snapshot: 2, tick: 4 }
export const QUOTE_TYPES: readonly QuoteType[] = ['quote', 'snapshot', 'tick']
const NO_TYPES = 0

/** What is wanted of one symbol. */
export interface Want {
  readonly category: string
  readonly symbol: string
  /** See {@link typeBits}. */
  readonly types: number
  readonly depth: number | undefined
  readonly overnight: boolean | undefined
}

/** By {@link wantKey}. */
export type Wants = ReadonlyMap<string, Want>

/** What a caller asks for, checked: see `readSelection`. */
export interface Selection {
  readonly symbols: readonly string[]
  readonly types: readonly QuoteType[]
  readonly category: string
  readonly depth: number | undefined
  readonly overnight: boolean | undefined
}

/** The same symbol in two categories is two. No category holds a blank. */
export const wantKey = (category: string, symbol: string): string => `${category} ${symbol}`

export function typeBits(types: readonly QuoteType[]): number {
  let bits = NO_TYPES
  for (const type of types) bits |= BITS[type]
  return bits
}

export function typesOf(bits: number): readonly QuoteType[] {
  return QUOTE_TYPES.filter((type) => (bits & BITS[type]) !== 0)
}

/** Adds to what is wanted. Depth and overnight of a symbol are those that were named last. */
export function withSelection(wants: Wants, selection: Selection): Wants {
  const next = new Map(wants)
  const types = typeBits(selection.types)
  const { category, depth, overnight } = selection
  for (const symbol of selection.symbols) {
    const key = wantKey(category, symbol)
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

/** What is left without these types of these symbols. */
export function withoutTypes(wants: Wants, keys: Iterable<string>, types: number): Wants {
  const next = new Map(wants)
  for (const key of keys) {
    const before = next.get(key)
    if (before === undefined) continue
    const left = before.types & ~types
    if (left === NO_TYPES) next.delete(key)
    else next.set(key, { ...before, types: left })
  }
  return next
}

/** The symbols of these keys, where they are wanted, by a number that each has. */
export function symbolsBy(
  numberOf: (want: Want, key: string) => number,
  keys: Iterable<string>,
  wants: Wants,
): ReadonlyMap<number, readonly Pick<Want, 'category' | 'symbol'>[]> {
  const groups = new Map<number, Pick<Want, 'category' | 'symbol'>[]>()
  for (const key of keys) {
    const want = wants.get(key)
    if (want === undefined) continue
    const { category, symbol } = want
    const number = numberOf(want, key)
    const group = groups.get(number) ?? []
    group.push({ category, symbol })
    groups.set(number, group)
  }
  return groups
}

/** Whether both ask for the same of their symbol, the types aside. */
export function isSameForm(one: Want, other: Want): boolean {
  return one.depth === other.depth && one.overnight === other.overnight
}

/** Whether both ask for the same, in whatever order. */
export function isSame(one: Wants, other: Wants): boolean {
  const isIn = ([key, want]: readonly [string, Want]): boolean => {
    const same = other.get(key)
    return want.types === same?.types && isSameForm(want, same)
  }
  return one.size === other.size && [...one].every(isIn)
}
