/** Types of the events that the simulator has sent. Tests check these events, and subscriptions read them. */
import type { ModuleName } from '../wire/modules.ts'

/** Numeric codes of data frames. They are not part of the proto enum. */
export const TRADE_EVENT_CODES = { order: 1024, position: 1028, option: 1032 } as const

/** Kinds of data frames on the trade service. */
export type TradeEventKind = keyof typeof TRADE_EVENT_CODES

/**
 * The `subscribeType` of each kind. Sums of these values are accepted with the option
 * `combinedSubscribeTypes`.
 */
export const SUBSCRIBE_TYPES: Readonly<Record<TradeEventKind, number>> = { order: 1, position: 2, option: 4 }

/** A data frame of the trade service. The subscriptions to its account and its kind receive it. */
export interface EmittedTradeEvent {
  /** Kind of the frame, which decides which subscriptions receive it. */
  readonly kind: TradeEventKind
  /** Event type code of the frame. */
  readonly eventType: number
  /** Account whose subscriptions receive the frame. */
  readonly accountId: string
  /** Content type of the payload. */
  readonly contentType: string
  /** The JSON text, byte for byte as it was sent. */
  readonly payload: string
  /** Identifier of the delivery. */
  readonly requestId: string
  /** Timestamp of the frame, milliseconds since the Unix epoch. */
  readonly timestampMs: number
  /** Whether the body is invented, because its form is not documented in any source. */
  readonly invented: boolean
}

/** A data frame of the module service. */
export interface EmittedModuleEvent {
  /** Module of the event; `undefined` for a raw frame, or for an event that was sent without `module`. */
  readonly module: ModuleName | undefined
  /** Identifier of the event. */
  readonly id: string
  /** Event type that subscriptions name. */
  readonly eventType: string
  /** The cursor; empty if the event has none. */
  readonly position: string
  /** Timestamp of the event in ISO 8601 with nanoseconds. */
  readonly timestamp: string
  /** Version field of the frame. */
  readonly version: string
  /** The envelope's JSON text, byte for byte as it was sent. */
  readonly payload: string
  /** Whether the body is invented, because its form is not documented in any source. */
  readonly invented: boolean
}
