/**
 * States, events and effects of the supervisor, as data.
 *
 * An attempt is one call of the service. If the service accepts it, the attempt continues as the subscription, until the call ends.
 * Each event of a call has the number of its attempt, so that events of an earlier attempt are ignored. Events also contain the time
 * and a random number (`at`, `random`), so the machine is a pure function.
 */
import type { FrameClass } from '../items/frame-class.ts'
import type { StreamNotice } from '../items/notices.ts'
import type { TradeStreamName } from '../observer.ts'
import type { StreamsErrorDetails } from '../streams-error.ts'
import type { SupervisorPolicy } from './policy.ts'
import type { GrpcStatus } from './status.ts'

/** Timers of the machine. Starting a timer replaces the running one of the same name. */
export type SupervisorTimer =
  /** Ends an attempt without SubscribeSuccess. */
  | 'subscribe'
  /** Starts the next check for missing frames. */
  | 'liveness'
  /** Resets the counters of failures, after a subscription was live for `stableAfterMs`. */
  | 'stable'
  /** Starts the next attempt. */
  | 'retry'
  /** Ends the stream after an outage of `maxElapsedMs`. */
  | 'give-up'
  /** Ends a recovery that takes too long. */
  | 'recover'
  /** Calls the `backfill` hook. */
  | 'backfill'

