/**
 * Tracks until when each subscription of an app was complete, and the gaps that follow. Pure: instants are
 * arguments, notices are results.
 *
 * A subscription is complete up to an instant if all events that the service sent before it were received and
 * taken, which means passed to the publisher. A stalled connection or a suspended host looks like a
 * connection without events. Neither extends that instant.
 */
import type { StreamNotice } from '@brokerwire/streams'
import type { CompleteUntil, CompleteUntilBySubscription, WriterGap } from '../wire/notices.ts'
import type { Subscription } from '../wire/subjects.ts'
import { completeUntilHost, earlierOf, gapBounds, MARGIN_MS } from './complete-until.ts'
import { type ResumePoint, TIMED } from './resume-point.ts'

/** The interval of {@link GapTracker.tick}. */
export const TICK_MS = 1000

/** A subscription that is open. */
interface OpenSubscription {
  /** Whether everything that was received has been taken. */
  isIdle: boolean
  /**
   * Until when everything that was sent has been taken, according to the last event. A notice does not prove
   * this, because the next notice may report an earlier gap.
   */
  taken: CompleteUntil | undefined
}

/** Since when events of a subscription that is not live may be missing. */
interface MissingSince {
  readonly since: CompleteUntil
  readonly cause: WriterGap['cause']
}

/** A frame that arrived. */
export interface Activity {
  /** When the frame was received, by this host's clock. */
  readonly atMs: number
  /** Until when everything was received: the frame's timestamp, or the time of receipt if that is earlier. */
  readonly receivedUntilMs: number
  /** The frame's timestamp, which is by the service's clock. */
  readonly serverTimeMs?: number | undefined
}

export class GapTracker {
  readonly #start: CompleteUntil
  readonly #open = new Map<Subscription, OpenSubscription>()
  /**
   * Subscriptions that were live in this relay. For the others, everything after the last writer is missing.
   */
  readonly #wasLive = new Set<Subscription>()
  readonly #missing = new Map<Subscription, MissingSince>()
  /** Until when a subscription was complete when it last became live or was closed. */
  readonly #known = new Map<Subscription, CompleteUntil>()
  /** The last activity on each connection. */
  readonly #activity = new Map<Subscription, CompleteUntil>()
  /**
   * Subscriptions whose connection was opened or lost, and has received no frame since. Its next frame
   * measures the clock offset again.
   */
  readonly #reconnecting = new Set<Subscription>()
  #resumePoint: ResumePoint | undefined
  #lostEventTypes: readonly string[] = []
  #lastTickMs: number
  /** If the last tick came too late: since when this host did not run. */
  #suspendedSinceMs: number | undefined

  constructor(nowMs: number) {
    this.#lastTickMs = nowMs
    this.#start = completeUntilHost(nowMs, undefined)
  }

  /** The instant at which this relay began. */
  get start(): CompleteUntil {
    return this.#start
  }

