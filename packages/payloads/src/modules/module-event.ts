/** Events of the module stream, as types. */
import type { Extra } from '../combinators/extra.ts'
import type { Infer } from '../decoder.ts'
import type { OutputOf, StandardSchema } from '../standard-schema.ts'
import type { Instant } from '../values/instant-text.ts'
import type { MODULE_DECODERS } from './module-decoders.ts'
import type { MODULES } from './module-table.ts'

/** What the stream says of an event. Where frame and envelope differ, the frame's word. */
export interface EventEnvelope {
  readonly id: string
  readonly eventType: string
  /** Cursor for a replay; opaque. */
  readonly position?: string | undefined
  readonly timestamp?: Instant | undefined
  /** Fields of the envelope that nobody documents, under their wire names. */
  readonly extra: Extra
}

/** What every module event has. */
export interface ModuleEventFields {
  readonly envelope: EventEnvelope
  /** The frame's payload as received. */
  readonly raw: string
}

type Decoders = typeof MODULE_DECODERS

/** An event that is described: of this module and business type. */
export interface KnownModuleEvent<M extends keyof Decoders, B extends keyof Decoders[M]>
  extends ModuleEventFields {
  readonly module: M
  readonly eventType: (typeof MODULES)[M]['eventTypes'][number]
  readonly bizType: B
  readonly payload: Infer<Decoders[M][B]>
}

/** A start-of-day event: one whose event type says SOD. Nothing is published of its payload. */
export interface SodEvent extends ModuleEventFields {
  readonly module: 'sod'
  readonly eventType: 'SOD'
  readonly bizType: string | undefined
  /** JSON as parsed; a number that a JavaScript number does not hold is a `NumberText`. */
  readonly payload: unknown
}

/** An event of a module or business type that nobody described. */
export interface UnknownModuleEvent extends ModuleEventFields {
  readonly module: 'unknown'
  readonly eventType: string
  readonly bizType: string | undefined
  /**
   * JSON as parsed: the envelope's payload, or everything where there is no envelope. A number that a JavaScript number
   * does not hold is a `NumberText`.
   */
  readonly payload: unknown
}

/** An event of the module stream, discriminated by `module`, and by `bizType` within a module. */
export type ModuleEvent =
  | {
      [M in keyof Decoders]: { [B in keyof Decoders[M]]: KnownModuleEvent<M, B> }[keyof Decoders[M]]
    }[keyof Decoders]
  | SodEvent
  | UnknownModuleEvent

/** Schemas by event type, or by event type and business type: `SOD`, `FUNDING/TRANSFER`. */
export type ModuleSchemas = Readonly<Record<string, StandardSchema<unknown, unknown>>>

/** An event that a caller's schema has read. `module` is the name under which it was registered. */
export interface RegisteredModuleEvent<Name extends string, Payload> extends ModuleEventFields {
  readonly module: Name
  readonly eventType: Name extends `${infer EventType}/${string}` ? EventType : Name
  readonly bizType: Name extends `${string}/${infer BizType}` ? BizType : string | undefined
  readonly payload: Payload
}

type Registered<S extends ModuleSchemas> = {
  [Name in keyof S & string]: RegisteredModuleEvent<Name, OutputOf<S[Name]>>
}[keyof S & string]

type Replaced<Name> = Name extends `${infer EventType}/${infer BizType}`
  ? { readonly eventType: EventType; readonly bizType: BizType }
  : { readonly eventType: Name }

/** The events of decoders with these schemas added: what they replace is gone. */
export type WithModules<Event, S extends ModuleSchemas> =
  | Exclude<Event, Replaced<keyof S & string>>
  | Registered<S>
