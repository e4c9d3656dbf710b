/** The decoder of a response without a body. It is a decoder only by its type: the body is not parsed. */
import { type Decoder, decoder } from '@brokerwire/payloads'

/**
 * The decoder of an operation whose response has no body, such as a 204. The body is not read, so `data` is `undefined` for every
 * successful response. `response.text()` has the body, if there is one.
 *
 * @example
 * ```ts
 * import { defineOperation, field, nothing } from '@brokerwire/operations'
 *
 * const deleteWatchlist = defineOperation(
 *   {
 *     name: 'watchlists.delete',
 *     method: 'POST',
 *     paths: { current: '/trading/watchlists/delete' },
 *     fields: { watchlistId: field.string() },
 *     retry: 'unsent',
 *     sources: ['my notes, 2026-11-01'],
 *     confidence: 'observed',
 *   },
 *   nothing,
 * )
 * console.log(deleteWatchlist.name)
 * ```
 */
export const nothing: Decoder<undefined> = decoder({ kind: 'json' }, () => undefined)
