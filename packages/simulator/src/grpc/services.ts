/**
 * The two services. They reject invalid requests, and select the events of the logs that a subscription
 * receives. The specification defines no gRPC statuses. The simulator uses INVALID_ARGUMENT for a request
 * that is never valid, PERMISSION_DENIED for an unknown account, and OUT_OF_RANGE for an unknown cursor.
 */

import {
  ModuleMessageType,
  type ModuleSubscribeRequest,
  type ModuleSubscribeResponse,
  ModuleSubscribeResponseSchema,
  type TradeSubscribeRequest,
  type TradeSubscribeResponse,
  TradeSubscribeResponseSchema,
} from '@brokerwire/protos'
import { create } from '@bufbuild/protobuf'
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect'
import type { App, Apps } from '../apps/app.ts'
import { SUBSCRIBE_TYPES } from '../events/emitted.ts'
import type { EventLog } from '../events/event-log.ts'
import { moduleDialect, tradeDialect } from './dialect.ts'
import { RPC_CONTEXT, type RpcContext } from './rpc-context.ts'
import type { StreamHub } from './stream-hub.ts'
import type { EventSource, SentCursor } from './subscription.ts'

/** Dependencies of the services. */
export interface ServiceContext {
  readonly hub: StreamHub
  readonly apps: Apps
  /** Whether sums of subscribeTypes (3, 7, ...) are accepted. */
  readonly combinedSubscribeTypes: boolean
  readonly cursor: 'exclusive' | 'inclusive'
  readonly unknownCursor: 'reject' | 'from-now' | 'from-start'
}

/** Serves `grpc.trade.event.EventService`. */
export function subscribeTrade(
  context: ServiceContext,
): (request: TradeSubscribeRequest, rpc: HandlerContext) => AsyncGenerator<TradeSubscribeResponse> {
  return (request, handler) => {
    // A request may omit `subscribeType`, because only accounts are required: specification, "Trade/position
    // stream request".
    const subscribeType = request.subscribeType || SUBSCRIBE_TYPES.order
    return context.hub.subscribe(getRpc(handler), {
      service: 'trade',
      requested: {
        service: 'trade',
        subscribeType: request.subscribeType,
        accounts: [...request.accounts],
        timestamp: String(request.timestamp),
      },
      dialect: (input) => tradeDialect(input, subscribeType),
      open(appKey) {
        const app = context.apps.of(appKey)
        const source = openTrade(context, app, { subscribeType, request })
        return { source, slots: app.slots, isExclusive: app.settings.oneTradeSubscription }
      },
    })
  }
}

/** Serves `grpc.event.EventService`. */
export function subscribeModule(
  context: ServiceContext,
): (request: ModuleSubscribeRequest, rpc: HandlerContext) => AsyncGenerator<ModuleSubscribeResponse> {
  return (request, handler) =>
    context.hub.subscribe(getRpc(handler), {
      service: 'module',
      requested: {
        service: 'module',
        events: request.events.map(({ eventType, position }) => ({ eventType, position })),
        timestamp: request.timestamp,
      },
      dialect: moduleDialect,
      open(appKey) {
        const app = context.apps.of(appKey)
        return { source: openModule(context, app, request), slots: app.slots, isExclusive: false }
      },
    })
}

function openTrade(
  context: ServiceContext,
  app: App,
  { subscribeType, request }: { readonly subscribeType: number; readonly request: TradeSubscribeRequest },
): EventSource<TradeSubscribeResponse> {
  const maximum = context.combinedSubscribeTypes ? 7 : 2
  if (subscribeType < 1 || subscribeType > maximum)
    throw invalidArgument(`subscribeType must be 1 to ${maximum}`)
  if (request.accounts.length === 0) throw invalidArgument('accounts must not be empty')
  if (request.accounts.some((account) => !app.accounts.has(account))) {
    throw new ConnectError('accounts must be accounts of this app', Code.PermissionDenied)
  }
  const accounts = new Set(request.accounts)
  const log = app.tradeLog
  return createLogSource(log, log.end, (event) => {
    const isWanted = accounts.has(event.accountId) && (subscribeType & SUBSCRIBE_TYPES[event.kind]) !== 0
    if (!isWanted) return undefined
    return create(TradeSubscribeResponseSchema, {
      eventType: event.eventType,
      subscribeType,
      contentType: event.contentType,
      payload: event.payload,
      requestId: event.requestId,
      timestamp: BigInt(event.timestampMs),
    })
  })
}

