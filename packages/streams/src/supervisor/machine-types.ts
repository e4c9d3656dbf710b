/**
 * States, events and effects of the supervisor, as data.
 *
 * Time and randomness arrive inside the events (`at`, `draw`), so that the machine itself is a pure function. Each
 * event of a connection carries the number of its session: what an abandoned session still says is ignored.
 */
import type { FrameClass } from '../items/frame-class.ts'
import type { StreamNotice } from '../items/notices.ts'
import type { TradeStreamName } from '../observer.ts'
import type { StreamsErrorDetails } from '../streams-error.ts'
import type { SupervisorPolicy } from './policy.ts'
import type { GrpcStatus } from './status.ts'

/** Timers of the machine. Arming one replaces the one of the same name. */
export type SupervisorTimer =
  | 'subscribe'
  | 'liveness'
  | 'stable'
  | 'retry'
  | 'give-up'
  | 'recover'
  | 'backfill'

/** Why a call failed, free of anything secret. The error itself is not kept: its message may quote what was sent. */
export interface CallFailure {
  readonly status: GrpcStatus
  /** What the service or the network said. */
  readonly serverMessage?: string | undefined
  /** Where it was to connect to, `host:port`. */
  readonly host?: string | undefined
  /** The system's code, where the network failed: `ECONNREFUSED`, `ENOTFOUND`, ... */
  readonly systemCode?: string | undefined
  /** The wait that the service asked for. */
  readonly retryAfterMs?: number | undefined
}

/** A request that could not be made: a hook of the caller failed. */
export interface NotSent {
  readonly step: 'request' | 'signature' | 'access-token'
  readonly retryable: boolean
  /** What it failed with, where that is safe to show. */
  readonly cause?: unknown
}

/** What a request carries. */
export interface SentCredentials {
  readonly tokenSent: boolean
  readonly cursorSent: boolean
}

/** Whether a further attempt makes sense after an authentication error. */
export interface Recovery {
  readonly retry: boolean
  /** Whether the hook for the access token failed for now: the next attempt is made after the backoff. */
  readonly retryLater?: boolean | undefined
  /** Why nothing new was learned, if it is safe to show. */
  readonly cause?: unknown
}

/** An event of one session. `sent`: the request is about to be sent. */
export type SessionEvent = { readonly session: number } & (
  | ({ readonly type: 'sent' } & SentCredentials)
  | {
      readonly type: 'frame'
      readonly frame: FrameClass
      /** The frame's own timestamp, milliseconds since the Unix epoch, where it can be read. */
      readonly serverMs?: number | undefined
      /** What names the connection, where the frame says so. */
      readonly connectionId?: string | undefined
      /** When this process last gave up a subscription of the same key. */
      readonly recentDropMs?: number | undefined
    }
  /**
   * The frames of one read of a live connection that need no step of their own: events, pings and unknown ones. Equivalent to
   * one event of type `frame` for each of them.
   */
  | {
      readonly type: 'frames'
      /** How many of them are pings. */
      readonly pings: number
      /** The last ping's own timestamp, milliseconds since the Unix epoch, where it can be read. */
      readonly lastPingMs?: number | undefined
    }
  /** The stream ended with status OK. */
  | { readonly type: 'ended' }
  | ({
      readonly type: 'failed'
      /** When this process last gave up a subscription of the same key. */
      readonly recentDropMs?: number | undefined
      /** Another live stream of this process that subscribed to the same service with the same app key. */
      readonly heldBy?: TradeStreamName | undefined
    } & CallFailure)
  | ({ readonly type: 'not-sent' } & NotSent)
  /** The consumer is slow: nothing is read until `resume`. */
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  /** The answer to the effect `recover`. */
  | ({ readonly type: 'recovered' } & Recovery)
)

/** What happens to the supervisor. */
export type SupervisorEvent = {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  /** A random number from 0 up to but not including 1. */
  readonly draw: number
} & (
  | { readonly type: 'start' }
  | { readonly type: 'stop' }
  /** Another stream of this process, for the same service and app key, became live. */
  | { readonly type: 'taken'; readonly heldBy: TradeStreamName }
  | { readonly type: 'timer'; readonly timer: SupervisorTimer }
  | SessionEvent
)

