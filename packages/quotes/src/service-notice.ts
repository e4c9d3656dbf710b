/** The notice made of a status message of the service (facts, market data, Messages). */
import { escapeControlChars } from '@brokerwire/core'
import { parseJsonObject, utf8Decode } from '@brokerwire/core/internal'
import type { QuotesNotice } from './notices.ts'

const MAX_UNITS = 1000

export function serviceNotice(payload: Uint8Array, connection: number, atMs: number): QuotesNotice {
  const text = utf8Decode(payload) ?? ''
  const drop = parseJsonObject(text)?.drop
  return {
    type: 'notice',
    kind: 'service-notice',
    atMs,
    connection,
    text: escapeControlChars(text, MAX_UNITS),
    drop: typeof drop === 'number' && Number.isFinite(drop) ? drop : undefined,
  }
}
