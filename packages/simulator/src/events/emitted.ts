/** What the simulator has sent, or would send, on its streams: for assertions, and what subscriptions read. */
import type { ModuleName } from '../wire/modules.ts'

/** Numeric codes of data frames. They stand outside the proto enum. */
export const DATA_CODES = { order: 1024, position: 1028, option: 1032 } as const

/** Kinds of data frames on the trade service. */
export type TradeEventKind = keyof typeof DATA_CODES

/** The subscribeType that a kind belongs to. Sums of these are accepted as an option. */
export const SUBSCRIBE_TYPES: Readonly<Record<TradeEventKind, number>> = { order: 1, position: 2, option: 4 }

/** A data frame of the trade service, as every subscription to its account gets it. */
export interface EmittedTradeEvent {
  readonly kind: TradeEventKind
  readonly eventType: number
  readonly accountId: string
  readonly contentType: string
  /** The JSON text, byte for byte. */
  readonly payload: string
  /** Names the delivery. */
  readonly requestId: string
  readonly timestampMs: number
  /** Set where no source shows such a body. */
  readonly invented: boolean
}

/** A data frame of the module service. */
export interface EmittedModuleEvent {
  readonly module: ModuleName | undefined
  readonly id: string
  readonly eventType: string
  /** Cursor; empty where the event has none. */
  readonly position: string
  /** ISO 8601 with nanoseconds. */
  readonly timestamp: string
  readonly version: string
  /** The envelope's JSON text, byte for byte. */
  readonly payload: string
  /** Set where no source shows such a body. */
  readonly invented: boolean
}
