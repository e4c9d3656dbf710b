/** Types that the handlers of operations share. */
import type { RouteResponse } from '../routes/route-response.ts'
import type { FieldValues } from './fields.ts'
import type { TradingOperation } from './operations.ts'
import type { PathFamily } from './pages.ts'
import type { TradingService } from './trading-service.ts'

/** One call of an operation. */
export interface OperationCall {
  readonly service: TradingService
  readonly family: PathFamily
  /** The fields of the query or of the body. */
  readonly fields: FieldValues
  readonly nowMs: number
}

/** Executes an operation. @throws TradingRejection */
export type OperationHandler = (call: OperationCall) => RouteResponse

export type OperationHandlers<Name extends TradingOperation> = Readonly<Record<Name, OperationHandler>>

export const ok = (json: unknown): RouteResponse => ({ status: 200, json })
