/**
 * Until when each subscription of a key was complete, and the gaps that follow from it. Pure: instants come in as arguments,
 * notices come out.
 *
 * A subscription is complete up to an instant if all events that the service sent before it were received and taken. A
 * connection that stands still looks like one without events, and so does a host that sleeps; neither extends that instant.
 */
import type { StreamNotice } from '@brokerwire/streams'
import type { Subscription } from '../wire/subjects.ts'
import { type ResumePoint, TIMED } from './resume-point.ts'

/** How far the bounds of a gap may be wrong: events on their way, and clocks that differ, the service's among them. */
const MARGIN_MS = 5000
/** How often {@link GapTracker.tick} is to be called. */
export const TICK_MS = 1000

/** A stream that is open. */
interface OpenStream {
  /** Everything that was received has been taken. */
  isIdle: boolean
  /**
   * Until when all that was sent has been taken, by the last event. A notice says nothing about it: the next one may report a gap
   * before it.
   */
  takenUntilMs: number | undefined
}

export class GapTracker {
  readonly #streams = new Map<Subscription, OpenStream>()
  /** Subscriptions that were live in this relay. Before that, everything after the last writer is missing. */
  readonly #wasLive = new Set<Subscription>()
  /** For subscriptions that are not live: since when events may be missing, if this relay or the last writer followed them before. */
  readonly #missingSinceMs = new Map<Subscription, number | undefined>()
  readonly #completeUntilMs: Partial<Record<Subscription, number>> = {}
  /** Until when the service was heard on each connection. */
  readonly #heardMs: Partial<Record<Subscription, number>> = {}
  #resumePoint: ResumePoint | undefined
  #lastTickMs: number
  /** Since when this host did not run, until the next tick. */
  #suspendedSinceMs: number | undefined

  constructor(nowMs: number) {
    this.#lastTickMs = nowMs
  }

  /** This relay writes the stream from here on. */
  begin(resumePoint: ResumePoint): void {
    this.#resumePoint = resumePoint
    if (resumePoint.holder === undefined) return
    for (const one of TIMED) this.#missingSinceMs.set(one, resumePoint.completeUntilMs[one])
  }

  /** A process that is stopped, or a host that sleeps, reads nothing. Events that came meanwhile may be lost. */
  tick(nowMs: number): void {
    this.#suspendedSinceMs = nowMs - this.#lastTickMs > 2 * TICK_MS ? this.#lastTickMs : undefined
    this.#lastTickMs = nowMs
  }

  /** The service was heard on the connection of a subscription. */
  heard(subscription: Subscription, heardMs: number): void {
    this.#heardMs[subscription] = heardMs
  }

  /** A stream is opened. */
  opened(subscription: Subscription): void {
    this.#streams.set(subscription, { isIdle: false, takenUntilMs: undefined })
  }

  /** Whether everything that was received on the stream has been taken. */
  setIdle(subscription: Subscription, isIdle: boolean): void {
    const stream = this.#streams.get(subscription)
    if (stream !== undefined) stream.isIdle = isIdle
  }

  /** An event was taken, before which everything up to the instant had come. */
  taken(subscription: Subscription, untilMs: number): void {
    const stream = this.#streams.get(subscription)
    if (stream !== undefined)
      stream.takenUntilMs = Math.max(stream.takenUntilMs ?? Number.NEGATIVE_INFINITY, untilMs)
  }

  /** The stream ended. The next one knows nothing of its events; only module events have a cursor. */
  ended(subscription: Subscription, nowMs: number): void {
    if (!this.#wasLive.has(subscription) || subscription === 'module') return
    this.#missingSinceMs.set(subscription, this.#completeUntil(subscription, nowMs))
    this.#wasLive.delete(subscription)
  }

  /** The stream is closed on purpose, for another relay. */
  closing(subscription: Subscription, nowMs: number): void {
    const untilMs = this.#completeUntil(subscription, nowMs)
    if (untilMs !== undefined) this.#completeUntilMs[subscription] = untilMs
  }

  /**
   * The subscription is live.
   *
   * @returns The notice of what happened since the last writer, or since the last stream of this relay, if it was not live since.
   */
  subscribed(subscription: Subscription, atMs: number): StreamNotice | undefined {
    const notice = this.#wasLive.has(subscription) ? undefined : this.#sinceBefore(subscription, atMs)
    this.#wasLive.add(subscription)
    this.#missingSinceMs.delete(subscription)
    return notice === undefined ? undefined : widened(notice)
  }

  /** Until when each subscription was complete, for the next writer. */
  completeUntilMs(): Readonly<Partial<Record<Subscription, number>>> {
    return { ...Object.fromEntries(this.#missingSinceMs), ...this.#completeUntilMs }
  }

  /** `undefined` if nothing is known. */
  #completeUntil(subscription: Subscription, nowMs: number): number | undefined {
    const stream = this.#streams.get(subscription)
    const heardMs = this.#heardMs[subscription]
    const takenMs = stream?.isIdle ? heardMs : stream?.takenUntilMs
    if (heardMs === undefined || takenMs === undefined || !this.#wasLive.has(subscription)) return undefined
    const isSuspended = nowMs - this.#lastTickMs > 2 * TICK_MS
    const ranUntilMs = this.#suspendedSinceMs ?? (isSuspended ? this.#lastTickMs : nowMs)
    return Math.min(takenMs, heardMs, ranUntilMs)
  }

  #sinceBefore(subscription: Subscription, toMs: number): StreamNotice | undefined {
    const bounds = { type: 'notice', atMs: toMs, toMs } as const
    if (subscription === 'module') {
      const { holder, positions = {} } = this.#resumePoint ?? {}
      const eventTypes = Object.keys(positions)
      if (holder === undefined || eventTypes.length === 0) return undefined
      return { ...bounds, kind: 'resumed', fromMs: holder.atMs, eventTypes }
    }
    if (!this.#missingSinceMs.has(subscription)) return undefined
    const fromMs = this.#missingSinceMs.get(subscription)
    return { ...bounds, kind: 'gap', fromMs, eventTypes: undefined, cause: 'disconnected' }
  }
}

/** A gap with its bounds as far apart as they may be wrong. Other notices are unchanged. */
export function widened(notice: StreamNotice): StreamNotice {
  if (notice.kind !== 'gap') return notice
  const { fromMs, toMs } = notice
  return {
    ...notice,
    fromMs: fromMs === undefined ? undefined : fromMs - MARGIN_MS,
    toMs: toMs + MARGIN_MS,
  }
}
