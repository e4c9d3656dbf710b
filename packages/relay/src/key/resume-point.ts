/** The end of a stream, read by its next writer: the events that are there, the positions of module events, and since when others may be missing. */
import { parseJsonObject } from '@brokerwire/core/internal'
import { RelayError } from '../relay-error.ts'
import type { SinkTail, StoredEntry, TailRequest } from '../sink/event-sink.ts'
import { HEADER, readHeaders } from '../wire/headers.ts'
import { type HolderNotice, readHolder } from '../wire/notices.ts'
import { subjectToken } from '../wire/subjects.ts'
import { MAX_RECENT } from './recent-keys.ts'

/** Subscriptions that keep no cursor. */
export const TIMED = ['trade', 'position'] as const
const TIMED_ENDS = ['event.*.*', 'notice.subscribed', 'notice.gap'] as const

/** The state from which a writer goes on. */
export interface ResumePoint {
  readonly sequence: number
  /** Keys of events that are in the stream. */
  readonly keys: ReadonlySet<string>
  /** Where module events go on, by event type. */
  readonly positions: Readonly<Record<string, string>>
  /** Until when these were complete; `undefined`: unknown. Milliseconds since the Unix epoch. */
  readonly completeUntilMs: Readonly<Record<(typeof TIMED)[number], number | undefined>>
  /** The last one that wrote. */
  readonly holder: HolderNotice | undefined
}

/** The part of a stream's end that is read. */
export function tailRequest(root: string, eventTypes: readonly string[]): TailRequest {
  return {
    maxEntries: MAX_RECENT,
    lastOf: [
      `${root}.relay.notice.holder`,
      ...TIMED.flatMap((stream) => TIMED_ENDS.map((end) => `${root}.${stream}.${end}`)),
      ...eventTypes.map((eventType) => `${root}.module.event.*.${subjectToken(eventType)}`),
    ],
  }
}

/** @throws RelayError `RELAY_STREAM_FOREIGN`, `RELAY_SCHEMA_UNKNOWN`, `RELAY_MESSAGE_INVALID`. */
export function readResumePoint(
  stream: string,
  fleet: string,
  eventTypes: readonly string[],
  tail: SinkTail,
): ResumePoint {
  const [holderEntry, ...rest] = tail.lastOf
  const holder = holderEntry && readHolder(holderEntry.body)
  const last = tail.entries.at(-1)
  if (tail.sequence > 0 && last !== undefined && (holder === undefined || holder.fleet !== fleet)) {
    const found = holder === undefined ? 'messages of no relay' : `a relay of the fleet ${holder.fleet}`
    const text = `${stream} was written by others (${found}): give this fleet a prefix of its own`
    throw new RelayError('RELAY_STREAM_FOREIGN', text, {
      details: { stream, sequence: last.sequence, found },
    })
  }
  const keys = new Set<string>()
  for (const entry of [...tail.entries, ...rest])
    if (entry?.headers[HEADER.type] === 'event') keys.add(entry.key)
  const positions: Record<string, string> = {}
  for (const [at, eventType] of eventTypes.entries()) {
    const entry = rest[TIMED.length * TIMED_ENDS.length + at]
    const head = entry && readHeaders(entry.subject, (name) => entry.headers[name])
    if (head?.type === 'event' && head.frame.stream === 'module' && head.frame.position !== '')
      positions[eventType] = head.frame.position
  }
  const released = holder?.state === 'released' ? holder.completeUntilMs : undefined
  const completeUntil = (at: number): number | undefined => {
    const one = TIMED[at] ?? 'trade'
    const first = at * TIMED_ENDS.length
    return released?.[one] ?? latest(rest.slice(first, first + TIMED_ENDS.length))
  }
  return {
    sequence: tail.sequence,
    keys,
    positions,
    completeUntilMs: { trade: completeUntil(0), position: completeUntil(1) },
    holder,
  }
}

/**
 * Until when all that the service sent before an event has come. The event may have been on its way for long, and the service's
 * clock may be behind this host's, or ahead of it.
 */
export function completeBefore({
  timestamp,
  receivedAtMs,
}: {
  readonly timestamp: string
  readonly receivedAtMs: number
}): number {
  const sentMs = Number(timestamp)
  return sentMs > 0 ? Math.min(sentMs, receivedAtMs) : receivedAtMs
}

/**
 * The last event, subscription or gap of a stream says until when it was complete at least. The gap that ends with a subscription
 * stands before it. Other notices say only when something came, not until when everything has.
 */
function latest(ends: readonly (StoredEntry | undefined)[]): number | undefined {
  const found = ends.filter((entry) => entry !== undefined)
  const last = found.sort((one, other) => one.sequence - other.sequence).at(-1)
  if (last === undefined) return undefined
  if (last.headers[HEADER.type] === 'event') {
    const head = readHeaders(last.subject, (name) => last.headers[name])
    return head.type === 'event' ? completeBefore(head.frame) : undefined
  }
  const atMs = parseJsonObject(last.body)?.atMs
  return typeof atMs === 'number' ? atMs : undefined
}
