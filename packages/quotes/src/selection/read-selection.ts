/** What a caller asks for, as options. */
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
import { isMqttText } from '../mqtt/encode.ts'
import { optionInvalid } from '../quotes-error.ts'
import { QUOTE_TYPES, type QuoteType, type Selection } from './wants.ts'

/** Symbols of one category, and what is wanted of them. */
export interface QuotesSelection {
  /** At least one, each once: `'AAPL'`, `'00700'`, `'BTCUSD'`. */
  readonly symbols: readonly string[]
  /** For event contracts they arrive as `event-quote`, `event-snapshot`, `event-tick`. */
  readonly types: readonly QuoteType[]
  /** `'US_STOCK'`, `'US_ETF'`, `'HK_STOCK'`, `'US_CRYPTO'`, `'US_EVENT'`, ...: an open list. */
  readonly category: string
  /** Levels of quotes, from 1 to 50. @defaultValue the service's, 10 */
  readonly depth?: number | undefined
  /** Also overnight (US stocks). @defaultValue not sent */
  readonly overnight?: boolean | undefined
}

/** Symbols that are not wanted any more. */
export interface QuotesRemoval {
  readonly symbols: readonly string[]
  readonly category: string
  /** @defaultValue all of them */
  readonly types?: readonly QuoteType[] | undefined
}

/** As the service's gateways take it, and what its key here is made of. */
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
    isMqttText(value) &&
    !/[\s,[\]]/.test(value),
)

/** Each symbol once. */
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
export function readSelection(input: QuotesSelection, name = 'selection'): Selection {
  return readOptions(optionInvalid, input, SELECTION, name)
}

/** @throws QuotesError `QUOTES_OPTION_INVALID`. */
export function readRemoval(
  input: QuotesRemoval,
): Required<Pick<Selection, 'symbols' | 'types' | 'category'>> {
  const { types = QUOTE_TYPES, ...rest } = readOptions(optionInvalid, input, REMOVAL, 'removal')
  return { ...rest, types }
}
