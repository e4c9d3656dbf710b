/**
 * States, events and effects of one MQTT connection with its subscriptions, as data.
 *
 * Time and randomness are part of the events (`at`, `random`), so that the transition is a pure function.
 * Each event of a connection has the number of its attempt, and each response the number of its call, so that
 * late events can be ignored.
 */
import type { MqttFault } from '../mqtt/packets.ts'
import type { QuotesNotice } from '../notices.ts'
import type { DesiredSubscriptions } from '../selection/desired-subscriptions.ts'
import type { CallOutcome } from './call-outcome.ts'
import type { StreamingCall } from './calls.ts'
import type { QuotesPolicy } from './policy.ts'

/** Timers of the machine. A timer that is started replaces the running timer of the same name. */
export type ConnectionTimer = 'connect' | 'liveness' | 'call' | 'stall' | 'resubscribe' | 'stable' | 'retry'

/**
 * Subscriptions that were confirmed on a lost connection and are not confirmed again yet. The value is the
 * time of the last activity; the key is a subscription key.
 */
export type Lost = ReadonlyMap<string, number>

interface Instant {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  /** A random number from 0 up to but not including 1. */
  readonly random: number
}

/** The events of a connection. */
export type ConnectionEvent = Instant &
  /** New desired subscriptions; an empty map closes the connection. `lost`: subscriptions that other connections lost. */
  (
    | {
        readonly type: 'set-desired'
        readonly desired: DesiredSubscriptions
        readonly lost?: Lost | undefined
      }
    | { readonly type: 'stop' }
    | {
        readonly type: 'connack'
        readonly attempt: number
        readonly code: number
        /** Time when this process last ended a connection of the same app key. */
        readonly recentDropMs?: number | undefined
      }
    /** Packets were received. */
    | {
        readonly type: 'traffic'
        readonly attempt: number
        /** Whether one of the packets is a message of market data. */
        readonly data: boolean
      }
    /** The connection was closed, or could not be opened. */
    | {
        readonly type: 'closed'
        readonly attempt: number
        readonly systemCode?: string | undefined
        readonly message?: string | undefined
        /** Set if the connection was closed because of malformed bytes. */
        readonly fault?: MqttFault | undefined
      }
    | {
        readonly type: 'response'
        readonly attempt: number
        readonly call: number
        readonly outcome: CallOutcome
      }
    | { readonly type: 'timer'; readonly timer: ConnectionTimer }
  )

/** The effects that the runner carries out. */
export type ConnectionEffect =
  /** Open a socket and send CONNECT with a new session id. */
  | { readonly type: 'connect'; readonly attempt: number }
  /** Close the connection, gracefully with DISCONNECT, which frees its slot at once. */
  | { readonly type: 'close'; readonly attempt: number; readonly graceful: boolean }
  | { readonly type: 'ping'; readonly attempt: number }
  | { readonly type: 'call'; readonly attempt: number; readonly number: number; readonly call: StreamingCall }
  | { readonly type: 'start-timer'; readonly timer: ConnectionTimer; readonly delayMs: number }
  | { readonly type: 'clear-timer'; readonly timer: ConnectionTimer }
  | { readonly type: 'notify'; readonly notice: QuotesNotice }
  /** The service rejected these subscriptions: remove them from the desired ones. */
  | { readonly type: 'reject'; readonly keys: readonly string[]; readonly types: number }
  /** The connection is full: move these subscriptions to another connection, which reports their gaps. */
  | {
      readonly type: 'overflow'
      readonly keys: readonly string[]
      readonly capacity: number
      readonly lost: Lost
    }
  | { readonly type: 'end'; readonly outcome: ConnectionOutcome }

/** The final outcome of a connection. */
export type ConnectionOutcome =
  | { readonly kind: 'stopped' }
  | {
      readonly kind: 'auth-rejected'
      readonly signal: 'connack' | 'call'
      readonly status: number | undefined
      readonly code: string
    }
  | {
      readonly kind: 'call-unusable'
      readonly code: string
      readonly status: number | undefined
      readonly cause?: unknown
    }
  | { readonly kind: 'refused'; readonly connackCode: number; readonly connackName: string }
  | {
      readonly kind: 'gave-up'
      readonly attempts: number
      readonly reason: string
      readonly message: string | undefined
    }

/** State that survives a change of phase. */
export interface ConnectionMemory {
  readonly policy: QuotesPolicy
  /** Number of this connection among all, from 1. */
  readonly connection: number
  /** Most symbols of one call. */
  readonly maxSymbols: number
  readonly desired: DesiredSubscriptions
  /** Number of the current or last attempt; 0 before the first. */
  readonly attempt: number
  /** Number of the last call. */
  readonly call: number
  /** Number of attempts that ended since the last stable period. */
  readonly failures: number
  /** Number of waits because of CONNACK 105 since the last stable period. */
  readonly limitWaits: number
  /** Number of consecutive CONNACKs that refused the connection. */
  readonly connackRejections: number
  /** Whether the broker accepted this connection before. */
  readonly wasAccepted: boolean
  /** Number of consecutive calls with rejected credentials or a missing path. */
  readonly callRejections: number
  readonly lost: Lost
  /** Time when an accepted connection last ended. */
  readonly droppedAtMs: number | undefined
}

/** A call that is in flight, or waits for its retry. */
export interface PendingCall {
  readonly call: StreamingCall
  /** Number of consecutive failures of the call. */
  readonly failures: number
  /** Number of retries after responses that may be final rejections. */
  readonly retries: number
  /** Delay before the retry. */
  readonly delayMs: number
  /** Whether new calls are sent while this one waits for its retry. */
  readonly runsLast: boolean
}

/** The state of a connection. */
export type ConnectionState = ConnectionMemory &
  /** Idle: no subscription is desired. */
  (
    | { readonly phase: 'idle' }
    /** From the start of an attempt to CONNACK. */
    | { readonly phase: 'opening' }
    | {
        readonly phase: 'live'
        readonly acceptedAtMs: number
        readonly lastActivityMs: number
        readonly confirmed: DesiredSubscriptions
        /**
         * Calls that are sent before the calculated next call: halves of a failed call, and calls that
         * subscribe again.
         */
        readonly queue: readonly StreamingCall[]
        readonly pending: PendingCall | undefined
        /**
         * Calls that failed more than once. Other calls are sent before them, so that a call that always
         * fails does not block the others.
         */
        readonly deferred: readonly PendingCall[]
        /** Whether `subscribed` was reported for the current subscriptions. */
        readonly subscribedReported: boolean
        /** Whether a packet was received since the liveness timer was started. */
        readonly packetSeen: boolean
        readonly pingSent: boolean
        /** Whether a message was received since the stall timer was started. */
        readonly dataSeen: boolean
        readonly idleMs: number
      }
    | { readonly phase: 'waiting' }
    | { readonly phase: 'ended' }
  )

export type LiveState = Extract<ConnectionState, { readonly phase: 'live' }>
