/** The types of events of the module stream. */
import type { Extra } from '../combinators/extra.ts'
import type { Infer } from '../decoder.ts'
import type { InferOutput, StandardSchema } from '../standard-schema.ts'
import type { Instant } from '../values/instant-text.ts'
import type { MODULE_DECODERS } from './module-decoders.ts'
import type { MODULES } from './module-table.ts'

/** Metadata of an event. If frame and envelope differ, it has the frame's value. */
export interface EventEnvelope {
  /** Identifier of the event. */
  readonly id: string
  /** Event type, such as `FUNDING`. */
  readonly eventType: string
  /** Opaque cursor for a replay. */
  readonly position?: string | undefined
  /** Time of the event at the service. */
  readonly timestamp?: Instant | undefined
  /** Undocumented fields of the envelope, under their wire names. */
  readonly extra: Extra
}

/** Fields of every module event. */
export interface ModuleEventFields {
  /** Metadata of the event. */
  readonly envelope: EventEnvelope
  /** The frame's payload as received. */
  readonly raw: string
}

type Decoders = typeof MODULE_DECODERS

/** A documented event, by module and business type. */
export interface KnownModuleEvent<M extends keyof Decoders, B extends keyof Decoders[M]>
  extends ModuleEventFields {
  /** Name of the event's module. */
  readonly module: M
  /** Event type of the envelope. */
  readonly eventType: (typeof MODULES)[M]['eventTypes'][number]
  /** Business type of the payload. */
  readonly bizType: B
  /** The decoded payload of the envelope. */
  readonly payload: Infer<Decoders[M][B]>
}

/** A start-of-day event, of event type SOD. Its payload is not documented. */
export interface SodEvent extends ModuleEventFields {
  /** Name of the start-of-day module. */
  readonly module: 'sod'
  /** Event type of the envelope. */
  readonly eventType: 'SOD'
  /** Business type of the payload, if it has one. */
  readonly bizType: string | undefined
  /** Parsed JSON; a number that a JavaScript number cannot represent is a `NumberText`. */
  readonly payload: unknown
}

/** An event of an unknown module or business type. */
export interface UnknownModuleEvent extends ModuleEventFields {
  /** The event belongs to no known module. */
  readonly module: 'unknown'
  /** Event type of the envelope. */
  readonly eventType: string
  /** Business type of the payload, if it has one. */
  readonly bizType: string | undefined
  /**
   * Parsed JSON: the envelope's payload, or the whole payload if there is no envelope. A number that a JavaScript number cannot
   * represent is a `NumberText`.
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

/** An event that was decoded with a registered schema. */
export interface RegisteredModuleEvent<Name extends string, Payload> extends ModuleEventFields {
  /** Name under which the schema was registered. */
  readonly module: Name
  /** Event type of the envelope. */
  readonly eventType: Name extends `${infer EventType}/${string}` ? EventType : Name
  /** Business type of the payload, if it has one. */
  readonly bizType: Name extends `${string}/${infer BizType}` ? BizType : string | undefined
  /** The output of the registered schema. */
  readonly payload: Payload
}

type Registered<S extends ModuleSchemas> = {
  [Name in keyof S & string]: RegisteredModuleEvent<Name, InferOutput<S[Name]>>
}[keyof S & string]

type Replaced<Name> = Name extends `${infer EventType}/${infer BizType}`
  ? { readonly eventType: EventType; readonly bizType: BizType }
  : { readonly eventType: Name }

/** The events of decoders after the schemas were added. Events of replaced decoders are excluded. */
export type WithModules<Event, S extends ModuleSchemas> =
  | Exclude<Event, Replaced<keyof S & string>>
  | Registered<S>
