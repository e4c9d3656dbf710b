/** Validation of selections: the arguments of `set`, `add` and `remove`. */
import {
  array,
  boolean,
  custom,
  type FieldsOf,
  integer,
  oneOf,
  optional,
  readOptions,
  type Schema,
  string,
} from '@brokerwire/core/internal'
import { isMqttString } from '../mqtt/encode.ts'
import { optionInvalid } from '../quotes-error.ts'
import { QUOTE_TYPES, type QuoteType, type Selection } from './desired-subscriptions.ts'

/** Symbols of one category, with the types of their messages. */
export interface QuotesSelection {
  /** At least one symbol, such as `'AAPL'`, `'00700'` or `'BTCUSD'`. */
  readonly symbols: readonly string[]
  /**
   * Types of messages. For event contracts, the kinds of the messages are `event-quote`, `event-snapshot`,
   * `event-tick`.
   */
  readonly types: readonly QuoteType[]
  /**
   * Category of the symbols, such as `'US_STOCK'`, `'US_ETF'`, `'HK_STOCK'`, `'US_CRYPTO'` or `'US_EVENT'`.
   * The list is open.
   */
  readonly category: string
  /** Levels of the order book, from 1 to 50. @defaultValue the service's, 10 */
  readonly depth?: number | undefined
  /** Whether to include overnight data (US stocks). @defaultValue not sent */
  readonly overnight?: boolean | undefined
}

/** Symbols of one category to unsubscribe from. */
export interface QuotesRemoval {
  /** At least one symbol, such as `'AAPL'`. */
  readonly symbols: readonly string[]
  /** Category of the symbols, such as `'US_STOCK'`. */
  readonly category: string
  /** Types of messages to remove. @defaultValue all of them */
  readonly types?: readonly QuoteType[] | undefined
}

/** The format that the service's gateways accept. */
const CATEGORY = /^[A-Z0-9_]{1,64}$/
const MAX_SYMBOL_UNITS = 128

const category = string({
  pattern: CATEGORY,
  expected: 'upper-case letters, digits and _, such as "US_STOCK"',
  isName: true,
})

const symbol = custom<string>(
  `a symbol of 1 to ${MAX_SYMBOL_UNITS} characters without blanks, commas and brackets`,
  (value) =>
    typeof value === 'string' &&
    value !== '' &&
    value.length <= MAX_SYMBOL_UNITS &&
    isMqttString(value) &&
    !/[\s,[\]]/.test(value),
)

/** Removes duplicates. */
const symbols: Schema<readonly string[]> = (value, path, fail) => [
  ...new Set(array(symbol, { expected: 'a non-empty array of symbols' })(value, path, fail)),
]
const types: Schema<readonly QuoteType[]> = array(oneOf(['quote', 'snapshot', 'tick']), {
  expected: 'a non-empty array of types',
})

const SELECTION = {
  symbols,
  types,
  category,
  depth: optional(integer({ min: 1, max: 50 })),
  overnight: optional(boolean(false)),
} satisfies FieldsOf<QuotesSelection>

const REMOVAL = { symbols, category, types: optional(types) } satisfies FieldsOf<QuotesRemoval>

/** @throws QuotesError `QUOTES_OPTION_INVALID`. */
export function parseSelection(input: QuotesSelection, name = 'selection'): Selection {
  return readOptions(optionInvalid, input, SELECTION, name)
}

/** @throws QuotesError `QUOTES_OPTION_INVALID`. */
export function parseRemoval(
  input: QuotesRemoval,
): Required<Pick<Selection, 'symbols' | 'types' | 'category'>> {
  const { types = QUOTE_TYPES, ...rest } = readOptions(optionInvalid, input, REMOVAL, 'removal')
  return { ...rest, types }
}
