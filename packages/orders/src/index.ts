/** Public names of the package. */
export type { PlaceInput } from './input.ts'
export { isOrdersError, OrdersError, type OrdersErrorCode, type OrdersErrorDetails } from './orders-error.ts'
