/** What the end of a stream tells its next writer: which events are there, where module events go on, and since when others may be missing. */
import { parseJsonObject } from '@brokerwire/core'
import { RelayError } from '../relay-error.ts'
import type { SinkTail, StoredEntry, TailRequest } from '../sink/event-sink.ts'
import { HEADER, readHeaders } from '../wire/headers.ts'
import { type HolderNotice, readHolder } from '../wire/notices.ts'
import { subjectToken } from '../wire/subjects.ts'
import { MAX_RECENT } from './recent-keys.ts'

const TIMED = ['trade', 'position'] as const
const TIMED_ENDS = ['event.*.*', 'notice.*', 'notice.gap'] as const

/** What the writer begins with. */
export interface Seen {
  readonly sequence: number
  /** Keys of events that are in the stream. */
  readonly keys: ReadonlySet<string>
  /** Where module events go on, by event type. */
  readonly positions: Readonly<Record<string, string>>
  /** Until when these were complete; `undefined`: nobody knows. Milliseconds since the Unix epoch. */
  readonly completeUntilMs: Readonly<Record<(typeof TIMED)[number], number | undefined>>
  /** The last one that wrote. */
  readonly holder: HolderNotice | undefined
}

/** What is to be read. */
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
export function readTail(stream: string, fleet: string, eventTypes: readonly string[], tail: SinkTail): Seen {
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

/** The last event or notice of a stream says until when it was complete at least. */
function latest([event, anyNotice, gap]: readonly (StoredEntry | undefined)[]): number | undefined {
  // The gap before a subscription follows it, unless the writer died in between.
  const isBegun = anyNotice?.headers[HEADER.kind] === 'subscribed' && (event ?? gap) !== undefined
  const notice = isBegun ? gap : anyNotice
  if (event !== undefined && event.sequence > (notice?.sequence ?? 0)) {
    const head = readHeaders(event.subject, (name) => event.headers[name])
    if (head.type !== 'event') return undefined
    // The service's clock may be behind this host's, or ahead of it.
    const sentMs = Number(head.frame.timestamp)
    return sentMs > 0 ? Math.min(sentMs, head.frame.receivedAtMs) : head.frame.receivedAtMs
  }
  const atMs = parseJsonObject(notice?.body)?.atMs
  return typeof atMs === 'number' ? atMs : undefined
}
