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
      /** Time of the notice, milliseconds since the Unix epoch. */
      readonly atMs: number
      /** Number of the connection, from 1. */
      readonly connection: number
      /** Number of confirmed symbols. */
      readonly symbols: number
    }
  /** A connection ended or an attempt failed, and the client will try again. */
  | {
      readonly type: 'notice'
      readonly kind: 'reconnecting'
      /** Time of the notice, milliseconds since the Unix epoch. */
      readonly atMs: number
      /** Number of the connection, from 1. */
      readonly connection: number
      /** The reason why the connection ended. */
      readonly reason: QuotesReconnectReason
      /** CONNACK's return code, if the reason is `refused` or `connection-limit`. */
      readonly connackCode: number | undefined
      /** Name of `connackCode`: `'connection-limit'`, ... */
      readonly connackName: string | undefined
      /** The reason why the bytes are malformed, if `reason` is `malformed`. */
      readonly fault: MqttFault | undefined
      /**
       * System error code of a network failure, such as `ECONNREFUSED`; for a proxy, `PROXY_REFUSED` or
       * `PROXY_UNREACHABLE`.
       */
      readonly systemCode: string | undefined
      /** Explanation of a proxy failure, with the address, the setting, the status, and the next step. */
      readonly message: string | undefined
      /** Delay before the next attempt, in milliseconds. */
      readonly delayMs: number
      /**
       * Number of attempts after the next one, before the refusal becomes final; `undefined` if there is no
       * limit.
       */
      readonly retriesLeft: number | undefined
      /** Number of the next attempt. */
      readonly attempt: number
      /** With `connection-limit`: a connection of this process ended less than a minute ago, and the service may still count it. */
      readonly slotStillHeld: boolean
    }
  /**
   * Messages between `fromMs` and `toMs` were missed. Each quote or snapshot is a full state, so the next one
   * is complete again.
   */
  | {
      readonly type: 'notice'
      readonly kind: 'gap'
      /** Time of the notice, milliseconds since the Unix epoch. */
      readonly atMs: number
      /** Number of the connection, from 1. */
      readonly connection: number
      /** Time of the last activity before the gap, milliseconds since the Unix epoch. */
      readonly fromMs: number
      /** End of the gap, when the symbols were confirmed again. */
      readonly toMs: number
      /** Symbols that had the gap. */
      readonly symbols: readonly QuotesSymbol[]
    }
  /** The service rejected these symbols. They are not requested again until `add` or `set` names them. */
  | {
      readonly type: 'notice'
      readonly kind: 'rejected'
      /** Time of the notice, milliseconds since the Unix epoch. */
      readonly atMs: number
      /** Symbols that the service rejected. */
      readonly symbols: readonly QuotesSymbol[]
      /** Types of messages that were rejected. */
      readonly types: readonly QuoteType[]
      /** The service's code; `NO_CAPACITY` if all connections are full. */
      readonly code: string
      /** The service's message, if it sent one. */
      readonly message: string | undefined
    }
  /** A subscribe call failed and will be retried. */
  | {
      readonly type: 'notice'
      readonly kind: 'subscribe-failed'
      /** Time of the notice, milliseconds since the Unix epoch. */
      readonly atMs: number
      /** Number of the connection, from 1. */
      readonly connection: number
      /** The service's code, or the error code of this toolkit if there was no response. */
      readonly code: string
      /** HTTP status; `undefined` if there was no response. */
      readonly status: number | undefined
      /** The service's message, if it sent one. */
      readonly message: string | undefined
      /** Delay before the retry, in milliseconds. */
      readonly delayMs: number
      /**
       * Number of retries after the next one, before the rejection becomes final; `undefined` if there is no
       * limit.
       */
      readonly retriesLeft: number | undefined
    }
  /**
   * A live connection received no messages for `stallTimeoutMs`. It is reported once, and again only after
   * another message. The market may be closed.
   */
  | {
      readonly type: 'notice'
      readonly kind: 'stalled'
      /** Time of the notice, milliseconds since the Unix epoch. */
      readonly atMs: number
      /** Number of the connection, from 1. */
      readonly connection: number
      /** Time since the last message, in milliseconds. */
      readonly idleMs: number
      /** Number of subscribed symbols of the connection. */
      readonly symbols: number
    }
  /** The service's own status message. */
  | {
      readonly type: 'notice'
      readonly kind: 'service-notice'
      /** Time of the notice, milliseconds since the Unix epoch. */
      readonly atMs: number
      /** Number of the connection, from 1. */
      readonly connection: number
      /** The message as received, with control characters escaped, at most 1,000 characters. */
      readonly text: string
      /** Number of messages that the service dropped, if it reports a number. */
      readonly drop: number | undefined
    }
  /** Items were dropped because the consumer was too slow. */
  | {
      readonly type: 'notice'
      readonly kind: 'overflow'
      /** Time of the notice, milliseconds since the Unix epoch. */
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
      /** Time of the notice, milliseconds since the Unix epoch. */
      readonly atMs: number
      /** Number of the connection, from 1. */
      readonly connection: number
    }

/** Kinds of {@link QuotesNotice}. */
export type QuotesNoticeKind = QuotesNotice['kind']
