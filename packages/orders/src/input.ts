/** The input of a placement. */
import type { placeOrder } from '@brokerwire/operations'

/** The input of `placeOrder` of `@brokerwire/operations`: an account, and one order or a group of orders. */
export type PlaceInput = Parameters<typeof placeOrder.createRequest>[0]
