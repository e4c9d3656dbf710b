/** What was missed in a gap, fetched over HTTP and marked as such. */
import type { AbortSignalLike } from '@brokerwire/core'
import {
  describe,
  type FieldsOf,
  func,
  isRecord,
  oneOf,
  optional,
  port,
  readOptions,
} from '@brokerwire/core/internal'
import type { HttpClient, HttpRequest } from '@brokerwire/http'
import type { QuotesSymbol } from './notices.ts'
import { optionInvalid } from './quotes-error.ts'

/** What a hook found. */
export interface QuotesFill extends QuotesSymbol {
  /** Which kind of state it is, where it is one: it is left out where a message of that kind came by itself since the gap. */
  readonly state?: 'quote' | 'snapshot' | 'event-quote' | 'event-snapshot' | undefined
  /** Whatever it found: the service's JSON names differ from the stream's (facts, market data). */
  readonly value: unknown
}

/** Fetches what was missed. Called after each gap; what it throws becomes a `fill-failed` notice. */
export type FillHook = (request: {
  readonly symbols: readonly QuotesSymbol[]
  /** Last sign of life before the gap, milliseconds since the Unix epoch. */
  readonly fromMs: number
  readonly toMs: number
  readonly signal: AbortSignalLike
}) => readonly QuotesFill[] | Promise<readonly QuotesFill[]>

/** Options of {@link snapshotFill}. */
export interface SnapshotFillOptions {
  readonly http: Pick<HttpClient, 'request'>
  /**
   * The path of a category's snapshots; `undefined` leaves the category out.
   * @defaultValue `/market-data/stocks/snapshots/list` for stocks and ETFs
   */
  readonly path?: ((category: string) => string | undefined) | undefined
  /** @defaultValue the client's */
  readonly apiVersion?: HttpRequest['apiVersion']
}

/** Symbols in one request. */
const CHUNK = 100

const stockPath = (category: string): string | undefined =>
  /_(?:STOCK|ETF)$/.test(category) ? '/market-data/stocks/snapshots/list' : undefined

const SNAPSHOT_FILL_OPTIONS = {
  http: port<Pick<HttpClient, 'request'>>(['request']),
  path: func(stockPath),
  apiVersion: optional(oneOf(['v2', 'v3'])),
} satisfies FieldsOf<SnapshotFillOptions>

/**
 * Makes a {@link FillHook} that asks for snapshots, a hundred symbols at a time.
 *
 * @throws QuotesError `QUOTES_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createQuotes, type QuotesOptions, snapshotFill } from '@brokerwire/quotes'
 *
 * declare const options: QuotesOptions
 *
 * const quotes = createQuotes({ ...options, fill: snapshotFill({ http: options.http }) })
 * await quotes.close()
 * ```
 */
export function snapshotFill(options: SnapshotFillOptions): FillHook {
  const { http, apiVersion, path: pathOf } = readOptions(optionInvalid, options, SNAPSHOT_FILL_OPTIONS)
  return async ({ symbols, signal }) => {
    const fills: QuotesFill[] = []
    const categories = new Set(symbols.map(({ category }) => category))
    for (const category of categories) {
      const path = pathOf(category)
      if (path === undefined) continue
      const names = symbols.filter((symbol) => symbol.category === category).map(({ symbol }) => symbol)
      for (let at = 0; at < names.length; at += CHUNK) {
        const query = { symbols: names.slice(at, at + CHUNK).join(','), category }
        const answer = (await http.request({ method: 'GET', path, query, apiVersion, signal })).json()
        if (!Array.isArray(answer))
          throw new TypeError(`snapshots: expected an array, got ${describe(answer)}`)
        for (const value of answer) {
          if (isRecord(value) && typeof value.symbol === 'string')
            fills.push({ category, symbol: value.symbol, state: 'snapshot', value })
        }
      }
    }
    return fills
  }
}
