/** Creates the request of an order only once, so that the bytes in the entry are the bytes that are sent. */
import type { OperationRequest } from '@brokerwire/core'
import { isRecord, ownOption, ownOptions, randomHex, received } from '@brokerwire/core/internal'
import { placeOrder } from '@brokerwire/operations'
import type { JournalSettings } from './options.ts'
import { optionFailure } from './orders-error.ts'
import type { JournalOrder } from './types.ts'

/** An order as it will be sent. */
export interface OrderRequest {
  readonly accountId: string
  readonly clientOrderId: string
  readonly request: OperationRequest
  /** The JSON of the request. */
  readonly body: string
  /**
   * Whether the caller or its `createId` chose the identifier. Otherwise it is random, and no other call has
   * used it.
   */
  readonly isIdGiven: boolean
}

/**
 * Maximum length of an account id. Ids of the service have at most 26 characters. The bound keeps the index
 * small.
 */
const MAX_ACCOUNT_ID = 128

/**
 * Fills in the account and the identifiers, and creates the request.
 *
 * @throws OrdersError `JOURNAL_OPTION_INVALID`; OperationsError.
 */
export function createOrderRequest(order: JournalOrder, settings: JournalSettings): OrderRequest {
  if (!isRecord(order)) throw optionFailure('order', 'an object', received(order))
  const { accountId = settings.accountId, newOrders, ...rest } = ownOptions(order)
  if (settings.accountId !== undefined && accountId !== settings.accountId)
    throw optionFailure('order.accountId', 'that of the journal', 'another account')
  if (typeof accountId === 'string' && accountId.length > MAX_ACCOUNT_ID)
    throw optionFailure('order.accountId', `at most ${MAX_ACCOUNT_ID} characters`, 'a longer string')
  if (!Array.isArray(newOrders)) throw optionFailure('order.newOrders', 'an array', received(newOrders))
  const { createId = () => randomHex(16), pathFamily } = settings
  const withIds = (newOrders as JournalOrder['newOrders']).map((each) =>
    isRecord(each) ? { ...each, clientOrderId: ownOption(each, 'clientOrderId') ?? createId() } : each,
  )
  const input = { ...rest, accountId, newOrders: withIds } as Parameters<typeof placeOrder.createRequest>[0]
  const request = placeOrder.createRequest(input, { pathFamily })
  requirePlain(request.json, 'order')
  const body = JSON.stringify(request.json)
  const [first] = input.newOrders
  return {
    accountId: input.accountId,
    clientOrderId: first?.clientOrderId ?? '',
    request,
    body,
    isIdGiven: settings.createId !== undefined || ownOption(newOrders[0], 'clientOrderId') !== undefined,
  }
}

/**
 * Rejects values that are not plain JSON, such as a `Secret`: the journal must not store one, and the bytes of a second sending must
 * be the same.
 */
function requirePlain(value: unknown, path: string): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number' && Number.isFinite(value)) return
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) requirePlain(item, `${path}[${index}]`)
    return
  }
  const prototype: unknown = isRecord(value) ? Object.getPrototypeOf(value) : undefined
  if (!isRecord(value) || (prototype !== Object.prototype && prototype !== null) || 'toJSON' in value)
    throw optionFailure(
      path,
      'plain JSON',
      'another value',
      `${path} must be plain JSON, without secrets and classes`,
    )
  for (const [name, item] of Object.entries(value)) requirePlain(item, `${path}.${name}`)
}