function openModule(
  context: ServiceContext,
  app: App,
  request: ModuleSubscribeRequest,
): EventSource<ModuleSubscribeResponse> {
  if (request.events.length === 0) throw invalidArgument('events must not be empty')
  const starts = new Map<string, number>()
  for (const { eventType, position } of request.events) {
    if (eventType === '') throw invalidArgument('events must have an eventType in each entry')
    if (starts.has(eventType)) throw invalidArgument('events must not contain an eventType twice')
    starts.set(eventType, findStart(context, app, { eventType, position }))
  }
  const log = app.moduleLog
  return createLogSource(
    log,
    Math.min(...starts.values()),
    (event, index) => {
      const start = starts.get(event.eventType)
      if (start === undefined || index < start) return undefined
      const { id, eventType, position, timestamp, version, payload } = event
      const type = ModuleMessageType.Event
      return create(ModuleSubscribeResponseSchema, {
        type,
        id,
        eventType,
        position,
        timestamp,
        version,
        payload,
      })
    },
    ({ eventType, position }) => (position === '' ? undefined : { eventType, position }),
  )
}

/** Returns the log position at which the subscription of an event type begins. */
function findStart(
  context: ServiceContext,
  app: App,
  { eventType, position }: { readonly eventType: string; readonly position: string },
): number {
  const log = app.moduleLog
  if (position === '') return log.end
  const index = findCursor(app, eventType, position)
  if (index !== undefined) return context.cursor === 'inclusive' ? index : index + 1
  if (context.unknownCursor === 'from-now') return log.end
  if (context.unknownCursor === 'from-start') return log.start
  throw new ConnectError(
    'position must be a cursor of this eventType that is still retained',
    Code.OutOfRange,
  )
}

/** Returns the log position of a cursor, which the simulator encoded or which is from a replayed frame. */
function findCursor(app: App, eventType: string, position: string): number | undefined {
  const index = app.publisher.positions(eventType).decode(position)
  const event = index === undefined ? undefined : app.moduleLog.at(index)
  if (event?.eventType === eventType && event.position === position) return index
  return app.replayedCursors(eventType, position)
}

function createLogSource<E, M>(
  log: EventLog<E>,
  start: number,
  toMessage: (entry: E, index: number) => M | undefined,
  cursorOf: (entry: E) => SentCursor | undefined = () => undefined,
): EventSource<M> {
  let index = start
  /** Last cursor that was sent, by event type. */
  const cursors = new Map<string, SentCursor>()
  return {
    get end() {
      return log.end
    },
    get index() {
      return index
    },
    next() {
      while (index < log.end) {
        const entry = log.at(index)
        if (entry === undefined) return 'behind'
        index += 1
        const message = toMessage(entry, index - 1)
        if (message === undefined) continue
        const cursor = cursorOf(entry)
        if (cursor !== undefined) cursors.set(cursor.eventType, cursor)
        return message
      }
      return undefined
    },
    skip() {
      index = log.end
    },
    cursors: () => [...cursors.values()],
  }
}

function getRpc(handler: HandlerContext): RpcContext {
  const rpc = handler.values.get(RPC_CONTEXT)
  if (rpc === undefined) throw new ConnectError('the RPC has no context', Code.Internal)
  return rpc
}

function invalidArgument(message: string): ConnectError {
  return new ConnectError(message, Code.InvalidArgument)
}