  /**
   * Called when this relay becomes the stream's writer.
   *
   * @param followed - The subscriptions of this relay.
   * @param eventTypes - The event types of module events.
   */
  begin(resumePoint: ResumePoint, followed: readonly Subscription[], eventTypes: readonly string[]): void {
    this.#resumePoint = resumePoint
    this.#missing.clear()
    const { completeUntil, isTruncated, positions } = resumePoint
    const cause = isTruncated ? 'stream-truncated' : 'restart'
    for (const one of TIMED) {
      const since = completeUntil[one]
      if (since !== undefined) this.#missing.set(one, { since, cause })
      else if (followed.includes(one))
        this.#missing.set(one, { since: this.#start, cause: 'before-subscription' })
    }
    // If the stream has the position of an event type, the service sends the events after it again. Events of
    // the other types may be lost.
    this.#lostEventTypes = eventTypes.filter((eventType) => positions[eventType] === undefined)
    const { module } = completeUntil
    if (module !== undefined && this.#lostEventTypes.length > 0)
      this.#missing.set('module', { since: module, cause: 'stream-truncated' })
  }

  /** Detects a stopped process or a suspended host. Events that the service sent meanwhile may be lost. */
  tick(nowMs: number): void {
    this.#suspendedSinceMs = nowMs - this.#lastTickMs > 2 * TICK_MS ? this.#lastTickMs : undefined
    this.#lastTickMs = nowMs
  }

  /** Called when a frame arrived on the connection of a subscription. */
  frameReceived(subscription: Subscription, { atMs, receivedUntilMs, serverTimeMs }: Activity): void {
    const isNew = this.#reconnecting.delete(subscription)
    const before = isNew ? undefined : this.#activity.get(subscription)
    if (serverTimeMs === undefined) {
      this.#activity.set(subscription, completeUntilHost(receivedUntilMs, before?.clockOffsetMs))
      return
    }
    // Latency only makes the measured offset smaller, so the largest one is kept. A late frame, or an old
    // event that is sent again, has no effect.
    const clockOffsetMs = Math.max(serverTimeMs - atMs, before?.clockOffsetMs ?? Number.NEGATIVE_INFINITY)
    const untilMs = Math.max(serverTimeMs, before?.untilMs ?? Number.NEGATIVE_INFINITY)
    const hostUntilMs = Math.min(atMs, untilMs - clockOffsetMs)
    this.#activity.set(subscription, { untilMs, hostUntilMs, clockOffsetMs })
  }

  /** Called when the connection was lost. The subscription opens another one by itself. */
  reconnecting(subscription: Subscription): void {
    this.#reconnecting.add(subscription)
  }

  /** Called when a subscription is opened. */
  opened(subscription: Subscription): void {
    this.#reconnecting.add(subscription)
    this.#open.set(subscription, { isIdle: false, taken: undefined })
  }

  /** Sets whether everything that was received on the subscription has been taken. */
  setIdle(subscription: Subscription, isIdle: boolean): void {
    const open = this.#open.get(subscription)
    if (open !== undefined) open.isIdle = isIdle
  }

  /**
   * Returns the service's clock minus this host's, as measured on an open connection of this app key, if
   * possible that of the subscription.
   */
  clockOffsetMs(subscription: Subscription): number | undefined {
    const own = this.#activity.get(subscription)?.clockOffsetMs
    if (own !== undefined && !this.#reconnecting.has(subscription)) return own
    for (const [other, { clockOffsetMs }] of this.#activity)
      if (clockOffsetMs !== undefined && !this.#reconnecting.has(other)) return clockOffsetMs
    return undefined
  }

  /**
   * Called when an event was taken.
   *
   * @param until - Until when everything was received when the event arrived.
   */
  taken(subscription: Subscription, until: CompleteUntil): void {
    const open = this.#open.get(subscription)
    if (open === undefined) return
    if (open.taken === undefined || until.untilMs > open.taken.untilMs) open.taken = until
  }

  /**
   * Called when the subscription ended with an error. It is opened again without its state, so events may be
   * missing. Module events are an exception, because they have a cursor.
   */
  ended(subscription: Subscription, nowMs: number): void {
    if (!this.#wasLive.has(subscription) || subscription === 'module') return
    const since = this.#completeUntil(subscription, nowMs)
    if (since !== undefined) this.#missing.set(subscription, { since, cause: 'disconnected' })
    this.#wasLive.delete(subscription)
  }

  /** Called when the subscription is closed on purpose, for another relay. */
  closing(subscription: Subscription, nowMs: number): void {
    const until = this.#completeUntil(subscription, nowMs)
    if (until === undefined) return
    this.#known.set(subscription, until)
    this.#open.delete(subscription)
  }

  /**
   * Called when the subscription is live.
   *
   * @param measuredMs - The service's clock minus this host's, if the connection of the subscription has
   * measured it.
   * @returns The notices for the time since the last writer, or since this relay lost the subscription.
   */
  subscribed(
    subscription: Subscription,
    atMs: number,
    measuredMs: number | undefined = undefined,
  ): readonly (StreamNotice | WriterGap)[] {
    const clockOffsetMs = measuredMs ?? this.clockOffsetMs(subscription)
    const notices = this.#wasLive.has(subscription)
      ? []
      : this.#sinceBefore(subscription, atMs, clockOffsetMs)
    this.#known.set(subscription, completeUntilHost(atMs, clockOffsetMs))
    this.#wasLive.add(subscription)
    this.#missing.delete(subscription)
    return notices
  }

  /**
   * Returns until when each subscription was complete, with the events that were published up to now. The
   * next writer uses the result.
   */
  completeUntil(nowMs: number): CompleteUntilBySubscription {
    const until: Partial<Record<Subscription, CompleteUntil>> = {}
    for (const [subscription, { since }] of this.#missing) until[subscription] = since
    for (const one of TIMED) {
      const complete = this.#completeUntil(one, nowMs)
      if (complete !== undefined) until[one] = complete
    }
    return until
  }

  /** Returns until when the subscription was complete; `undefined` if it was not live. */
  #completeUntil(subscription: Subscription, nowMs: number): CompleteUntil | undefined {
    if (!this.#wasLive.has(subscription)) return undefined
    const known = this.#known.get(subscription)
    const open = this.#open.get(subscription)
    const lastActivity = this.#activity.get(subscription)
    const taken = open?.isIdle ? lastActivity : open?.taken
    if (lastActivity === undefined || taken === undefined) return known
    const isSuspended = nowMs - this.#lastTickMs > 2 * TICK_MS
    const ranUntilMs = this.#suspendedSinceMs ?? (isSuspended ? this.#lastTickMs : nowMs)
    const ranUntil = completeUntilHost(ranUntilMs, lastActivity.clockOffsetMs)
    return earlierOf(earlierOf(taken, lastActivity), ranUntil)
  }

  #sinceBefore(
    subscription: Subscription,
    atMs: number,
    clockOffsetMs: number | undefined,
  ): readonly (StreamNotice | WriterGap)[] {
    const to = { hostMs: atMs, clockOffsetMs }
    const missing = this.#missing.get(subscription)
    const notices: (StreamNotice | WriterGap)[] = []
    if (subscription === 'module') {
      const { lastWriter, positions = {} } = this.#resumePoint ?? {}
      const eventTypes = Object.keys(positions)
      if (lastWriter !== undefined && eventTypes.length > 0) {
        const bounds = gapBounds(completeUntilHost(lastWriter.atMs, undefined), to, 0)
        notices.push({ type: 'notice', kind: 'resumed', atMs, ...bounds, eventTypes })
      }
    }
    if (missing !== undefined) {
      const { since, cause } = missing
      const eventTypes = subscription === 'module' ? this.#lostEventTypes : undefined
      const bounds = gapBounds(since, to, MARGIN_MS)
      notices.push({ type: 'notice', kind: 'gap', atMs, ...bounds, eventTypes, cause })
    }
    return notices
  }
}

/**
 * Returns the clock offset of a connection's first frame. The gap notice after the `subscribed` notice
 * contains it.
 */
export function clockOffsetOf(following: StreamNotice | undefined): number | undefined {
  return following?.kind === 'gap' ? following.clockOffsetMs : undefined
}

/**
 * Whether the relay's own gap notice covers a gap notice of the subscription. The relay's notice starts at
 * the last writer, or at the start of this relay.
 */
export function isCovered(subscription: Subscription, notice: StreamNotice): boolean {
  if (subscription === 'module' || notice.kind !== 'gap') return false
  const { cause } = notice
  return cause === 'before-subscription' || cause === 'restart'
}

/** Returns a gap notice with bounds that are widened by the margin. Other notices are unchanged. */
export function widened(notice: StreamNotice): StreamNotice {
  if (notice.kind !== 'gap') return notice
  const { fromMs, toMs, hostFromMs, hostToMs } = notice
  return {
    ...notice,
    fromMs: fromMs - MARGIN_MS,
    toMs: toMs + MARGIN_MS,
    hostFromMs: hostFromMs - MARGIN_MS,
    hostToMs: hostToMs + MARGIN_MS,
  }
}
