/**
 * Decides what a failed sending of an order means. Pure. Error codes of `@brokerwire/http` are compared as
 * strings.
 */
import { escapeControlChars, isBrokerwireError } from '@brokerwire/core'
import { isRejection } from '@brokerwire/core/internal'
import type { Acceptance } from '@brokerwire/operations'
import type { EntryReason } from './entry.ts'
import { nameOf } from './orders-error.ts'

/** The outcome of one sending. */
export type SendOutcome =
  | { readonly type: 'accepted'; readonly orderId: string | undefined }
  /** The service already has an order with this id. */
  | { readonly type: 'repeated-id'; readonly reason: EntryReason }
  | { readonly type: 'rejected'; readonly reason: EntryReason }
  | { readonly type: 'not-sent' }
  /** The order may exist. */
  | { readonly type: 'lost'; readonly reason: EntryReason }

/** Codes of errors that occur before the request is sent. */
const BEFORE_SENDING = new Set(['HTTP_OPTION_INVALID', 'HTTP_HEADER_FORBIDDEN'])

/** Removes the prefix that some responses have from a code of the service. */
const withoutPrefix = (code: string): string => code.replace(/^(?:OAUTH_)?OPENAPI_/, '')

/** Returns the service's code in an error, without its prefix. */
export function serviceCodeOf(error: unknown): string | undefined {
  const code = isBrokerwireError(error) ? error.details.serviceCode : undefined
  return typeof code === 'string' ? escapeControlChars(withoutPrefix(code), 100) : undefined
}

/**
 * Returns the code of a failure to show to people: the service's code, or else the code or the name of the
 * error.
 */
export const codeOf = (error: unknown): string => {
  const { errorName, errorCode } = nameOf(error)
  return serviceCodeOf(error) ?? errorCode ?? errorName
}

/**
 * Decides the outcome of a sending with a successful response. Without the service's identifier of this order,
 * the response does not show that the order exists.
 *
 * @param ids - Identifiers of the order, or of all orders of the group.
 */
export function acceptedOutcome(
  { clientOrderId, orderId, comboOrderId }: Acceptance,
  ids: ReadonlySet<unknown>,
): Exclude<SendOutcome, { readonly type: 'not-sent' }> {
  const id = orderId ?? comboOrderId
  if (!id) return { type: 'lost', reason: { code: 'ORDER_ID_MISSING' } }
  if (clientOrderId !== undefined && !ids.has(clientOrderId))
    return { type: 'lost', reason: { code: 'OTHER_ORDER' } }
  return { type: 'accepted', orderId: id }
}

/**
 * Whether an error shows that the request to this path was sent, or may have been sent. Errors of a token
 * provider do not show that.
 */
export function isAfterSending(error: unknown, path: string): boolean {
  if (!isBrokerwireError(error) || BEFORE_SENDING.has(error.code)) return false
  const isOfResponse = error.code.startsWith('HTTP_') && (error.details.path ?? path) === path
  const isSent = isOfResponse || error.code === 'OPERATION_RESPONSE_INVALID'
  return isSent && outcomeOf(error).type !== 'not-sent'
}

/**
 * Decides the outcome of a sending that failed after it may have begun.
 *
 * Any outcome other than `lost` requires a response that rejects the order, or the knowledge that nothing was
 * sent.
 */
export function outcomeOf(error: unknown): SendOutcome {
  const reason: EntryReason = { code: codeOf(error) }
  if (!isBrokerwireError(error)) return { type: 'lost', reason }
  const { serviceMessage } = error.details
  if (serviceCodeOf(error) === 'TRADE_PLACE_ORDER_REPEAT') return { type: 'repeated-id', reason }
  // A host that may have sent the request twice knows only that the last sending failed.
  if (error.code === 'HTTP_NOT_SENT')
    return error.details.sentOnce === true ? { type: 'not-sent' } : { type: 'lost', reason }
  // The signer runs before the request is sent. An error of the token provider does not show that nothing was
  // sent, because the provider also fails when a rejected token is reported to it.
  if (BEFORE_SENDING.has(error.code) || error.name === 'SignerError') return { type: 'not-sent' }
  if (!isRejection(error)) return { type: 'lost', reason }
  const message = typeof serviceMessage === 'string' ? escapeControlChars(serviceMessage, 200) : undefined
  return { type: 'rejected', reason: { ...reason, message } }
}