/** What the runner does. */
export type SupervisorEffect =
  /** Open a subscription, with a fresh signature and the cursors of this moment. */
  | { readonly type: 'open'; readonly session: number }
  /** Abandon the connection of this session. */
  | { readonly type: 'close'; readonly session: number }
  | { readonly type: 'arm'; readonly timer: SupervisorTimer; readonly delayMs: number }
  | { readonly type: 'disarm'; readonly timer: SupervisorTimer }
  | { readonly type: 'notify'; readonly notice: StreamNotice }
  /** The stream is subscribed, for the first time or again. */
  | {
      readonly type: 'live'
      /** This host's clock. */
      readonly hostMs: number
      /** The timestamp of the frame that shows it, milliseconds since the Unix epoch, if it can be read. */
      readonly serviceMs: number | undefined
      /** Whether that frame is an event, which came before SubscribeSuccess. */
      readonly implied: boolean
      readonly cursorRejected: boolean
    }
  /** Learn the clock's offset, or look for another access token. */
  | {
      readonly type: 'recover'
      readonly session: number
      readonly mode: 'clock' | 'token'
      readonly serverMs: number | undefined
    }
  /** Do not send the access token again that the service refused. */
  | { readonly type: 'withhold-token' }
  /** Forget the cursors that were sent: they were refused. */
  | { readonly type: 'reset-cursors' }
  | { readonly type: 'backfill'; readonly cause: 'subscribed' | 'timer' }
  | { readonly type: 'end'; readonly outcome: SupervisorOutcome }

/** How a supervised stream ended: stopped, or with what the details of its error say. */
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

/** What outlives a phase. */
export interface SupervisorMemory {
  readonly policy: SupervisorPolicy
  /** Number of the present or last attempt; 0 before the first. */
  readonly session: number
  /** Attempts that ended since the last stable period. */
  readonly failures: number
  /** Whether the one further attempt after an authentication error was made since the last stable period. */
  readonly authRetried: boolean
  /** Whether the refused access token was withheld since the last stable period. */
  readonly tokenWithheld: boolean
  /** Why nothing new was learned before it. */
  readonly authCause: unknown
  /** Whether the stream was live before. */
  readonly wasLive: boolean
  /** Attempts after refusals that may pass, since the last stable period. */
  readonly retries: number
  /** Waits for NumOfConnExceed since the last stable period. */
  readonly limitWaits: number
  /** Whether the last attempt was refused because the app key has its one subscription already. */
  readonly subscriptionTaken: boolean
  /** Whether the consumer is slow. */
  readonly paused: boolean
  /** What the present attempt sent. */
  readonly tokenSent: boolean
  readonly cursorSent: boolean
  /** Learned time between two pings. */
  readonly pingIntervalMs: number | undefined
  /** When a live subscription of this stream last ended. */
  readonly droppedAtMs: number | undefined
  /** Whether the cursor was refused since the stream was last live. */
  readonly cursorRejected: boolean
  /** Whether an attempt failed since the stream was last live. */
  readonly inOutage: boolean
  /** Why the last attempt ended. */
  readonly lastReason: string
}

/** Where the supervisor is. */
export type SupervisorState = SupervisorMemory &
  (
    | { readonly phase: 'idle' }
    /** From the start of an attempt to SubscribeSuccess. */
    | { readonly phase: 'opening' }
    | {
        readonly phase: 'live'
        readonly lastPingMs: number | undefined
        /** Whether a frame came since the liveness timer was armed. */
        readonly seen: boolean
        /** How long it had been silent when the liveness timer was armed. */
        readonly quietMs: number
        readonly late: boolean
      }
    | { readonly phase: 'waiting' }
    /** Between an authentication error and the one further attempt. */
    | {
        readonly phase: 'recovering'
        readonly mode: 'clock' | 'token'
        readonly signal: 'auth-error' | 'status'
        readonly status: GrpcStatus | undefined
      }
    | { readonly phase: 'ended' }
  )
