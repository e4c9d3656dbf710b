/** Notices: items that report the state of connections and subscriptions. Instants are milliseconds since the Unix epoch. */
import type { MqttFault } from './mqtt/packets.ts'
import type { QuoteType } from './selection/desired-subscriptions.ts'

/** A symbol with its category. */
export interface QuotesSymbol {
  /** Category of the instrument, such as `'US_STOCK'`. */
  readonly category: string
  /** Symbol within its category, such as `'AAPL'`. */
  readonly symbol: string
}

/** The reason of a reconnect. */
export type QuotesReconnectReason =
  /** The connection failed or was closed by the broker: see `systemCode`. */
  | 'disconnected'
  /** No CONNACK within `connectTimeoutMs`. */
  | 'connect-timeout'
  /** CONNACK refused the connection: see `connackCode`. */
  | 'refused'
  /** CONNACK 105: the app key has too many connections. */
  | 'connection-limit'
  /** The received bytes are not MQTT: see `fault`. */
  | 'malformed'
  /** No packet within `pongTimeoutMs` of a PINGREQ. */
  | 'heartbeat-lost'
  /** The service does not know the session. */
  | 'session-unknown'

/** A notice about a connection or its subscriptions. */
export type QuotesNotice =
  | {
      readonly type: 'notice'
      /** All desired subscriptions of this connection are confirmed. */
      readonly kind: 'subscribed'
      readonly atMs: number
      readonly connection: number
      /** Number of confirmed symbols. */
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
      /** Name of `connackCode`: `'connection-limit'`, ... */
      readonly connackName: string | undefined
      /** With `malformed`. */
      readonly fault: MqttFault | undefined
      /** System error code of a network failure: `ECONNREFUSED`, ...; `PROXY_REFUSED` or `PROXY_UNREACHABLE`. */
      readonly systemCode: string | undefined
      /** Explanation of a proxy failure: address, setting, status, and what to do. */
      readonly message: string | undefined
      /** Delay before the next attempt. */
      readonly delayMs: number
      /** Attempts after the next one, before the refusal is final; `undefined` if there is no limit. */
      readonly retriesLeft: number | undefined
      /** Number of the next attempt. */
      readonly attempt: number
      /** With `connection-limit`: a connection of this process ended less than a minute ago, and the service may still count it. */
      readonly slotStillHeld: boolean
    }
  /** Messages between the bounds were missed. Each quote or snapshot is a full state, so the next one is complete again. */
  | {
      readonly type: 'notice'
      readonly kind: 'gap'
      readonly atMs: number
      readonly connection: number
      /** Last activity before the gap. */
      readonly fromMs: number
      readonly toMs: number
      readonly symbols: readonly QuotesSymbol[]
    }
  /** The service refused these symbols. They are not requested again until `add` or `set` names them. */
  | {
      readonly type: 'notice'
      readonly kind: 'rejected'
      readonly atMs: number
      readonly symbols: readonly QuotesSymbol[]
      readonly types: readonly QuoteType[]
      /** The service's code; `NO_CAPACITY` if all connections are full. */
      readonly code: string
      readonly message: string | undefined
    }
  /** A subscribe call failed and will be retried. */
  | {
      readonly type: 'notice'
      readonly kind: 'subscribe-failed'
      readonly atMs: number
      readonly connection: number
      readonly code: string
      readonly status: number | undefined
      readonly message: string | undefined
      readonly delayMs: number
      /** Calls after the next one, before the refusal is final; `undefined` if there is no limit. */
      readonly retriesLeft: number | undefined
    }
  /** A live connection received no messages for `stallTimeoutMs`. Reported once until the next message. The market may be closed. */
  | {
      readonly type: 'notice'
      readonly kind: 'stalled'
      readonly atMs: number
      readonly connection: number
      readonly idleMs: number
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
      /** Number of messages that the service dropped, if it reports one. */
      readonly drop: number | undefined
    }
  /** Items were dropped because the consumer was too slow. */
  | {
      readonly type: 'notice'
      readonly kind: 'overflow'
      readonly atMs: number
      /**
       * Number of items dropped since the last such notice: ticks and messages of unknown topics over
       * `buffer.maxTickBytes`, states over `buffer.maxStateBytes`, notices over 1,000, and backfilled items over 100,000. A
       * state that was replaced by a newer one of its symbol is not counted.
       */
      readonly messages: number
      /** Payload bytes of the dropped messages. */
      readonly bytes: number
    }
  /** The hook `backfill` failed. */
  | {
      readonly type: 'notice'
      readonly kind: 'backfill-failed'
      readonly atMs: number
      readonly connection: number
    }

/** Kinds of {@link QuotesNotice}. */
export type QuotesNoticeKind = QuotesNotice['kind']
