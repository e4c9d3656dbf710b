/**
 * Turns what happens into frames, and appends them to the logs that subscriptions read.
 *
 * All wire data is drawn here, from one seeded sequence and the clock: the same calls in the same order at the same
 * instants give the same bytes.
 */
import type { Clock } from '@brokerwire/core'
import { boolean, integer, isRecord, oneOf, received, receivedName, string } from '@brokerwire/core/internal'
import { argumentFailure, readArguments } from '../simulator-error.ts'
import { LAST_DATE_MS } from '../time/offset-clock.ts'
import { envelopeText } from '../wire/envelope.ts'
import { orderId as drawRequestId } from '../wire/identifiers.ts'
import type { Market } from '../wire/instruments.ts'
import { MODULE_NAMES, MODULES, type ModuleName } from '../wire/modules.ts'
import {
  type NewOrder,
  newOrder,
  ORDER_SCENES,
  type OrderScene,
  type OrderState,
  orderStep,
} from '../wire/order.ts'
import { settlement } from '../wire/position.ts'
import type { WireRandom } from '../wire/random.ts'
import { readOrder } from '../wire/read-order.ts'
import { makeSloppy, type Sloppiness } from '../wire/sloppiness.ts'
import { isoNanoseconds } from '../wire/text-forms.ts'
import {
  DATA_CODES,
  type EmittedModuleEvent,
  type EmittedTradeEvent,
  type TradeEventKind,
} from './emitted.ts'
import type { EventLog } from './event-log.ts'
import { createPositionCodec, type PositionCodec } from './positions.ts'

/** A new order event. Without `order`, a new order is drawn and the scene happens to it. */
export interface OrderEmission extends NewOrder {
  /** @defaultValue 'FINAL_FILLED' */
  readonly scene?: OrderScene | undefined
  readonly order?: OrderState | undefined
  /** @defaultValue the first account */
  readonly accountId?: string | undefined
  /** FILLED: units filled now. MODIFY_SUCCESS: the new quantity. */
  readonly stepQuantity?: number | undefined
  /** Fields put over the drawn payload. */
  readonly payload?: Readonly<Record<string, unknown>> | undefined
}

/** A position settlement. */
export interface PositionEmission {
  /** @defaultValue the first account */
  readonly accountId?: string | undefined
  readonly payload?: Readonly<Record<string, unknown>> | undefined
}

/** Any frame of the trade service, sent as it is. */
export interface RawTradeEmission {
  readonly kind?: TradeEventKind | undefined
  /** @defaultValue the kind's code */
  readonly eventType?: number | undefined
  readonly accountId?: string | undefined
  /** @defaultValue 'application/json' */
  readonly contentType?: string | undefined
  /** The text, as it is. */
  readonly payload: string
  /** @defaultValue drawn */
  readonly requestId?: string | undefined
  /** Of the frame; at most the last instant that a `Date` can be. @defaultValue the clock's */
  readonly timestampMs?: number | undefined
}

/** Any frame of the module service, sent as it is. */
export interface RawModuleEmission {
  readonly eventType: string
  /** The text, as it is: an envelope in it is not touched. */
  readonly payload: string
  /** @defaultValue drawn */
  readonly id?: string | undefined
  /** Its cursor, as it is; empty: none. @defaultValue drawn */
  readonly position?: string | undefined
  /** As it is. @defaultValue the clock's, ISO 8601 with nanoseconds */
  readonly timestamp?: string | undefined
  /** @defaultValue '1.0' */
  readonly version?: string | undefined
}

/** A module event: of a known module, or of any event type. */
export interface ModuleEmission {
  /** Draws the payload of this module. */
  readonly module?: ModuleName | undefined
  /** @defaultValue drawn from the module's */
  readonly bizType?: string | undefined
  /** Event type, where it is not the module's. Required without `module`. */
  readonly eventType?: string | undefined
  readonly accountId?: string | undefined
  /** Fields put over the drawn payload. */
  readonly payload?: Readonly<Record<string, unknown>> | undefined
  /** `false`: the event carries no cursor, in frame and envelope. @defaultValue true */
  readonly withPosition?: boolean | undefined
  /** @defaultValue drawn */
  readonly id?: string | undefined
}

/** What the publisher works with. */
export interface PublisherContext {
  readonly clock: Clock
  readonly random: WireRandom
  readonly market: Market
  readonly accounts: readonly [string, ...string[]]
  readonly sloppiness: Sloppiness
  readonly seed: number
  /** Event type of SOD events. */
  readonly sodEventType: string
  readonly tradeLog: EventLog<EmittedTradeEvent>
  readonly moduleLog: EventLog<EmittedModuleEvent>
  /** Called after an append. */
  readonly onAppend: () => void
}

