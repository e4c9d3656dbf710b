/**
 * States, events and effects of one MQTT connection with its subscriptions, as data.
 *
 * Time and randomness arrive inside the events (`at`, `draw`), so that the machine itself is a pure function. Each event of
 * a connection carries the number of its attempt, and each answer the number of its call: what comes too late is ignored.
 */
import type { MqttFault } from '../mqtt/packets.ts'
import type { QuotesNotice } from '../notices.ts'
import type { Wants } from '../selection/wants.ts'
import type { CallOutcome } from './call-outcome.ts'
import type { StreamingCall } from './calls.ts'
import type { QuotesPolicy } from './policy.ts'

/** Timers of the machine. Arming one replaces the one of the same name. */
export type ConnectionTimer = 'connect' | 'liveness' | 'call' | 'quiet' | 'reassert' | 'stable' | 'retry'

/** What was confirmed before its connection was lost and is not yet again, by key: the last sign of life before that. */
export type Lost = ReadonlyMap<string, number>

interface Instant {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  /** A random number from 0 up to but not including 1. */
  readonly draw: number
}

/** What happens to a connection. */
export type ConnectionEvent = Instant &
  /** All that is wanted of this connection from now on. Nothing: it is not needed. `lost` is what others lost. */
  (
    | { readonly type: 'want'; readonly wanted: Wants; readonly lost?: Lost | undefined }
    | { readonly type: 'stop' }
    | {
        readonly type: 'connack'
        readonly attempt: number
        readonly code: number
        /** When this process last ended a connection of the same key. */
        readonly recentDropMs?: number | undefined
      }
    /** Packets came, all that arrived together. */
    | {
        readonly type: 'traffic'
        readonly attempt: number
        /** Whether one of them is a message of market data. */
        readonly data: boolean
      }
    /** The connection is gone, or never was. */
    | {
        readonly type: 'closed'
        readonly attempt: number
        readonly systemCode?: string | undefined
        readonly message?: string | undefined
        /** Where it was left, because what came is no MQTT. */
        readonly fault?: MqttFault | undefined
      }
    | {
        readonly type: 'answered'
        readonly attempt: number
        readonly call: number
        readonly outcome: CallOutcome
      }
    | { readonly type: 'timer'; readonly timer: ConnectionTimer }
  )

/** What the runner does. */
export type ConnectionEffect =
  /** Open a socket and send CONNECT with a session id of its own. */
  | { readonly type: 'connect'; readonly attempt: number }
  /** Leave it: with DISCONNECT where it was accepted, so that its slot is free at once. */
  | { readonly type: 'leave'; readonly attempt: number; readonly graceful: boolean }
  | { readonly type: 'ping'; readonly attempt: number }
  | { readonly type: 'call'; readonly attempt: number; readonly number: number; readonly call: StreamingCall }
  | { readonly type: 'arm'; readonly timer: ConnectionTimer; readonly delayMs: number }
  | { readonly type: 'disarm'; readonly timer: ConnectionTimer }
  | { readonly type: 'notify'; readonly notice: QuotesNotice }
  /** The service refused these: they are not wanted any more, wherever. */
  | { readonly type: 'reject'; readonly keys: readonly string[]; readonly types: number }
  /** There is no room for these: they go to another connection, and what was lost of them as well. */
  | {
      readonly type: 'overflow'
      readonly keys: readonly string[]
      readonly capacity: number
      readonly lost: Lost
    }
  | { readonly type: 'end'; readonly outcome: ConnectionOutcome }

/** How all ends. */
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

/** What outlives a phase. */
export interface ConnectionMemory {
  readonly policy: QuotesPolicy
  /** Number of this connection among all, from 1. */
  readonly connection: number
  /** The longest call, in symbols. */
  readonly maxSymbols: number
  readonly wanted: Wants
  /** Number of the present or last attempt; 0 before the first. */
  readonly attempt: number
  /** Number of the last call. */
  readonly call: number
  /** Attempts that ended since the last stable period. */
  readonly failures: number
  /** Waits for CONNACK 105 since the last stable period. */
  readonly limitWaits: number
  /** Refusals by CONNACK in a row. */
  readonly connackRefusals: number
  /** Whether a CONNACK accepted this connection before. */
  readonly wasAccepted: boolean
  /** Calls in a row that refused the credentials, or found nobody at their path. */
  readonly callRefusals: number
  readonly lost: Lost
  /** When an accepted connection last ended. */
  readonly droppedAtMs: number | undefined
}

/** A call that is under way, or waits to be repeated. */
export interface PendingCall {
  readonly call: StreamingCall
  /** How often it failed in a row. */
  readonly failures: number
  /** Attempts after answers of which it is unknown whether they are final. */
  readonly retries: number
  /** Before it is sent again. */
  readonly delayMs: number
  /** It waits for its time behind all others, and lets what is asked for meanwhile go first. */
  readonly isLast: boolean
}

/** Where a connection is. */
export type ConnectionState = ConnectionMemory &
  /** Not needed. */
  (
    | { readonly phase: 'idle' }
    /** From the start of an attempt to CONNACK. */
    | { readonly phase: 'opening' }
    | {
        readonly phase: 'live'
        readonly acceptedAtMs: number
        readonly lastSeenMs: number
        readonly confirmed: Wants
        /** Calls that go before what the difference asks for: halves of one that failed, what is asserted again. */
        readonly queue: readonly StreamingCall[]
        readonly pending: PendingCall | undefined
        /** Calls that failed more than once, and let others go first: one that never succeeds must not keep those from it. */
        readonly parked: readonly PendingCall[]
        /** Whether `subscribed` was told of what is confirmed now. */
        readonly told: boolean
        /** Whether a packet came since the liveness timer was armed. */
        readonly seen: boolean
        readonly pinged: boolean
        /** Whether a message came since the quiet timer was armed. */
        readonly dataSeen: boolean
        readonly quietMs: number
      }
    | { readonly phase: 'waiting' }
    | { readonly phase: 'ended' }
  )

export type LiveState = Extract<ConnectionState, { readonly phase: 'live' }>
