/**
 * Creates frames and appends them to the logs that subscriptions read. All wire data of an app's events is
 * generated here, from one seeded sequence and the clock. The same calls in the same order at the same times
 * produce the same bytes.
 */
import type { Clock } from '@brokerwire/core'
import { boolean, integer, isRecord, oneOf, received, receivedName, string } from '@brokerwire/core/internal'
import { argumentFailure, readArguments } from '../simulator-error.ts'
import { MAX_DATE_MS } from '../time/offset-clock.ts'
import { envelopeText } from '../wire/envelope.ts'
import { isoNanoseconds } from '../wire/formats.ts'
import { randomOrderId as randomRequestId } from '../wire/identifiers.ts'
import type { Market } from '../wire/instruments.ts'
import { jsonText } from '../wire/json-text.ts'
import { MODULE_NAMES, MODULES } from '../wire/modules.ts'
import {
  isInvented,
  type NewOrder,
  newOrder,
  ORDER_SCENES,
  type OrderPayloadFields,
  type OrderState,
  orderPayload,
  orderStep,
} from '../wire/order.ts'
import { settlement } from '../wire/position.ts'
import { applyQuirks, type Quirks } from '../wire/quirks.ts'
import type { WireRandom } from '../wire/random.ts'
import { validateOrder } from '../wire/validate-order.ts'
import {
  FRAME_ARGUMENTS,
  MODULE_ARGUMENTS,
  MODULE_FRAME_ARGUMENTS,
  type ModuleEmission,
  ORDER_ARGUMENTS,
  type OrderEmission,
  type PositionEmission,
  type RawModuleEmission,
  type RawTradeEmission,
} from './emissions.ts'
import { type EmittedModuleEvent, type EmittedTradeEvent, TRADE_EVENT_CODES } from './emitted.ts'
import type { EventLog } from './event-log.ts'
import { createPositionCodec, type PositionCodec } from './positions.ts'
import { latestEvents, type Redelivery } from './redelivery.ts'

/** Dependencies of the publisher. */
export interface PublisherContext {
  readonly clock: Clock
  readonly random: WireRandom
  readonly market: Market
  readonly accounts: readonly [string, ...string[]]
  readonly quirks: Quirks
  readonly seed: number
  /** Event type of SOD events. */
  readonly sodEventType: string
  readonly tradeLog: EventLog<EmittedTradeEvent>
  readonly moduleLog: EventLog<EmittedModuleEvent>
  /** Called after an append to one of the logs. */
  readonly onAppend: () => void
}

/** Generates frames and appends them. */
export interface Publisher {
  emitOrder(input: OrderEmission): { readonly order: OrderState; readonly event: EmittedTradeEvent }
  /** Sends the event of an order. The caller stores the state of the order. */
  emitOrderPayload(fields: Omit<OrderPayloadFields, 'requestId'>): EmittedTradeEvent
  emitPosition(input: PositionEmission): EmittedTradeEvent
  emitTradeFrame(input: RawTradeEmission): EmittedTradeEvent
  emitModule(input: ModuleEmission): EmittedModuleEvent
  emitModuleFrame(input: RawModuleEmission): EmittedModuleEvent
  /** Sends the latest trade events again, with the same bytes and request ids. */
  redeliverTradeEvents(count: number): readonly EmittedTradeEvent[]
  /**
   * Sends the latest matching events of both services again, unchanged. Module events keep their cursors.
   *
   * @returns Number of events.
   */
  redeliver(selection: Redelivery): number
  generateOrder(accountId: string | undefined, fixed: NewOrder): OrderState
  positions(eventType: string): PositionCodec
}

