/** Public names of the package. */

export type { OrderBackfillOptions } from './backfill/options.ts'
export {
  type BackfillEvent,
  createOrderBackfill,
  type OrderBackfill,
} from './backfill/order-backfill.ts'
export type { OrderStateItem, StateSource } from './backfill/order-state.ts'
export type {
  EntryReason,
  EntryState,
  OrderEntry,
  OrderLook,
  OutcomeSource,
} from './entry.ts'
export { createOrderJournal } from './journal.ts'
export { isOrdersError, OrdersError, type OrdersErrorCode, type OrdersErrorDetails } from './orders-error.ts'
export type {
  EntryId,
  JournalCallOptions,
  JournalClient,
  JournalOrder,
  JournalRequestOptions,
  OrderJournal,
  OrderJournalOptions,
  PlaceOptions,
  RecoverOptions,
  Recovery,
  SkippedEntry,
} from './types.ts'
