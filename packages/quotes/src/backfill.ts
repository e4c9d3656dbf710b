/** Backfill after gaps: the type of the hook, and a hook that fetches snapshots over HTTP. */
import type { AbortSignalLike } from '@brokerwire/core'
import {
  type FieldsOf,
  func,
  isRecord,
  oneOf,
  optional,
  port,
  readOptions,
  typeName,
} from '@brokerwire/core/internal'
import type { HttpRequest, RequestSender } from '@brokerwire/http'
import type { QuotesSymbol } from './notices.ts'
import { optionInvalid } from './quotes-error.ts'

/** A value that a backfill hook returns. */
export interface QuotesBackfill extends QuotesSymbol {
  /**
   * Kind of the state. The value is discarded if a message of the symbol with that kind was received after
   * the gap.
   * @defaultValue always delivered
   */
  readonly state?: 'quote' | 'snapshot' | 'event-quote' | 'event-snapshot' | undefined
  /**
   * The value as fetched. Its names are those of the service's JSON, which differ from those of messages
   * (facts, market data).
   */
  readonly value: unknown
}

/**
 * Fetches missed data. The hook is called after each gap. If it fails, a `backfill-failed` notice is
 * delivered.
 */
export type BackfillHook = (request: {
  /** Symbols that had the gap, at least one. */
  readonly symbols: readonly QuotesSymbol[]
  /** Time of the last activity before the gap, milliseconds since the Unix epoch. */
  readonly fromMs: number
  /** End of the gap, milliseconds since the Unix epoch. */
  readonly toMs: number
  /** Aborted when the market data is closed. */
  readonly signal: AbortSignalLike
}) => readonly QuotesBackfill[] | Promise<readonly QuotesBackfill[]>

/** Options of {@link snapshotBackfill}. */
export interface SnapshotBackfillOptions {
  /** Sends the signed requests for snapshots. */
  readonly http: RequestSender
  /**
   * Returns the path of a category's snapshots; `undefined` skips the category.
   * @defaultValue `/market-data/stocks/snapshots/list` for stocks and ETFs
   */
  readonly path?: ((category: string) => string | undefined) | undefined
  /** `x-version` of the requests. @defaultValue the client's */
  readonly apiVersion?: HttpRequest['apiVersion']
}

const SYMBOLS_PER_REQUEST = 100

const stockPath = (category: string): string | undefined =>
  /_(?:STOCK|ETF)$/.test(category) ? '/market-data/stocks/snapshots/list' : undefined

const SNAPSHOT_BACKFILL_OPTIONS = {
  http: port<RequestSender>(['request']),
  path: func(stockPath),
  apiVersion: optional(oneOf(['v2', 'v3'])),
} satisfies FieldsOf<SnapshotBackfillOptions>

/**
 * Creates a {@link BackfillHook} that fetches snapshots, a hundred symbols a request.
 *
 * @throws QuotesError `QUOTES_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createQuotes, type QuotesOptions, snapshotBackfill } from '@brokerwire/quotes'
 *
 * declare const options: QuotesOptions
 *
 * const quotes = createQuotes({ ...options, backfill: snapshotBackfill({ http: options.http }) })
 * await quotes.close()
 * ```
 */
export function snapshotBackfill(options: SnapshotBackfillOptions): BackfillHook {
  const { http, apiVersion, path: getPath } = readOptions(optionInvalid, options, SNAPSHOT_BACKFILL_OPTIONS)
  return async ({ symbols, signal }) => {
    const found: QuotesBackfill[] = []
    const categories = new Set(symbols.map(({ category }) => category))
    for (const category of categories) {
      const path = getPath(category)
      if (path === undefined) continue
      const names = symbols.filter((symbol) => symbol.category === category).map(({ symbol }) => symbol)
      for (let at = 0; at < names.length; at += SYMBOLS_PER_REQUEST) {
        const query = { symbols: names.slice(at, at + SYMBOLS_PER_REQUEST).join(','), category }
        const rows = (
          await http.request({ method: 'GET', path, operation: 'quotes.backfill', query, apiVersion, signal })
        ).json()
        if (!Array.isArray(rows))
          throw new TypeError(`snapshots must be an array; received ${typeName(rows)}`)
        for (const value of rows) {
          if (isRecord(value) && typeof value.symbol === 'string')
            found.push({ category, symbol: value.symbol, state: 'snapshot', value })
        }
      }
    }
    return found
  }
}