/** What is sent again. */
export interface Redelivery {
  readonly count: number
  /** A kind of the trade service, a module, or an event type. @defaultValue any */
  readonly kind: string | undefined
  /** @defaultValue any */
  readonly accountId: string | undefined
}

/** Draws and appends. */
export interface Publisher {
  emitOrder(input: OrderEmission): { readonly order: OrderState; readonly event: EmittedTradeEvent }
  emitPosition(input: PositionEmission): EmittedTradeEvent
  emitTradeFrame(input: RawTradeEmission): EmittedTradeEvent
  emitModule(input: ModuleEmission): EmittedModuleEvent
  emitModuleFrame(input: RawModuleEmission): EmittedModuleEvent
  /** Sends the latest events of the trade service again, bytes and request ids unchanged. */
  redeliverTradeEvents(count: number): readonly EmittedTradeEvent[]
  /** Sends the latest events of both services that fit again, unchanged: those of modules with their cursors. @returns How many. */
  redeliver(selection: Redelivery): number
  drawOrder(accountId: string | undefined, fixed: NewOrder): OrderState
  positions(eventType: string): PositionCodec
}

const JSON_TYPE = 'application/json'
const ORDER_ARGUMENTS = [
  'symbol',
  'side',
  'orderType',
  'quantity',
  'scene',
  'order',
  'accountId',
  'stepQuantity',
  'payload',
] as const
const FRAME_ARGUMENTS = [
  'kind',
  'eventType',
  'accountId',
  'contentType',
  'payload',
  'requestId',
  'timestampMs',
] as const
const MODULE_FRAME_ARGUMENTS = ['eventType', 'payload', 'id', 'position', 'timestamp', 'version'] as const
const MODULE_ARGUMENTS = [
  'module',
  'bizType',
  'eventType',
  'accountId',
  'payload',
  'withPosition',
  'id',
] as const

