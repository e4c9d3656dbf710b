/** All operations of the table, in the order of the documents. */

import type { Fields } from '../fields.ts'
import type { DefinedOperation } from '../operation.ts'
import { getBalance, listAccounts, listPositions } from '../rows/accounts.ts'
import { getConfig } from '../rows/config.ts'
import { listStockProfiles } from '../rows/instruments.ts'
import { getDepth, listBars, listSnapshots, listTicks } from '../rows/market-data.ts'
import {
  batchPlaceOrders,
  cancelOrder,
  getOrder,
  listOpenOrders,
  listOrderHistory,
  placeOrder,
  previewOrder,
  replaceOrder,
} from '../rows/orders.ts'
import { checkAccessToken, createAccessToken, createClientToken, refreshClientToken } from '../rows/tokens.ts'

/** An operation of the table, whatever its input and output are. */
export type TableRow = DefinedOperation<Fields, unknown>

const rows = {
  getConfig,
  createAccessToken,
  checkAccessToken,
  createClientToken,
  refreshClientToken,
  listAccounts,
  getBalance,
  listPositions,
  previewOrder,
  placeOrder,
  batchPlaceOrders,
  replaceOrder,
  cancelOrder,
  getOrder,
  listOpenOrders,
  listOrderHistory,
  listStockProfiles,
  listSnapshots,
  listBars,
  getDepth,
  listTicks,
}

/** All operations, by the names that `@brokerwire/operations` exports them under. */
export const OPERATIONS: Readonly<Record<string, TableRow>> = rows as unknown as Readonly<
  Record<string, TableRow>
>
