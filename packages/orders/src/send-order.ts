/** Sends the bytes of an entry, and marks the entry in the journal before each attempt. */
import type { AbortSignalLike, Operation } from '@brokerwire/core'
import { type Acceptance, placeOrder } from '@brokerwire/operations'
import { idsOf } from './looks.ts'
import type { OrderRequest } from './order-request.ts'
import { optionFailure } from './orders-error.ts'
import { acceptedOutcome, isAfterSending, outcomeOf, type SendOutcome } from './outcome.ts'
import type { JournalClient, JournalRequestOptions } from './types.ts'

/** The outcome of a sending, or the reason why it did not begin. */
export type Sending =
  | Exclude<SendOutcome, { readonly type: 'not-sent' }>
  /** Nothing was sent. */
  | { readonly type: 'stopped'; readonly error: unknown }
  /** The call ended with an error after the sending may have begun. */
  | { readonly type: 'aborted'; readonly error: unknown }
  /** The order may have been sent without its mark, because the client does not await `beforeAttempt`. */
  | { readonly type: 'unmarked'; readonly error: unknown }

/** Returns the operation that sends the bytes of a request that was created before. */
const operationOf = ({ request, body }: OrderRequest): Operation<undefined, Acceptance> => ({
  name: placeOrder.name,
  // The client encodes the parsed JSON to the same bytes, because the body is plain JSON.
  createRequest: () => ({ ...request, json: JSON.parse(body) as typeof request.json }),
  readResponse: placeOrder.readResponse,
})

/** Whether the error of an attempt shows that the service did not place the order. */
const hadNoEffect = (error: unknown): boolean => ['not-sent', 'rejected'].includes(outcomeOf(error).type)

/**
 * Sends an order once.
 *
 * @param mark - Writes that the order may have been sent. If it throws, nothing is sent.
 */
export async function sendOrder(
  http: JournalClient,
  order: OrderRequest,
  mark: () => Promise<void>,
  options: JournalRequestOptions & { readonly signal: AbortSignalLike | undefined },
): Promise<Sending> {
  let mayBeSent = false
  const beforeAttempt: JournalRequestOptions['beforeAttempt'] = async ({ lastError }) => {
    if (mayBeSent && !hadNoEffect(lastError))
      throw lastError ?? optionFailure('http', 'a client that passes lastError', 'a retry without it')
    mayBeSent = false
    await mark()
    mayBeSent = true
  }
  try {
    const { data } = await http.request(operationOf(order), undefined, { ...options, beforeAttempt })
    if (!mayBeSent) return unmarked()
    return acceptedOutcome(data, idsOf(order))
  } catch (error) {
    if (!mayBeSent) return isAfterSending(error, order.request.path) ? unmarked() : { type: 'stopped', error }
    if (options.signal?.aborted) return { type: 'aborted', error }
    const outcome = outcomeOf(error)
    return outcome.type === 'not-sent' ? { type: 'stopped', error } : outcome
  }
}

const unmarked = (): Sending => ({
  type: 'unmarked',
  error: optionFailure('http', 'a client that awaits beforeAttempt', 'a client that does not'),
})