/** The reason why a call failed, without secrets. The error itself is not kept, because its message may quote the request. */
export interface CallFailure {
  /** The gRPC status, by name. */
  readonly status: GrpcStatus
  /** The message of the service or of the network. */
  readonly serverMessage?: string | undefined
  /** The address of the attempt, `host:port`. */
  readonly host?: string | undefined
  /** The system's error code if the network failed: `ECONNREFUSED`, `ENOTFOUND`, ... */
  readonly systemCode?: string | undefined
  /** The delay that the service asked for before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/** A failure before the request was sent: a function of the caller failed. */
export interface PreSendFailure {
  /** The step that failed. */
  readonly step: 'request' | 'signature' | 'headers' | 'access-token'
  /** Whether a later attempt may succeed. */
  readonly retryable: boolean
  /** The error, if it contains no secret. */
  readonly cause?: unknown
}

/** The optional parts of a request. */
export interface SentCredentials {
  /** Whether the request had an access token. */
  readonly tokenSent: boolean
  /** Whether the request had a cursor. */
  readonly cursorSent: boolean
}

/** The result of the recovery from an authentication error. */
export interface Recovery {
  /** Whether one more attempt may succeed: the clock was corrected, or there is another token. */
  readonly retry: boolean
  /** Whether the token provider failed with a retryable error. The next attempt is made after the backoff. */
  readonly retryLater?: boolean | undefined
  /** The error of the clock hook or the token provider, if it contains no secret. */
  readonly cause?: unknown
}

/** An event of one attempt, including the subscription that it opened. */
export type AttemptEvent = {
  /** The number of the attempt. */
  readonly attempt: number
} & (
  | ({
      /** The request is about to be sent. */
      readonly type: 'sent'
    } & SentCredentials)
  /** A frame was received. */
  | {
      readonly type: 'frame'
      /** The class of the frame. */
      readonly frame: FrameClass
      /** The frame's own timestamp, milliseconds since the Unix epoch, if it can be read. */
      readonly serverTimeMs?: number | undefined
      /** The service's id of the connection, if the frame has one. */
      readonly connectionId?: string | undefined
      /** The instant when a subscription of the same app key last ended in this process. */
      readonly recentDropMs?: number | undefined
    }
  /**
   * The frames of one read of a live subscription that cannot change the phase: events, pings and unknown ones. Equivalent to one
   * event of type `frame` for each of them.
   */
  | {
      readonly type: 'frames'
      /** Number of pings among these frames. */
      readonly pings: number
      /** The last ping's own timestamp, milliseconds since the Unix epoch, if it can be read. */
      readonly lastPingMs?: number | undefined
    }
  /** The stream ended with status OK. */
  | { readonly type: 'ended' }
  /** The call failed, before or after its first frame. */
  | ({
      readonly type: 'failed'
      /** The instant when a subscription of the same app key last ended in this process. */
      readonly recentDropMs?: number | undefined
      /** Another live stream of this process with the same service and app key. */
      readonly heldBy?: TradeStreamName | undefined
    } & CallFailure)
  /** The attempt failed before the request was sent. */
  | ({ readonly type: 'not-sent' } & PreSendFailure)
  /** The consumer is slow. Nothing is read until `resume`. */
  | { readonly type: 'pause' }
  /** The consumer has taken items, and reading continues. */
  | { readonly type: 'resume' }
  /** The result of the effect `recover`. */
  | ({ readonly type: 'recovered' } & Recovery)
)

/** An event of the supervisor. */
export type SupervisorEvent = {
  /** The time of the event, milliseconds since the Unix epoch. */
  readonly at: number
  /** A random number, from 0 up to but not including 1. */
  readonly random: number
} & (
  | {
      /** The consumer has called `next()` for the first time. */
      readonly type: 'start'
    }
  /** The consumer has ended the stream. */
  | { readonly type: 'stop' }
  /** Another stream of this process, with the same service and app key, is live now. */
  | { readonly type: 'contender-live'; readonly heldBy: TradeStreamName }
  /** A timer has fired. */
  | { readonly type: 'timer'; readonly timer: SupervisorTimer }
  | AttemptEvent
)

/** An effect that the runner performs. */
export type SupervisorEffect =
  /** Opens a subscription, with a new signature and the current cursors. */
  | { readonly type: 'open'; readonly attempt: number }
  /** Cancels the call of this attempt. */
  | { readonly type: 'close'; readonly attempt: number }
  /** Starts a timer. The delay is in milliseconds. */
  | { readonly type: 'start-timer'; readonly timer: SupervisorTimer; readonly delayMs: number }
  /** Clears a timer. */
  | { readonly type: 'clear-timer'; readonly timer: SupervisorTimer }
  /** Delivers a notice to the consumer. */
  | { readonly type: 'notify'; readonly notice: StreamNotice }
  /** The stream is subscribed, for the first time or again. */
  | {
      readonly type: 'live'
      /** The instant by this host's clock, milliseconds since the Unix epoch. */
      readonly hostMs: number
      /**
       * The timestamp of the frame that confirms the subscription, milliseconds since the Unix epoch, if it
       * can be read.
       */
      readonly serviceMs: number | undefined
      /** Whether that frame is an event, which came before SubscribeSuccess. */
      readonly implied: boolean
      /** Whether a cursor was rejected since the stream was last live. */
      readonly cursorRejected: boolean
    }
  /** Corrects the signer's clock, and with mode `token` asks the provider for another access token. */
  | {
      readonly type: 'recover'
      readonly attempt: number
      /** `token` if the rejected request had an access token. */
      readonly mode: 'clock' | 'token'
      /** The service's time in its response, milliseconds since the Unix epoch. */
      readonly serverTimeMs: number | undefined
    }
  /** Stops sending the access token that the service rejected. */
  | { readonly type: 'withhold-token' }
  /** Discards the cursors, because the service rejected them. */
  | { readonly type: 'reset-cursors' }
  /** Calls the `backfill` hook. */
  | { readonly type: 'backfill'; readonly cause: 'subscribed' | 'timer' }
  /** Ends the stream. */
  | { readonly type: 'end'; readonly outcome: SupervisorOutcome }

/** The end of a supervised stream: stopped by the caller, or a failure with the details of its error. */
export type SupervisorOutcome =
  | { readonly kind: 'stopped' }
  | ({
      readonly kind: 'auth-rejected'
      readonly cause?: unknown
    } & StreamsErrorDetails['STREAM_AUTH_REJECTED'])
  | ({ readonly kind: 'refused' } & StreamsErrorDetails['STREAM_REFUSED'])
  | ({ readonly kind: 'cursor-rejected' } & StreamsErrorDetails['STREAM_CURSOR_REJECTED'])
  | ({ readonly kind: 'subscription-conflict' } & StreamsErrorDetails['STREAM_SUBSCRIPTION_CONFLICT'])
  | ({ readonly kind: 'gave-up' } & StreamsErrorDetails['STREAM_GAVE_UP'])
  | ({ readonly kind: 'not-sent'; readonly cause?: unknown } & StreamsErrorDetails['STREAM_OPEN_FAILED'])

/** The part of the state that all phases have. */
export interface SupervisorMemory {
  /** The options of supervision, with defaults. */
  readonly policy: SupervisorPolicy
  /** Number of the current or last attempt; 0 before the first. */
  readonly attempt: number
  /** Number of attempts that ended since the last stable period. */
  readonly failures: number
  /** Whether the attempt after an authentication error was made since the last stable period. */
  readonly authRetried: boolean
  /** Whether the rejected access token was withheld since the last stable period. */
  readonly tokenWithheld: boolean
  /** The error of the recovery after an authentication error. */
  readonly authCause: unknown
  /** Whether the stream was ever live. */
  readonly wasLive: boolean
  /** Number of attempts after refusals, since the last stable period. */
  readonly retries: number
  /** Number of waits after NumOfConnExceed, since the last stable period. */
  readonly limitWaits: number
  /** Whether the last attempt was refused because the app key already has its only subscription. */
  readonly subscriptionTaken: boolean
  /** Whether reading is paused, because the consumer is slow. */
  readonly paused: boolean
  /** Whether the current attempt sent an access token. */
  readonly tokenSent: boolean
  /** Whether the current attempt sent a cursor. */
  readonly cursorSent: boolean
  /** Measured time between two pings, in milliseconds; `undefined` until two pings were received. */
  readonly pingIntervalMs: number | undefined
  /** The instant when a live subscription of this stream last ended. */
  readonly droppedAtMs: number | undefined
  /** Whether the cursor was rejected since the stream was last live. */
  readonly cursorRejected: boolean
  /** Whether an attempt failed since the stream was last live. */
  readonly inOutage: boolean
  /** The reason why the last attempt ended. */
  readonly lastReason: string
}

/** The state of the supervisor, by phase. */
export type SupervisorState = SupervisorMemory &
  (
    | { readonly phase: 'idle' }
    /** From the start of an attempt to SubscribeSuccess. */
    | { readonly phase: 'opening' }
    | {
        readonly phase: 'live'
        /**
         * The instant of the last ping: its own timestamp, or without one the time of receipt by this host's
         * clock.
         */
        readonly lastPingMs: number | undefined
        /** Whether a frame was received since the liveness timer was started. */
        readonly hasActivity: boolean
        /** Time without a frame, in milliseconds, when the liveness timer was started. */
        readonly idleMs: number
        /** Whether the notice `heartbeat-late` was sent since the last frame. */
        readonly heartbeatOverdue: boolean
      }
    | { readonly phase: 'waiting' }
    /** Between an authentication error and the next attempt. */
    | {
        readonly phase: 'recovering'
        readonly mode: 'clock' | 'token'
        readonly signal: 'auth-error' | 'status'
        /** The failed call, if a status reported the error. */
        readonly failure: CallFailure | undefined
      }
    | { readonly phase: 'ended' }
  )
