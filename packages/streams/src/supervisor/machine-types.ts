/**
 * States, events and effects of the supervisor, as data.
 *
 * Time and randomness arrive inside the events (`at`, `draw`), so that the machine itself is a pure function. Each
 * event of a connection carries the number of its session: what an abandoned session still says is ignored.
 */
import type { StreamNotice } from '../items/notices.ts'
import type { SupervisorPolicy } from './policy.ts'
import type { GrpcStatus } from './status.ts'

/** What a frame is to the supervisor. The two services number their frames differently; here they are alike. */
export type FrameClass =
  | 'subscribed'
  | 'ping'
  | 'event'
  | 'auth-error'
  | 'connection-limit'
  | 'expired'
  /** A code that neither enum names and that is no data code. */
  | 'unknown'

/** Timers of the machine. Arming one replaces the one of the same name. */
export type SupervisorTimer =
  | 'subscribe'
  | 'liveness'
  | 'stable'
  | 'retry'
  | 'give-up'
  | 'recover'
  | 'reconcile'

interface Instant {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  /** A random number from 0 up to but not including 1. */
  readonly draw: number
}

/** What happens to the supervisor. */
export type SupervisorEvent = Instant &
  (
    | { readonly type: 'start' }
    | { readonly type: 'stop' }
    /** The request is about to go out: what it carries. */
    | {
        readonly type: 'sent'
        readonly session: number
        readonly tokenSent: boolean
        readonly cursorSent: boolean
      }
    | {
        readonly type: 'frame'
        readonly session: number
        readonly frame: FrameClass
        /** The frame's own timestamp, milliseconds since the Unix epoch, where it can be read. */
        readonly serverMs?: number | undefined
        /** What names the connection, where the frame says so. */
        readonly connectionId?: string | undefined
        /** When this process last gave up a subscription of the same key. */
        readonly recentDropMs?: number | undefined
      }
    /**
     * Frames of a live connection that decide nothing by themselves, all that arrived together: events, pings, unknown
     * ones. {@link FrameClass} by {@link FrameClass} the type `frame` says the same.
     */
    | {
        readonly type: 'frames'
        readonly session: number
        /** How many of them are pings. */
        readonly pings: number
        /** The last ping's own timestamp, milliseconds since the Unix epoch, where it can be read. */
        readonly lastPingMs?: number | undefined
      }
    /** The stream ended with status OK. */
    | { readonly type: 'ended'; readonly session: number }
    | {
        readonly type: 'failed'
        readonly session: number
        readonly status: GrpcStatus
        /** What the service said, already free of anything secret. */
        readonly serverMessage?: string | undefined
        readonly host?: string | undefined
        /** Where the network failed. */
        readonly systemCode?: string | undefined
      }
    /** The request could not be made: a hook of the caller failed. */
    | {
        readonly type: 'not-sent'
        readonly session: number
        readonly step: 'request' | 'signature' | 'access-token'
        readonly retryable: boolean
        /** What it failed with, where that is safe to show. */
        readonly cause?: unknown
      }
    /** The consumer is slow: nothing is read until `drained`. */
    | { readonly type: 'full'; readonly session: number }
    | { readonly type: 'drained'; readonly session: number }
    /** The answer to the effect `recover`. */
    | {
        readonly type: 'recovered'
        readonly session: number
        readonly retry: boolean
        /** Why nothing new was learned, where that is safe to show. */
        readonly cause?: unknown
      }
    | { readonly type: 'timer'; readonly timer: SupervisorTimer }
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
  /** The stream is back: what happened from `fromMs` to `toMs` went unseen. `undefined`: since a stored cursor. */
  | {
      readonly type: 'came-back'
      readonly fromMs: number | undefined
      readonly toMs: number
      readonly cursorRejected: boolean
    }
  /** Learn the clock's offset, or look for another access token. */
  | {
      readonly type: 'recover'
      readonly session: number
      readonly mode: 'clock' | 'token'
      readonly serverMs: number | undefined
    }
  /** Forget the cursors that were sent: they were refused. */
  | { readonly type: 'forget-cursors' }
  | { readonly type: 'reconcile'; readonly cause: 'subscribed' | 'timer' }
  | { readonly type: 'end'; readonly outcome: SupervisorOutcome }

/** How a supervised stream ended. */
export type SupervisorOutcome =
  | { readonly kind: 'stopped' }
  | {
      readonly kind: 'auth-rejected'
      readonly signal: 'auth-error' | 'status'
      readonly status: GrpcStatus | undefined
      readonly tokenSent: boolean
      readonly cause?: unknown
    }
  | { readonly kind: 'refused'; readonly status: GrpcStatus; readonly serverMessage: string | undefined }
  | {
      readonly kind: 'cursor-rejected'
      readonly status: GrpcStatus
      readonly serverMessage: string | undefined
    }
  | {
      readonly kind: 'gave-up'
      readonly limit: 'attempts' | 'elapsed'
      readonly attempts: number
      readonly reason: string
    }
  | {
      readonly kind: 'not-sent'
      readonly step: 'request' | 'signature' | 'access-token'
      readonly cause?: unknown
    }

/** What outlives a phase. */
export interface SupervisorMemory {
  readonly policy: SupervisorPolicy
  /** Number of the present or last attempt; 0 before the first. */
  readonly session: number
  /** Attempts that ended since the last stable period. */
  readonly failures: number
  /** Whether the one further attempt after an authentication error was made since the last stable period. */
  readonly authRetried: boolean
  /** Why nothing new was learned before it. */
  readonly authCause: unknown
  /** Waits for NumOfConnExceed since the last stable period. */
  readonly limitWaits: number
  /** Whether the consumer is slow. */
  readonly paused: boolean
  /** What the present attempt sent. */
  readonly tokenSent: boolean
  readonly cursorSent: boolean
  /** Learned time between two pings. */
  readonly pingIntervalMs: number | undefined
  /** Last sign of life before the stream was lost; `undefined` while nothing was missed. */
  readonly lostAtMs: number | undefined
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
        readonly lastSeenMs: number
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
