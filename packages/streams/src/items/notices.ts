/** Notices: items of a stream that report the state of the subscription, in the order of the events. */
import type { BackfillProblem } from '@brokerwire/core'

/** Why a stream reconnects. */
export type ReconnectReason =
  /** The call ended with a gRPC status: see `status`. */
  | 'status'
  /** The service ended the stream without an error. */
  | 'ended'
  /** The service ended the stream before SubscribeSuccess. */
  | 'ended-before-subscribed'
  /** SubscribeSuccess did not arrive in time. */
  | 'subscribe-timeout'
  /** The service sent SubscribeExpired. */
  | 'expired'
  /** No frame arrived within the heartbeat timeout. */
  | 'heartbeat-lost'
  /** The service sent NumOfConnExceed: the app key has too many connections. */
  | 'connection-limit'
  /** The service sent AuthError, or a status with the same meaning. */
  | 'auth-error'
  /** The service rejected the cursor, and `onCursorRejected` is `'from-now'`. */
  | 'cursor-rejected'
  /** The provider of access tokens failed. */
  | 'access-token'

/**
 * The bounds of a gap by the service's clock and by this host's clock, in milliseconds since the Unix epoch. A start is never
 * later than its end. If the clocks contradict each other, because one was set back, the bounds are the widest candidates.
 */
export interface NoticeBounds {
  /**
   * Start by the service's clock: everything that the service sent before this instant was received. It is
   * the timestamp of the last frame, or this host's time plus the clock offset if there is no such timestamp.
   */
  readonly fromMs: number
  /** End by the service's clock: everything that the service sends from this instant on is received. */
  readonly toMs: number
  /** Start by this host's clock. */
  readonly hostFromMs: number
  /** End by this host's clock. */
  readonly hostToMs: number
  /**
   * Clock offset in milliseconds: the service's clock minus this host's clock. `undefined` if no frame with a timestamp was
   * received; then all bounds are by this host's clock.
   */
  readonly clockOffsetMs: number | undefined
}

