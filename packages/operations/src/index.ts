/** The HTTP operations of the service as data, for `request()` of `@brokerwire/http`. */
export type {
  Operation,
  OperationIssue,
  OperationRequest,
  OperationRequestOptions,
  OperationResponseInput,
  PathFamily,
  RateLimit,
  RateLimits,
} from '@brokerwire/core'
export { defineOperation, definePagedOperation } from './define-operation.ts'
export { type Confidence, type Field, type Fields, field, type InputOf } from './fields.ts'
export { nothing } from './nothing.ts'
export type {
  DefinedOperation,
  LastIdPagination,
  OperationDefinition,
  Page,
  PagedOperation,
  SourceKey,
} from './operation.ts'
export {
  isOperationsError,
  OperationsError,
  type OperationsErrorCode,
  type OperationsErrorDetails,
} from './operations-error.ts'
export { type OperationClient, type PaginateObserver, paginate } from './paginate.ts'
export {
  type Account,
  type AccountBalance,
  getBalance,
  listAccounts,
  listPositions,
  type Position,
} from './rows/accounts.ts'
export { getConfig, type ServiceConfig } from './rows/config.ts'
export { listStockProfiles, type StockProfile } from './rows/instruments.ts'
export {
  getDepth,
  listBars,
  listSnapshots,
  listTicks,
  type StockBars,
  type StockDepth,
  type StockSnapshot,
  type StockTicks,
} from './rows/market-data.ts'
export type { BatchOrder, NewOrder } from './rows/order-input.ts'
export type { Acceptance, BatchAcceptance, Order, OrderGroup, OrderPreview } from './rows/order-output.ts'
export {
  batchPlaceOrders,
  cancelOrder,
  getOrder,
  listOpenOrders,
  listOrderHistory,
  placeOrder,
  previewOrder,
  replaceOrder,
} from './rows/orders.ts'
export {
  type AccessToken,
  type ClientToken,
  checkAccessToken,
  createAccessToken,
  createClientToken,
  refreshClientToken,
} from './rows/tokens.ts'
