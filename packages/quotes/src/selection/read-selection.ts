/** What a caller asks for, as options. */
import {
  describe,
  integerRow,
  listRow,
  type OptionRow,
  oneOfRow,
  optionalRow,
  readBoolean,
  readOptionTable,
  textRow,
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

const categoryRow: OptionRow<string> = (fail, option, value) => {
  if (typeof value === 'string' && CATEGORY.test(value)) return value
  throw fail(option, 'upper-case letters, digits and _, such as US_STOCK', describe(value))
}

const symbolRow: OptionRow<string> = (fail, option, value) => {
  const symbol = textRow(fail, option, value)
  if (symbol.length <= MAX_SYMBOL_UNITS && isMqttText(symbol) && !/[\s,[\]]/.test(symbol)) return symbol
  throw fail(
    option,
    `a symbol of at most ${MAX_SYMBOL_UNITS} characters without blanks, commas and brackets`,
    'another text',
  )
}

/** Each once. */
const symbolsRow: OptionRow<readonly string[]> = (fail, option, value) => [
  ...new Set(listRow('a non-empty array of symbols', symbolRow)(fail, option, value)),
]
const typesRow: OptionRow<readonly QuoteType[]> = listRow(
  'a non-empty array of types',
  oneOfRow(['quote', 'snapshot', 'tick']),
)

const SELECTION = {
  symbols: symbolsRow,
  types: typesRow,
  category: categoryRow,
  depth: optionalRow(integerRow(1, 50)),
  overnight: (fail, option, value) =>
    value === undefined ? undefined : readBoolean(fail, option, value, false),
} satisfies Record<keyof QuotesSelection, OptionRow<unknown>>

const REMOVAL = {
  symbols: symbolsRow,
  category: categoryRow,
  types: optionalRow(typesRow),
} satisfies Record<keyof QuotesRemoval, OptionRow<unknown>>

/** @throws QuotesError `QUOTES_OPTION_INVALID`. */
export function readSelection(input: QuotesSelection, name = 'selection'): Selection {
  return readOptionTable(optionInvalid, name, input, SELECTION)
}

/** @throws QuotesError `QUOTES_OPTION_INVALID`. */
export function readRemoval(
  input: QuotesRemoval,
): Required<Pick<Selection, 'symbols' | 'types' | 'category'>> {
  const { types = QUOTE_TYPES, ...rest } = readOptionTable(optionInvalid, 'removal', input, REMOVAL)
  return { ...rest, types }
}
