/**
 * Tracks until when each subscription of an app was complete, and the gaps that follow. Pure: instants are arguments,
 * notices are results.
 *
 * A subscription is complete up to an instant if all events that the service sent before it were received and taken. A
 * stalled connection looks like one without events, and so does a suspended host; neither extends that instant.
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
  /** Everything that was received has been taken. */
  isIdle: boolean
  /**
   * Until when all that was sent has been taken, by the last event. A notice does not prove it: the next one may report a gap
   * before it.
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
  /** The receipt by this host's clock. */
  readonly atMs: number
  /** By the frame's timestamp, or by this host's clock if that is behind. */
  readonly receivedUntilMs: number
  /** The frame's timestamp, by the service's clock. */
  readonly serverTimeMs?: number | undefined
}

export class GapTracker {
  readonly #start: CompleteUntil
  readonly #open = new Map<Subscription, OpenSubscription>()
  /** Subscriptions that were live in this relay. Before that, everything after the last writer is missing. */
  readonly #wasLive = new Set<Subscription>()
  readonly #missing = new Map<Subscription, MissingSince>()
  /** The last complete instant when a subscription became live or was closed. */
  readonly #known = new Map<Subscription, CompleteUntil>()
  /** The last activity on each connection. */
  readonly #activity = new Map<Subscription, CompleteUntil>()
  /** Connections that were lost: the clock offset is measured again on the next one. */
  readonly #reconnecting = new Set<Subscription>()
  #resumePoint: ResumePoint | undefined
  #lostEventTypes: readonly string[] = []
  #lastTickMs: number
  /** Since when this host did not run, until the next tick. */
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
   * This relay writes the stream from here on.
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
    // The service sends module events with a position in the stream again from there.
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

  /** A frame arrived on the connection of a subscription. */
  frameReceived(subscription: Subscription, { atMs, receivedUntilMs, serverTimeMs }: Activity): void {
    const isNew = this.#reconnecting.delete(subscription)
    const before = isNew ? undefined : this.#activity.get(subscription)
    if (serverTimeMs === undefined) {
      this.#activity.set(subscription, completeUntilHost(receivedUntilMs, before?.clockOffsetMs))
      return
    }
    // Latency only decreases it: a late frame, or an old event that is sent again, has no effect.
    const clockOffsetMs = Math.max(serverTimeMs - atMs, before?.clockOffsetMs ?? Number.NEGATIVE_INFINITY)
    const untilMs = Math.max(serverTimeMs, before?.untilMs ?? Number.NEGATIVE_INFINITY)
    const hostUntilMs = Math.min(atMs, untilMs - clockOffsetMs)
    this.#activity.set(subscription, { untilMs, hostUntilMs, clockOffsetMs })
  }

  /** The connection was lost. The subscription opens another one by itself. */
  reconnecting(subscription: Subscription): void {
    this.#reconnecting.add(subscription)
  }

  /** A subscription is opened. */
  opened(subscription: Subscription): void {
    this.#reconnecting.add(subscription)
    this.#open.set(subscription, { isIdle: false, taken: undefined })
  }

  /** Whether everything that was received on the subscription has been taken. */
  setIdle(subscription: Subscription, isIdle: boolean): void {
    const open = this.#open.get(subscription)
    if (open !== undefined) open.isIdle = isIdle
  }

  /** The service's clock minus this host's, by a connection of this app key that is open. */
  clockOffsetMs(subscription: Subscription): number | undefined {
    const own = this.#activity.get(subscription)?.clockOffsetMs
    if (own !== undefined && !this.#reconnecting.has(subscription)) return own
    for (const [other, { clockOffsetMs }] of this.#activity)
      if (clockOffsetMs !== undefined && !this.#reconnecting.has(other)) return clockOffsetMs
    return undefined
  }

  /** An event was taken, before which everything up to the instant was received. */
  taken(subscription: Subscription, until: CompleteUntil): void {
    const open = this.#open.get(subscription)
    if (open === undefined) return
    if (open.taken === undefined || until.untilMs > open.taken.untilMs) open.taken = until
  }

  /** The subscription ended with an error. It is opened again without its state; only module events have a cursor. */
  ended(subscription: Subscription, nowMs: number): void {
    if (!this.#wasLive.has(subscription) || subscription === 'module') return
    const since = this.#completeUntil(subscription, nowMs)
    if (since !== undefined) this.#missing.set(subscription, { since, cause: 'disconnected' })
    this.#wasLive.delete(subscription)
  }

  /** The subscription is closed on purpose, for another relay. */
  closing(subscription: Subscription, nowMs: number): void {
    const until = this.#completeUntil(subscription, nowMs)
    if (until === undefined) return
    this.#known.set(subscription, until)
    this.#open.delete(subscription)
  }

  /**
   * The subscription is live.
   *
   * @param measuredMs - The service's clock minus this host's, if its connection has measured it.
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

  /** Until when each subscription was complete, for the next writer: with what was published up to now. */
  completeUntil(nowMs: number): CompleteUntilBySubscription {
    const until: Partial<Record<Subscription, CompleteUntil>> = {}
    for (const [subscription, { since }] of this.#missing) until[subscription] = since
    for (const one of TIMED) {
      const complete = this.#completeUntil(one, nowMs)
      if (complete !== undefined) until[one] = complete
    }
    return until
  }

  /** `undefined` if it was not live. */
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

/** The clock offset of a connection's first frame, from the gap notice after its `subscribed` notice. */
export function clockOffsetOf(following: StreamNotice | undefined): number | undefined {
  return following?.kind === 'gap' ? following.clockOffsetMs : undefined
}

/** Whether the relay's own gap notice covers that of the subscription: it starts at the last writer, or at the start of this relay. */
export function isCovered(subscription: Subscription, notice: StreamNotice): boolean {
  if (subscription === 'module' || notice.kind !== 'gap') return false
  const { cause } = notice
  return cause === 'before-subscription' || cause === 'restart'
}

/** Widens the bounds of a gap by the margin. Other notices are unchanged. */
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
