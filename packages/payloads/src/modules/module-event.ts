/** Events of the module stream, as types. */
import type { Extra } from '../combinators/extra.ts'
import type { Infer } from '../decoder.ts'
import type { InferOutput, StandardSchema } from '../standard-schema.ts'
import type { Instant } from '../values/instant-text.ts'
import type { MODULE_DECODERS } from './module-decoders.ts'
import type { MODULES } from './module-table.ts'

/** Metadata of an event. If frame and envelope differ, the frame's value. */
export interface EventEnvelope {
  readonly id: string
  readonly eventType: string
  /** Cursor for a replay; opaque. */
  readonly position?: string | undefined
  readonly timestamp?: Instant | undefined
  /** Undocumented fields of the envelope, under their wire names. */
  readonly extra: Extra
}

/** Fields of every module event. */
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

/** A start-of-day event, of event type SOD. Its payload is not documented. */
export interface SodEvent extends ModuleEventFields {
  readonly module: 'sod'
  readonly eventType: 'SOD'
  readonly bizType: string | undefined
  /** JSON as parsed; a number that a JavaScript number does not hold is a `NumberText`. */
  readonly payload: unknown
}

/** An event of an unknown module or business type. */
export interface UnknownModuleEvent extends ModuleEventFields {
  readonly module: 'unknown'
  readonly eventType: string
  readonly bizType: string | undefined
  /**
   * JSON as parsed: the envelope's payload, or everything if there is no envelope. A number that a JavaScript number
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
  [Name in keyof S & string]: RegisteredModuleEvent<Name, InferOutput<S[Name]>>
}[keyof S & string]

type Replaced<Name> = Name extends `${infer EventType}/${infer BizType}`
  ? { readonly eventType: EventType; readonly bizType: BizType }
  : { readonly eventType: Name }

/** The events of decoders with these schemas added: what they replace is gone. */
export type WithModules<Event, S extends ModuleSchemas> =
  | Exclude<Event, Replaced<keyof S & string>>
  | Registered<S>
