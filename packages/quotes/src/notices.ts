/** What market data says about itself, in its place among the messages. Instants are milliseconds since the Unix epoch. */
import type { MqttFault } from './mqtt/packets.ts'
import type { QuoteType } from './selection/wants.ts'

/** A symbol and where it belongs. */
export interface QuotesSymbol {
  readonly category: string
  readonly symbol: string
}

/** Why a connection is opened again. */
export type QuotesReconnectReason =
  /** It ended without a word, or could not be made: see `systemCode`. */
  | 'disconnected'
  /** It was not accepted within the time for it. */
  | 'connect-timeout'
  /** CONNACK refused it: see `connackCode`. */
  | 'refused'
  /** CONNACK 105. */
  | 'connection-limit'
  /** What came is not MQTT: see `fault`. */
  | 'malformed'
  /** No packet came, not even the answer to a PING. */
  | 'heartbeat-lost'
  /** The service does not know its session any more. */
  | 'session-unknown'

/** A notice. */
export type QuotesNotice =
  | {
      readonly type: 'notice'
      /** All that is wanted of this connection is confirmed. */
      readonly kind: 'subscribed'
      readonly atMs: number
      readonly connection: number
      /** How many symbols it carries now. */
      readonly symbols: number
    }
  | {
      readonly type: 'notice'
      readonly kind: 'reconnecting'
      readonly atMs: number
      readonly connection: number
      readonly reason: QuotesReconnectReason
      /** With `refused` and `connection-limit`. */
      readonly connackCode: number | undefined
      /** What the code is called: `'connection-limit'`, ... */
      readonly connackName: string | undefined
      readonly fault: MqttFault | undefined
      /** The system's code, where the network failed: `ECONNREFUSED`, ...; `PROXY_REFUSED` or `PROXY_UNREACHABLE`. */
      readonly systemCode: string | undefined
      /** What a proxy did, if it opened no connection: its address, its setting, the status, and what to do. */
      readonly message: string | undefined
      /** Until the next attempt. */
      readonly delayMs: number
      /** Attempts that are left after the next one, before a refusal is final; `undefined` if there is no such limit. */
      readonly retriesLeft: number | undefined
      /** Number of the next attempt. */
      readonly attempt: number
      /** With `connection-limit`: a connection of ours ended less than a minute ago, and its slot may still count. */
      readonly lingeringSlot: boolean
    }
  /** What the service pushed between the bounds was not seen. A message is a full state: the next one is whole again. */
  | {
      readonly type: 'notice'
      readonly kind: 'gap'
      readonly atMs: number
      readonly connection: number
      /** Last sign of life before the gap. */
      readonly fromMs: number
      readonly toMs: number
      readonly symbols: readonly QuotesSymbol[]
    }
  /** The service refused these symbols. They are not asked for again until `add` or `set` names them. */
  | {
      readonly type: 'notice'
      readonly kind: 'rejected'
      readonly atMs: number
      readonly symbols: readonly QuotesSymbol[]
      readonly types: readonly QuoteType[]
      /** The service's code; `NO_ROOM` where no connection has room for them. */
      readonly code: string
      readonly message: string | undefined
    }
  /** A subscribe call failed and is sent again. */
  | {
      readonly type: 'notice'
      readonly kind: 'subscribe-failed'
      readonly atMs: number
      readonly connection: number
      readonly code: string
      readonly status: number | undefined
      readonly message: string | undefined
      readonly delayMs: number
      /** Calls that are left after the next one, before the refusal is final; `undefined` if there is no such limit. */
      readonly retriesLeft: number | undefined
    }
  /** The connection lives and nothing came on it: markets close, and connections fall silent. Told once, until data comes. */
  | {
      readonly type: 'notice'
      readonly kind: 'silent'
      readonly atMs: number
      readonly connection: number
      readonly quietMs: number
      readonly symbols: number
    }
  /** The service's own status message. */
  | {
      readonly type: 'notice'
      readonly kind: 'service-notice'
      readonly atMs: number
      readonly connection: number
      /** As received, printable, at most 1,000 characters. */
      readonly text: string
      /** How many messages the service dropped, where it says so. */
      readonly drop: number | undefined
    }
  /** Items that nobody took in time. */
  | {
      readonly type: 'notice'
      readonly kind: 'dropped'
      readonly atMs: number
      /**
       * Items that were dropped since the last such notice: ticks and messages of unknown topics over
       * `queue.maxTickBytes`, states over `queue.maxStateBytes`, notices over 1,000, and what `fill` found over 100,000. A
       * state that a newer one of its symbol replaced is none of them.
       */
      readonly messages: number
      /** Bytes of the payloads of the messages among them. */
      readonly bytes: number
    }
  /** The hook `fill` failed. */
  | {
      readonly type: 'notice'
      readonly kind: 'fill-failed'
      readonly atMs: number
      readonly connection: number
    }

/** Kinds of {@link QuotesNotice}. */
export type QuotesNoticeKind = QuotesNotice['kind']