const JSON_TYPE = 'application/json'
/** Creates a publisher. */
export function createPublisher(context: PublisherContext): Publisher {
  const { clock, random, market, accounts, tradeLog, moduleLog } = context
  // A codec is created for each call. Clients choose the names of event types, so a cache would grow without
  // bound.
  const positions = (eventType: string): PositionCodec => createPositionCodec(context.seed, eventType)
  const known = new Set<unknown>(accounts)
  const account = (id: string | undefined): string => {
    if (id === undefined) return accounts[0]
    if (known.has(id)) return id
    throw argumentFailure('accountId', 'an account of the app', receivedName(id))
  }
  const generateOrder = (accountId: string | undefined, fixed: NewOrder): OrderState =>
    newOrder(random, market, account(accountId), validateNewOrder(fixed, market))
  const finishPayload = (
    generated: Readonly<Record<string, unknown>>,
    overrides: Readonly<Record<string, unknown>> | undefined,
  ): Readonly<Record<string, unknown>> => {
    if (overrides !== undefined && !isRecord(overrides))
      throw argumentFailure('payload', 'an object', received(overrides))
    return { ...(context.quirks === 'as-seen' ? applyQuirks(generated, random) : generated), ...overrides }
  }
  const appendTrade = (event: EmittedTradeEvent): EmittedTradeEvent => {
    tradeLog.append(event)
    context.onAppend()
    return event
  }

  const appendOrder = (
    accountId: string,
    payload: Readonly<Record<string, unknown>>,
    { requestId, invented }: { readonly requestId: string; readonly invented: boolean },
  ): EmittedTradeEvent =>
    appendTrade({
      kind: 'order',
      eventType: TRADE_EVENT_CODES.order,
      accountId,
      contentType: JSON_TYPE,
      payload: jsonText('payload', payload),
      requestId,
      timestampMs: clock.now(),
      invented,
    })

  const appendModule = (event: EmittedModuleEvent): EmittedModuleEvent => {
    moduleLog.append(event)
    context.onAppend()
    return event
  }

  return {
    positions,
    generateOrder,
    emitOrder(given) {
      const input = readArguments(given, ORDER_ARGUMENTS)
      const scene = oneOf(ORDER_SCENES, 'FINAL_FILLED')(input.scene, 'scene', argumentFailure)
      const before =
        input.order === undefined
          ? generateOrder(input.accountId, input)
          : validateOrder(input.order, account)
      const nowMs = clock.now()
      const quantity = optionalUnits('stepQuantity', input.stepQuantity)
      const step = orderStep(before, scene, { random, market, nowMs, quantity })
      const event = appendOrder(before.accountId, finishPayload(step.payload, input.payload), {
        requestId: String(step.payload.request_id),
        invented: step.invented,
      })
      return { order: step.order, event }
    },
    emitOrderPayload({ accountId, scene, ...fields }) {
      const requestId = randomRequestId(random)
      const payload = orderPayload({ ...fields, accountId, scene, requestId })
      return appendOrder(accountId, finishPayload(payload, undefined), {
        requestId,
        invented: isInvented(scene),
      })
    },
    emitPosition(given) {
      const input = readArguments(given, ['accountId', 'payload'])
      return appendTrade({
        kind: 'position',
        eventType: TRADE_EVENT_CODES.position,
        accountId: account(input.accountId),
        contentType: JSON_TYPE,
        payload: jsonText('payload', finishPayload(settlement(random).payload, input.payload)),
        requestId: randomRequestId(random),
        timestampMs: clock.now(),
        invented: false,
      })
    },
    emitTradeFrame(given) {
      const input = readArguments(given, FRAME_ARGUMENTS)
      if (typeof input.payload !== 'string') {
        throw argumentFailure('payload', 'a string', received(input.payload))
      }
      const kind = oneOf(['order', 'position', 'option'], 'order')(input.kind, 'kind', argumentFailure)
      const eventType = integer({
        min: 0,
        max: 2_147_483_647,
        default: TRADE_EVENT_CODES[kind],
      })(input.eventType, 'eventType', argumentFailure)
      return appendTrade({
        kind,
        eventType,
        accountId: account(input.accountId),
        contentType: optionalString('contentType', input.contentType) ?? JSON_TYPE,
        payload: input.payload,
        requestId: optionalString('requestId', input.requestId) ?? randomRequestId(random),
        timestampMs: integer({
          min: 0,
          max: MAX_DATE_MS,
          default: clock.now(),
        })(input.timestampMs, 'timestampMs', argumentFailure),
        invented: true,
      })
    },
    emitModule(given) {
      const input = readArguments(given, MODULE_ARGUMENTS)
      const nowMs = clock.now()
      const withPosition = boolean(true)(input.withPosition, 'withPosition', argumentFailure)
      const id = optionalString('id', input.id) ?? `event_${random.uuid()}`
      const { eventType, invented, fields } = moduleFields(input, nowMs)
      const timestamp = isoNanoseconds(nowMs, random.integer(0, 999_999))
      const omitsPosition = context.quirks === 'as-seen' && random.chance(0.1)
      const position = !withPosition ? '' : positions(eventType).encode(moduleLog.end)
      const event: EmittedModuleEvent = {
        module: input.module,
        id,
        eventType,
        position,
        timestamp,
        version: '1.0',
        payload: jsonText(
          'payload',
          { id, eventType, position: omitsPosition ? '' : position, timestamp, payload: fields },
          envelopeText,
        ),
        invented,
      }
      return appendModule(event)
    },
    emitModuleFrame(given) {
      const input = readArguments(given, MODULE_FRAME_ARGUMENTS)
      const { payload } = input
      if (typeof payload !== 'string') throw argumentFailure('payload', 'a string', received(payload))
      const eventType = string()(input.eventType, 'eventType', argumentFailure)
      return appendModule({
        module: undefined,
        id: optionalString('id', input.id) ?? `event_${random.uuid()}`,
        eventType,
        position: optionalString('position', input.position) ?? positions(eventType).encode(moduleLog.end),
        timestamp:
          optionalString('timestamp', input.timestamp) ??
          isoNanoseconds(clock.now(), random.integer(0, 999_999)),
        version: optionalString('version', input.version) ?? '1.0',
        payload,
        invented: true,
      })
    },
    redeliverTradeEvents(count) {
      const again = tradeLog.entries().slice(-integer(COUNT)(count, 'count', argumentFailure))
      for (const event of again) tradeLog.append(event)
      context.onAppend()
      return again
    },
    redeliver(selection) {
      const latest = latestEvents(tradeLog, moduleLog, selection)
      for (const { appendAgain } of latest) appendAgain()
      context.onAppend()
      return latest.length
    },
  }

  function moduleFields(
    input: ModuleEmission,
    nowMs: number,
  ): {
    readonly eventType: string
    readonly invented: boolean
    readonly fields: Readonly<Record<string, unknown>>
  } {
    if (input.module === undefined) {
      const { eventType } = input
      if (typeof eventType !== 'string' || eventType === '') {
        throw argumentFailure('eventType', 'a non-empty string if module is missing', received(eventType))
      }
      const named = optionalString('bizType', input.bizType)
      const bizType = named === undefined ? {} : { biz_type: named }
      return { eventType, invented: true, fields: { ...bizType, ...finishPayload({}, input.payload) } }
    }
    const name = oneOf(MODULE_NAMES)(input.module, 'module', argumentFailure)
    const definition = MODULES[name]
    const [first = '', ...rest] = Object.keys(definition.bizTypes)
    const bizType = oneOf([first, ...rest])(
      input.bizType ?? random.pick([first, ...rest]),
      'bizType',
      argumentFailure,
    )
    const accountId = account(input.accountId)
    const generated = definition.bizTypes[bizType]?.({
      random,
      market,
      nowMs,
      accountId,
      otherAccountId: accounts.find((other) => other !== accountId) ?? accountId,
    })
    return {
      eventType:
        optionalName('eventType', input.eventType) ??
        (name === 'sod' ? context.sodEventType : definition.eventType),
      invented: definition.invented === true,
      fields: { biz_type: bizType, ...finishPayload(generated ?? {}, input.payload) },
    }
  }
}

