/** Arguments of the calls that send events, and their names. */
import type { ModuleName } from '../wire/modules.ts'
import type { NewOrder, OrderScene, OrderState } from '../wire/order.ts'
import type { TradeEventKind } from './emitted.ts'

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