/** A notice. `kind` distinguishes the notices. */
export type StreamNotice = {
  /** Distinguishes notices from events and undecodable messages. */
  readonly type: 'notice'
  /** Time of the notice by this host's clock, in milliseconds since the Unix epoch. */
  readonly atMs: number
} & (
  | {
      /** The subscription is live. */
      readonly kind: 'subscribed'
      /** Number of the attempt, counted from 1. */
      readonly attempt: number
      /** The service's id of the connection, without secrets. `undefined` on module streams. */
      readonly connectionId: string | undefined
      /** Whether an event arrived before SubscribeSuccess, which shows that the subscription is live. */
      readonly implied: boolean
    }
  /** The connection or the attempt failed, and the stream will try again. */
  | {
      readonly kind: 'reconnecting'
      /** Why the stream reconnects. */
      readonly reason: ReconnectReason
      /** Name of the gRPC status, such as `unavailable`, if the call ended with one. */
      readonly status: string | undefined
      /** Message of the service or the network: at most 200 characters, without secrets. */
      readonly message: string | undefined
      /** Host and port of the service, as `host:port`, if connecting failed. */
      readonly host: string | undefined
      /** System error code, such as `ECONNREFUSED` or `ENOTFOUND`, if the network failed. */
      readonly systemCode: string | undefined
      /** Time until the next attempt, in milliseconds. */
      readonly delayMs: number
      /** Number of attempts after the next one, before the error is final. `undefined` if there is no limit. */
      readonly retriesLeft: number | undefined
      /** Number of the next attempt. */
      readonly attempt: number
      /** With `connection-limit`: a subscription of this process ended less than a minute ago, so the service may still count it. */
      readonly slotStillHeld: boolean
    }
  /** The stream continues after the last position received. No event was missed; duplicates are discarded by id. */
  | ({
      readonly kind: 'resumed'
      /** The event types that continue. */
      readonly eventTypes: readonly string[]
    } & NoticeBounds)
  /** Events that the service sent between the bounds may be lost. */
  | ({
      readonly kind: 'gap'
      /** The affected event types of a module stream. `undefined` on other streams, where all events are affected. */
      readonly eventTypes: readonly string[] | undefined
      /**
       * - `before-subscription`: the time from the first `next()` to the first subscription.
       * - `restart`: the time from the stored record of an earlier stream to the first subscription.
       * - `disconnected`: on trade, position and account streams, the time between two subscriptions.
       * - `no-cursor`: on module streams, the time between two subscriptions, for event types that have no
       *   position yet.
       * - `cursor-rejected`: the service rejected the position, and `onCursorRejected` is `'from-now'`.
       */
      readonly cause: 'before-subscription' | 'restart' | 'disconnected' | 'no-cursor' | 'cursor-rejected'
    } & NoticeBounds)
  /** The subscription is sent without an access token. */
  | {
      readonly kind: 'access-token-missing'
      /**
       * - `rejected`: the service rejected the token, and the token is not sent again.
       * - `required`: the service requires a token according to its configuration; without one, order events may be missing.
       */
      readonly cause: 'rejected' | 'required'
    }
  /** No frame arrived for longer than the usual interval of the service's pings. */
  | {
      readonly kind: 'heartbeat-late'
      /** Time since the last frame, in milliseconds. */
      readonly idleMs: number
      /** Heartbeat timeout: the time without a frame after which the stream reconnects, in milliseconds. */
      readonly timeoutMs: number
    }
  /** The `backfill` hook found events that the stream did not deliver. */
  | {
      readonly kind: 'missed-events'
      /** Number of missed events, as the hook returned it. */
      readonly missing: number
    }
  /** A backfill was incomplete. The next run covers the same interval again. */
  | {
      readonly kind: 'backfill-incomplete'
      /** The reasons, at least one. */
      readonly problems: readonly BackfillProblem[]
    }
  /** The next event has the id of an earlier event, and another payload. It is delivered. */
  | {
      readonly kind: 'duplicate-conflict'
      /** Event type of a module stream, or code of the message on other streams. */
      readonly eventType: number | string
      /** Id of a module event, or request id on other streams: printable, at most 200 characters. */
      readonly id: string
    }
  /**
   * The next event has an id, position or event type longer than `maxIdBytes`. It is delivered, but not stored: duplicates of
   * the event are delivered too, and the cursor does not move.
   */
  | {
      readonly kind: 'id-too-long'
      /** The field that is too long. */
      readonly field: 'requestId' | 'id' | 'position' | 'eventType'
      /** Length of the field in bytes, two for each UTF-16 unit. */
      readonly bytes: number
    }
  /** With `ack: 'manual'`: reading is paused, because `maxUnacked` or more events are not committed. */
  | {
      readonly kind: 'ack-backlog-full'
      /** Number of events that are not committed: unacknowledged, or acknowledged after an unacknowledged event of their type. */
      readonly unacked: number
    }
  /** A cursor could not be written. The write is retried. */
  | {
      readonly kind: 'cursor-write-failed'
      /** Event type of the cursor, or name of the stream on trade, position and account streams. */
      readonly eventType: string
    }
)

/** Creates the notice of a subscription without an access token. */
export function tokenMissing(cause: 'rejected' | 'required', atMs: number): StreamNotice {
  return { type: 'notice', kind: 'access-token-missing', atMs, cause }
}

/** The kinds of {@link StreamNotice}. */
export type NoticeKind = StreamNotice['kind']

/** Redacts the strings of the service in a notice. Messages of failures were redacted before. */
export function redactNotice(notice: StreamNotice, redact: (text: string) => string): StreamNotice {
  if (notice.kind === 'duplicate-conflict') return { ...notice, id: redact(notice.id) }
  if (notice.kind !== 'subscribed' || notice.connectionId === undefined) return notice
  return { ...notice, connectionId: redact(notice.connectionId) }
}
