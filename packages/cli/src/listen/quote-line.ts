/** Items of market data as lines: JSON for programs, a sentence for people. */
import { escapeControlChars } from '@brokerwire/core'
import { escapeJsonControlChars } from '@brokerwire/core/internal'
import type { QuotesItem, QuotesNotice } from '@brokerwire/quotes'
import { retriesLeftText } from '../render/retries-left.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Converts the bytes of unknown fields to strings. */
const readable = (_: string, value: unknown): unknown => (value instanceof Uint8Array ? hex(value) : value)

/** Formats an item as a line of `listen quotes --json`. */
export function quoteJsonLine(item: QuotesItem): string {
  if (item.type !== 'message')
    return escapeJsonControlChars(JSON.stringify({ stream: 'quotes', ...item }, readable))
  const { type, kind, topic, symbol = null, connection, receivedAtMs, duplicate, replaced } = item
  const result = item.decode()
  const decoded = result.ok
    ? { decoded: result.value }
    : { decoded: null, problem: { code: result.error.code, message: result.error.message } }
  const payload = hex(item.payload)
  const shown = {
    stream: 'quotes',
    type,
    kind,
    topic,
    symbol,
    connection,
    receivedAtMs,
    duplicate,
    replaced,
    ...decoded,
    payload,
  }
  return escapeJsonControlChars(JSON.stringify(shown, readable))
}

const formatSymbols = (symbols: readonly { readonly symbol: string }[]): string => {
  const first = symbols.slice(0, 5).map(({ symbol }) => symbol)
  return symbols.length > first.length
    ? `${first.join(', ')} and ${symbols.length - first.length} more`
    : first.join(', ')
}

/** Maximum length of a sentence, which contains arguments and text of the service. */
const MAX_CHARACTERS = 2000

/** Describes a notice in a sentence. */
export const quoteNoticeLine = (notice: QuotesNotice): string =>
  escapeControlChars(describeNotice(notice), MAX_CHARACTERS)

function describeNotice(notice: QuotesNotice): string {
  const { kind } = notice
  switch (kind) {
    case 'subscribed':
      return `subscribed: ${notice.symbols} symbols on connection ${notice.connection}`
    case 'reconnecting': {
      const why = notice.message ?? notice.connackName ?? notice.fault ?? notice.systemCode ?? notice.reason
      return `reconnecting: ${notice.reason}${why === notice.reason ? '' : ` (${why})`}, in ${notice.delayMs} ms${retriesLeftText(notice)}`
    }
    case 'gap':
      return `gap of ${notice.toMs - notice.fromMs} ms: ${formatSymbols(notice.symbols)}`
    case 'rejected':
      return `rejected (${notice.code}): ${formatSymbols(notice.symbols)}`
    case 'subscribe-failed':
      return `subscribe failed: ${notice.code}, retrying in ${notice.delayMs} ms${retriesLeftText(notice)}`
    case 'stalled':
      return `stalled: no message for ${notice.idleMs} ms; the market may be closed`
    case 'overflow':
      return `overflow: ${notice.messages} items that were not read in time`
    case 'service-notice':
      return `service: ${escapeControlChars(notice.text, 200)}`
    case 'backfill-failed':
      return 'backfill failed: the missed data could not be fetched'
    default:
      return kind satisfies never
  }
}