/** Makes a publisher. */
export function createPublisher(context: PublisherContext): Publisher {
  const { clock, random, market, accounts, tradeLog, moduleLog } = context
  // Made anew each time: names of event types come from clients, too, and would fill any memory.
  const positions = (eventType: string): PositionCodec => createPositionCodec(context.seed, eventType)
  const known = new Set<unknown>(accounts)
  const account = (id: string | undefined): string => {
    if (id === undefined) return accounts[0]
    if (known.has(id)) return id
    throw argumentFailure('accountId', 'one of the accounts', receivedName(id))
  }
  const drawOrder = (accountId: string | undefined, fixed: NewOrder): OrderState =>
    newOrder(random, market, account(accountId), readNewOrder(fixed, market))
  const finish = (
    drawn: Readonly<Record<string, unknown>>,
    over: Readonly<Record<string, unknown>> | undefined,
  ): Readonly<Record<string, unknown>> => {
    if (over !== undefined && !isRecord(over)) throw argumentFailure('payload', 'an object', received(over))
    return { ...(context.sloppiness === 'as-seen' ? makeSloppy(drawn, random) : drawn), ...over }
  }
  const appendTrade = (event: EmittedTradeEvent): EmittedTradeEvent => {
    tradeLog.append(event)
    context.onAppend()
    return event
  }

  const appendModule = (event: EmittedModuleEvent): EmittedModuleEvent => {
    moduleLog.append(event)
    context.onAppend()
    return event
  }

  return {
    positions,
    drawOrder,
    emitOrder(given) {
      const input = readArguments(given, ORDER_ARGUMENTS)
      const scene = oneOf(ORDER_SCENES, 'FINAL_FILLED')(input.scene, 'scene', argumentFailure)
      const before =
        input.order === undefined ? drawOrder(input.accountId, input) : readOrder(input.order, account)
      const nowMs = clock.now()
      const quantity = readUnits('stepQuantity', input.stepQuantity)
      const step = orderStep(before, scene, { random, market, nowMs, quantity })
      const event = appendTrade({
        kind: 'order',
        eventType: DATA_CODES.order,
        accountId: before.accountId,
        contentType: JSON_TYPE,
        payload: jsonText(finish(step.payload, input.payload)),
        requestId: String(step.payload.request_id),
        timestampMs: nowMs,
        invented: step.invented,
      })
      return { order: step.order, event }
    },
    emitPosition(given) {
      const input = readArguments(given, ['accountId', 'payload'])
      return appendTrade({
        kind: 'position',
        eventType: DATA_CODES.position,
        accountId: account(input.accountId),
        contentType: JSON_TYPE,
        payload: jsonText(finish(settlement(random).payload, input.payload)),
        requestId: drawRequestId(random),
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
        default: DATA_CODES[kind],
      })(input.eventType, 'eventType', argumentFailure)
      return appendTrade({
        kind,
        eventType,
        accountId: account(input.accountId),
        contentType: readText('contentType', input.contentType) ?? JSON_TYPE,
        payload: input.payload,
        requestId: readText('requestId', input.requestId) ?? drawRequestId(random),
        timestampMs: integer({
          min: 0,
          max: LAST_DATE_MS,
          default: clock.now(),
        })(input.timestampMs, 'timestampMs', argumentFailure),
        invented: true,
      })
    },
    emitModule(given) {
      const input = readArguments(given, MODULE_ARGUMENTS)
      const nowMs = clock.now()
      const withPosition = boolean(true)(input.withPosition, 'withPosition', argumentFailure)
      const id = readText('id', input.id) ?? `event_${random.uuid()}`
      const { eventType, invented, fields } = moduleFields(input, nowMs)
      const timestamp = isoNanoseconds(nowMs, random.integer(0, 999_999))
      const hidesPosition = context.sloppiness === 'as-seen' && random.chance(0.1)
      const position = !withPosition ? '' : positions(eventType).encode(moduleLog.end)
      const event: EmittedModuleEvent = {
        module: input.module,
        id,
        eventType,
        position,
        timestamp,
        version: '1.0',
        payload: jsonText(
          { id, eventType, position: hidesPosition ? '' : position, timestamp, payload: fields },
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
        id: readText('id', input.id) ?? `event_${random.uuid()}`,
        eventType,
        position: readText('position', input.position) ?? positions(eventType).encode(moduleLog.end),
        timestamp:
          readText('timestamp', input.timestamp) ?? isoNanoseconds(clock.now(), random.integer(0, 999_999)),
        version: readText('version', input.version) ?? '1.0',
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
    redeliver({ count, kind, accountId }) {
      const isWanted = (kinds: readonly (string | undefined)[], has: (account: string) => boolean): boolean =>
        (kind === undefined || kinds.includes(kind)) && (accountId === undefined || has(accountId))
      const trade = tradeLog
        .entries()
        .filter((event) => isWanted([event.kind], (account) => event.accountId === account))
        .map((event) => ({ atMs: event.timestampMs, again: () => tradeLog.append(event) }))
      const modules = moduleLog
        .entries()
        // A module event names its account in its text, where it has one.
        .filter((event) =>
          isWanted([event.module ?? 'module', event.eventType], (account) => event.payload.includes(account)),
        )
        .map((event) => ({ atMs: Date.parse(event.timestamp) || 0, again: () => moduleLog.append(event) }))
      const latest = [...trade, ...modules].sort((a, b) => a.atMs - b.atMs).slice(-count)
      for (const { again } of latest) again()
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
        throw argumentFailure('eventType', 'a non-empty string where no module is named', received(eventType))
      }
      const named = readText('bizType', input.bizType)
      const bizType = named === undefined ? {} : { biz_type: named }
      return { eventType, invented: true, fields: { ...bizType, ...finish({}, input.payload) } }
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
    const drawn = definition.bizTypes[bizType]?.({
      random,
      market,
      nowMs,
      accountId,
      otherAccountId: accounts.find((other) => other !== accountId) ?? accountId,
    })
    return {
      eventType:
        readName('eventType', input.eventType) ??
        (name === 'sod' ? context.sodEventType : definition.eventType),
      invented: definition.invented === true,
      fields: { biz_type: bizType, ...finish(drawn ?? {}, input.payload) },
    }
  }
}

/** What a caller puts over a payload may be nothing that JSON could say: a circle, a bigint, a hundred thousand levels. */
function jsonText<T>(fields: T, write: (fields: T) => string = JSON.stringify): string {
  try {
    return write(fields)
  } catch {
    throw argumentFailure('payload', 'what can be written as JSON', 'something else')
  }
}

const COUNT = { min: 1, max: 1_000_000, default: 1 }

/** A text, or `undefined` where it shall be made up. */
function readText(argument: string, value: string | undefined): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw argumentFailure(argument, 'a string', received(value))
}

/** A name, or `undefined` where it shall be made up. */
function readName(argument: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : string()(value, argument, argumentFailure)
}

/** Whole units, or `undefined` where they shall be drawn. */
function readUnits(argument: string, value: number | undefined): number | undefined {
  return value === undefined ? undefined : integer(COUNT)(value, argument, argumentFailure)
}

function readNewOrder(fixed: NewOrder, market: Market): NewOrder {
  const symbols = market.instruments.map(({ symbol }) => symbol)
  const { symbol, side, orderType, quantity } = fixed
  return {
    symbol: symbol === undefined ? undefined : oneOf(symbols)(symbol, 'symbol', argumentFailure),
    side: side === undefined ? undefined : oneOf(['BUY', 'SELL'])(side, 'side', argumentFailure),
    orderType:
      orderType === undefined
        ? undefined
        : oneOf(['LIMIT', 'MARKET'])(orderType, 'orderType', argumentFailure),
    quantity: readUnits('quantity', quantity),
  }
}
