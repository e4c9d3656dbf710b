/** What a stream says about itself, in its place among the events. */

/** Why a stream is opened again. */
export type ReconnectReason =
  /** A gRPC status: see `status`. */
  | 'status'
  /** The service ended the stream without an error. */
  | 'ended'
  | 'ended-before-subscribed'
  | 'subscribe-timeout'
  /** SubscribeExpired. */
  | 'expired'
  /** No frame for longer than the bound of silence. */
  | 'heartbeat-lost'
  /** NumOfConnExceed. */
  | 'connection-limit'
  /** AuthError, or a status that says the same. */
  | 'auth-error'
  /** The service refused the cursor, and the caller chose `onCursorRejected: 'from-now'`. */
  | 'cursor-rejected'
  /** The access-token hook failed. */
  | 'access-token'

/**
 * Bounds by two clocks, which may differ. A start is never later than its end. If the clocks contradict each other, because one
 * was set back, the bounds are the widest.
 */
export interface NoticeBounds {
  /**
   * By the service's clock: everything that it sent before was received. By the timestamp of the last frame; without one, by
   * this host's clock and the measured offset.
   */
  readonly fromMs: number
  /** By the service's clock: everything that it sends from here on is received. */
  readonly toMs: number
  /** The same instants by this host's clock. */
  readonly hostFromMs: number
  readonly hostToMs: number
  /**
   * The service's clock minus this host's. `undefined` if no frame with a timestamp was received: then all bounds are by this
   * host's clock.
   */
  readonly clockOffsetMs: number | undefined
}

/** A notice. All instants are milliseconds since the Unix epoch. */
export type StreamNotice = {
  readonly type: 'notice'
  readonly atMs: number
} & (
  | {
      readonly kind: 'subscribed'
      /** Number of the attempt, from 1. */
      readonly attempt: number
      /** The name that the service gave the connection (trade and position streams), free of what was sent. */
      readonly connectionId: string | undefined
      /** An event came before SubscribeSuccess: the subscription evidently stands. */
      readonly implied: boolean
    }
  | {
      readonly kind: 'reconnecting'
      readonly reason: ReconnectReason
      /** gRPC status, by name. */
      readonly status: string | undefined
      /** What the service or the network said: at most 200 characters, free of what was sent. */
      readonly message: string | undefined
      /** Where it was to connect to, `host:port`, where an attempt failed on the way. */
      readonly host: string | undefined
      /** The system's code, where the network failed: `ECONNREFUSED`, `ENOTFOUND`, ... */
      readonly systemCode: string | undefined
      /** Until the next attempt. */
      readonly delayMs: number
      /** Attempts that are left after the next one, before a refusal is final; `undefined` if there is no such limit. */
      readonly retriesLeft: number | undefined
      /** Number of the next attempt. */
      readonly attempt: number
      /** With `connection-limit`: a subscription of ours ended less than a minute ago, and its slot may still count. */
      readonly lingeringSlot: boolean
    }
  /** The stream continues after the last position received: nothing was missed, repeats are dropped by id. */
  | ({
      readonly kind: 'resumed'
      readonly eventTypes: readonly string[]
    } & NoticeBounds)
  /** Events that the service sent between the bounds may be lost. */
  | ({
      readonly kind: 'gap'
      /** Module streams: the event types concerned. Otherwise all that the stream carries. */
      readonly eventTypes: readonly string[] | undefined
      /**
       * - `before-subscription`: from the first `next()` to the first subscription.
       * - `restart`: from the record of an earlier stream in the store to the first subscription.
       * - `disconnected`: trade streams, between two subscriptions.
       * - `no-cursor`: module streams, between two subscriptions; these event types have no position yet.
       * - `cursor-rejected`: the service rejected the position, and `onCursorRejected` is `'from-now'`.
       */
      readonly cause: 'before-subscription' | 'restart' | 'disconnected' | 'no-cursor' | 'cursor-rejected'
    } & NoticeBounds)
  /**
   * A subscription is sent without an access token. `rejected`: the service refused it with the token, which is not sent again.
   * `required`: the service's configuration says that it wants one; without it, order events may not come.
   */
  | {
      readonly kind: 'access-token-missing'
      readonly cause: 'rejected' | 'required'
    }
  /** No frame was received for more than one and a half intervals of the pings. */
  | {
      readonly kind: 'heartbeat-late'
      /** Time without a frame so far, in milliseconds. */
      readonly idleMs: number
      /** Time without a frame after which the connection is replaced, in milliseconds. */
      readonly timeoutMs: number
    }
  /** The `backfill` hook found what the stream did not deliver. */
  | {
      readonly kind: 'missed-events'
      readonly missing: number
    }
  /** An event with the name of an earlier one, and another payload. It is delivered, next. */
  | {
      readonly kind: 'duplicate-conflict'
      /** Trade and position streams: the code of the message. Module streams: the event type. */
      readonly eventType: number | string
      /** The request id, or on a module stream the event's id: printable, at most 200 characters. */
      readonly id: string
    }
  /**
   * The next event has an id, position or event type longer than `maxIdBytes`. It is neither remembered nor stored: duplicates
   * of the event are delivered, and the cursor does not move.
   */
  | {
      readonly kind: 'id-too-long'
      readonly field: 'requestId' | 'id' | 'position' | 'eventType'
      /** At two bytes a UTF-16 unit. */
      readonly bytes: number
    }
  /** With `ack: 'manual'`: so many events wait for `ack()` that nothing more is read. */
  | {
      readonly kind: 'ack-backlog-full'
      readonly unacked: number
    }
  /** A cursor could not be written. It is tried again. */
  | {
      readonly kind: 'cursor-write-failed'
      readonly eventType: string
    }
)

/** The notice of a subscription without an access token. */
export function tokenMissing(cause: 'rejected' | 'required', atMs: number): StreamNotice {
  return { type: 'notice', kind: 'access-token-missing', atMs, cause }
}

/** Kinds of {@link StreamNotice}. */
export type NoticeKind = StreamNotice['kind']

/** The notice with what the service wrote into it as it may be shown. What it said of a failure comes shown already. */
export function redactNotice(notice: StreamNotice, redact: (text: string) => string): StreamNotice {
  if (notice.kind === 'duplicate-conflict') return { ...notice, id: redact(notice.id) }
  if (notice.kind !== 'subscribed' || notice.connectionId === undefined) return notice
  return { ...notice, connectionId: redact(notice.connectionId) }
}