const COUNT = { min: 1, max: 1_000_000, default: 1 }

/** Validates an optional string. If it is `undefined`, the caller generates one. */
function optionalString(argument: string, value: string | undefined): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw argumentFailure(argument, 'a string', received(value))
}

/** Validates an optional name. If it is `undefined`, the caller generates one. */
function optionalName(argument: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : string()(value, argument, argumentFailure)
}

/** Validates an optional number of whole units. If it is `undefined`, the caller generates one. */
function optionalUnits(argument: string, value: number | undefined): number | undefined {
  return value === undefined ? undefined : integer(COUNT)(value, argument, argumentFailure)
}

function validateNewOrder(fixed: NewOrder, market: Market): NewOrder {
  const symbols = market.instruments.map(({ symbol }) => symbol)
  const { symbol, side, orderType, quantity } = fixed
  return {
    symbol: symbol === undefined ? undefined : oneOf(symbols)(symbol, 'symbol', argumentFailure),
    side: side === undefined ? undefined : oneOf(['BUY', 'SELL'])(side, 'side', argumentFailure),
    orderType:
      orderType === undefined
        ? undefined
        : oneOf(['LIMIT', 'MARKET'])(orderType, 'orderType', argumentFailure),
    quantity: optionalUnits('quantity', quantity),
  }
}
