/**
 * Plugin for the option `trading`: the operations of both path families. They are routes, like those that a
 * user can add. They are added first, so a route of the user on the same path has precedence.
 */
import { isRecord } from '@brokerwire/core/internal'
import type { RouteRequest } from '../routes/route-request.ts'
import type { RouteResponse } from '../routes/route-response.ts'
import { errorResponse } from '../routes/route-response.ts'
import type { SimulatorCore } from '../server/core.ts'
import type { SimulatorPlugin } from '../server/plugin.ts'
import { ACCOUNT_HANDLERS } from './account-endpoints.ts'
import type { OperationCall, OperationHandlers } from './endpoint.ts'
import type { FieldValues } from './fields.ts'
import { getMarketName } from './instruments.ts'
import { createOperationLimiter, type OperationLimiter } from './operation-limits.ts'
import { OPERATION_NAMES, OPERATIONS, publishedLimit, type TradingOperation } from './operations.ts'
import { ORDER_HANDLERS } from './order-endpoints.ts'
import type { PathFamily } from './pages.ts'
import { QUOTE_HANDLERS } from './quote-endpoints.ts'
import { TradingRejection } from './rejection.ts'
import { createTradingControls, type TradingControls } from './trading-controls.ts'
import type { TradingSettings } from './trading-options.ts'
import { TradingService } from './trading-service.ts'

/** The order service of one simulator. */
export interface Trading extends SimulatorPlugin {
  /** Returns the controls of an app's order service. */
  getControls(appKey: string): TradingControls
  /** Returns the order service of an app. */
  getService(appKey: string): TradingService
  /** Executes an operation as for a request on its new path, but without rate limits and faults. */
  execute(appKey: string, operation: TradingOperation, fields: FieldValues): RouteResponse
}

const HANDLERS: OperationHandlers<TradingOperation> = {
  ...ACCOUNT_HANDLERS,
  ...ORDER_HANDLERS,
  ...QUOTE_HANDLERS,
}

/** The order service of an app, and its dependencies. */
interface AppTrading {
  readonly service: TradingService
  readonly limiter: OperationLimiter
  readonly controls: TradingControls
}

export function createTradingPlugin(core: SimulatorCore, settings: TradingSettings): Trading {
  const { apps, faults, lifecycle, routes, state, waiters } = core
  const { clock, seed, emitPlaceEvents, profile } = core.settings
  const byKey = new Map<string, AppTrading>(
    apps.all.map((app) => {
      const context = { app, settings, clock, state, seed, emitPlaceEvents, onChange: waiters.poll }
      const service = new TradingService(context)
      const controls = createTradingControls({
        service,
        clock,
        faults: faults.api,
        requireOpen: lifecycle.requireOpen,
      })
      return [app.settings.appKey, { service, limiter: createOperationLimiter(), controls }] as const
    }),
  )
  const of = (appKey: string): AppTrading => {
    const found = byKey.get(appKey) ?? byKey.get(apps.all[0].settings.appKey)
    if (found === undefined) throw new Error('each app has an order service')
    return found
  }

  for (const operation of OPERATION_NAMES) {
    const { method, path, oldPath, stockOrderPath } = OPERATIONS[operation]
    const serve =
      (family: PathFamily) =>
      (request: RouteRequest): RouteResponse =>
        execute(of(request.appKey), { operation, family, request })
    if (path !== undefined) routes.add(method, path, serve('new'))
    routes.add(method, oldPath, serve('old'))
    if (profile === 'official-clients' && stockOrderPath !== undefined) {
      routes.add(method, stockOrderPath, serve('old'))
    }
  }
  return {
    getControls: (appKey) => of(appKey).controls,
    getService: (appKey) => of(appKey).service,
    execute: (appKey, operation, fields) =>
      executeFields({ service: of(appKey).service, family: 'new', fields, nowMs: clock.now() }, operation),
    *records() {
      for (const { service } of byKey.values()) yield* service.records()
    },
    async start() {
      // Orders that were restored from a state file may be due.
      for (const { service } of byKey.values()) service.run()
    },
    close() {
      for (const { service } of byKey.values()) service.close()
    },
  }
}

interface Call {
  readonly operation: TradingOperation
  readonly family: PathFamily
  readonly request: RouteRequest
}

function execute({ service, limiter }: AppTrading, { operation, family, request }: Call): RouteResponse {
  const { nowMs } = request
  const isPost = OPERATIONS[operation].method === 'POST'
  const fields: unknown = isPost ? request.body : Object.fromEntries(request.query)
  if (!isAllowed(service, limiter, operation, isRecord(fields) ? fields : {}, nowMs)) {
    return errorResponse(429, 'TOO_MANY_REQUESTS', `too many calls of ${operation}`)
  }
  if (!isRecord(fields))
    return errorResponse(417, 'OPENAPI_PARAM_ERR', 'the request body must be a JSON object')
  return executeFields({ service, family, fields, nowMs }, operation)
}

function executeFields(call: OperationCall, operation: TradingOperation): RouteResponse {
  try {
    call.service.run(call.nowMs)
    return HANDLERS[operation](call)
  } catch (error) {
    if (!(error instanceof TradingRejection)) throw error
    const { status, code, message } = error.rejection
    return errorResponse(status, code, message)
  }
}

function isAllowed(
  service: TradingService,
  limiter: OperationLimiter,
  operation: TradingOperation,
  fields: FieldValues,
  nowMs: number,
): boolean {
  const { rateLimits } = service.settings
  if (rateLimits === false) return true
  const { region, environment } = service.app.settings
  const limit =
    rateLimits[operation] ?? publishedLimit(operation, region, environment, marketName(service, fields))
  const { requests, windowMs } = limit
  return limiter.take(`${operation} ${requests}/${windowMs}`, limit, nowMs)
}

/**
 * Returns the market of the order that a request places, replaces or cancels. `undefined` if the order is
 * unknown.
 */
function marketName(service: TradingService, fields: FieldValues): string | undefined {
  const [item] = [fields.new_orders, fields.modify_orders].flatMap((list) =>
    Array.isArray(list) ? list : [],
  )
  const order: unknown = item ?? fields
  if (!isRecord(order)) return undefined
  if (typeof order.market === 'string') return order.market
  const id = String(order.client_order_id)
  const found = service.accounts.flatMap((account) => account.find(id) ?? [])[0]
  return found && getMarketName(found.instrument)
}
