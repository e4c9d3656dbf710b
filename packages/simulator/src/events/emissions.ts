/** Arguments of the methods that send events. */
import type { ModuleName } from '../wire/modules.ts'
import type { NewOrder, OrderScene, OrderState } from '../wire/order.ts'
import type { TradeEventKind } from './emitted.ts'

/** An order event. Without `order`, a new order is generated and the scene is applied to that order. */
export interface OrderEmission extends NewOrder {
  /** Step in the life of the order. @defaultValue 'FINAL_FILLED' */
  readonly scene?: OrderScene | undefined
  /** State of the order before the step. @defaultValue a generated new order */
  readonly order?: OrderState | undefined
  /** Account of a generated order. @defaultValue the first account */
  readonly accountId?: string | undefined
  /** For FILLED, the number of units to fill. For MODIFY_SUCCESS, the new quantity. */
  readonly stepQuantity?: number | undefined
  /** Fields that override those of the generated payload. */
  readonly payload?: Readonly<Record<string, unknown>> | undefined
}

/** A position settlement. */
export interface PositionEmission {
  /** Account of the settled position. @defaultValue the first account */
  readonly accountId?: string | undefined
  /** Fields that override those of the generated payload. */
  readonly payload?: Readonly<Record<string, unknown>> | undefined
}

/** A frame of the trade service, sent unchanged. */
export interface RawTradeEmission {
  /**
   * Kind of the frame, which decides which subscriptions receive it.
   * @defaultValue 'order'
   */
  readonly kind?: TradeEventKind | undefined
  /** Event type code of the frame. @defaultValue the kind's code */
  readonly eventType?: number | undefined
  /** Account whose subscriptions receive the frame. @defaultValue the first account */
  readonly accountId?: string | undefined
  /** Content type of the payload. @defaultValue 'application/json' */
  readonly contentType?: string | undefined
  /** The payload, sent unchanged. */
  readonly payload: string
  /** Identifier of the delivery. @defaultValue generated */
  readonly requestId?: string | undefined
  /**
   * Timestamp of the frame; at most the last one that a `Date` can represent.
   *
   * @defaultValue the clock's time
   */
  readonly timestampMs?: number | undefined
}

/** A frame of the module service, sent unchanged. */
export interface RawModuleEmission {
  /** Event type of the frame. */
  readonly eventType: string
  /** The payload, sent unchanged, including any envelope in it. */
  readonly payload: string
  /** Identifier of the event. @defaultValue generated */
  readonly id?: string | undefined
  /**
   * The cursor, sent unchanged. With an empty string, the frame has no cursor.
   * @defaultValue generated
   */
  readonly position?: string | undefined
  /** The timestamp, sent unchanged. @defaultValue the clock's time, ISO 8601 with nanoseconds */
  readonly timestamp?: string | undefined
  /** Version field of the frame. @defaultValue '1.0' */
  readonly version?: string | undefined
}

/** A module event: an event of a known module, or of any event type. */
export interface ModuleEmission {
  /** Module whose payload is generated. */
  readonly module?: ModuleName | undefined
  /** Business type of the payload. @defaultValue drawn from the business types of the module */
  readonly bizType?: string | undefined
  /** Event type, if it differs from that of the module. Required without `module`. */
  readonly eventType?: string | undefined
  /** Account in the payload. @defaultValue the first account */
  readonly accountId?: string | undefined
  /** Fields that override those of the generated payload. */
  readonly payload?: Readonly<Record<string, unknown>> | undefined
  /**
   * Whether the frame and the envelope in it have a cursor.
   * @defaultValue true
   */
  readonly withPosition?: boolean | undefined
  /** Identifier of the event. @defaultValue generated */
  readonly id?: string | undefined
}

export const ORDER_ARGUMENTS = [
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
export const FRAME_ARGUMENTS = [
  'kind',
  'eventType',
  'accountId',
  'contentType',
  'payload',
  'requestId',
  'timestampMs',
] as const
export const MODULE_FRAME_ARGUMENTS = [
  'eventType',
  'payload',
  'id',
  'position',
  'timestamp',
  'version',
] as const
export const MODULE_ARGUMENTS = [
  'module',
  'bizType',
  'eventType',
  'accountId',
  'payload',
  'withPosition',
  'id',
] as const
