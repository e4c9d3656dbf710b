/**
 * The end of a stream, read by its next writer: the keys of its events, the positions of module events, and the instants after which
 * events may be missing. The record in the cluster's store replaces what the stream has deleted. Pure.
 */
import { parseJsonObject } from '@brokerwire/core/internal'
import { RelayError } from '../relay-error.ts'
import type { SinkTail, StoredEntry, TailRequest } from '../sink/event-sink.ts'
import { HEADER, parseHeaders } from '../wire/headers.ts'
import {
  type CompleteUntil,
  type CompleteUntilBySubscription,
  parseWriterNotice,
  type WriterChangedNotice,
} from '../wire/notices.ts'
import { type Subscription, subjectToken } from '../wire/subjects.ts'
import { completeUntilHost, laterOf } from './complete-until.ts'
import { MAX_RECENT } from './recent-keys.ts'
import type { StreamRecord } from './stream-record.ts'

/** Subscriptions without a cursor. */
export const TIMED = ['trade', 'position'] as const
const END_SUBJECTS = ['event.*.*', 'notice.subscribed', 'notice.gap'] as const

/** The state from which a writer continues. */
export interface ResumePoint {
  readonly sequence: number
  /** The identity of the stream; empty if it has none. */
  readonly streamId: string
  /** Keys of events that the stream has. */
  readonly keys: ReadonlySet<string>
  /** The last position of module events, by event type. */
  readonly positions: Readonly<Record<string, string>>
  /** Until when each subscription was complete. If a subscription is missing, this is unknown. */
  readonly completeUntil: CompleteUntilBySubscription
  /** Whether stored messages are missing that no limit of the stream has deleted. */
  readonly isTruncated: boolean
  /** Since when the cluster has written this stream; `undefined` if it begins to write it now. */
  readonly since: CompleteUntil | undefined
  /** The notice of the last writer. */
  readonly lastWriter: WriterChangedNotice | undefined
}

/** Creates the request for the end of a stream. */
export function createTailRequest(root: string, eventTypes: readonly string[]): TailRequest {
  return {
    maxEntries: MAX_RECENT,
    lastOf: [
      `${root}.relay.notice.writer-changed`,
      ...TIMED.flatMap((subscription) => END_SUBJECTS.map((end) => `${root}.${subscription}.${end}`)),
      ...eventTypes.map((eventType) => `${root}.module.event.*.${subjectToken(eventType)}`),
    ],
  }
}

/**
 * Reads the state from which a writer continues.
 *
 * @param record - The record of the stream in the cluster's store.
 * @throws RelayError `RELAY_STREAM_MISMATCH`, `RELAY_SCHEMA_UNSUPPORTED`, `RELAY_MESSAGE_INVALID`.
 */
export function readResumePoint(
  stream: string,
  cluster: string,
  eventTypes: readonly string[],
  tail: SinkTail,
  record: StreamRecord | undefined,
): ResumePoint {
  requireOwnStream(stream, cluster, tail)
  requireSupportedSchema(tail)
  const [writerEntry, ...rest] = tail.lastOf
  const lastWriter = writerEntry && parseWriterNotice(writerEntry.body)
  const keys = new Set<string>()
  for (const entry of [...tail.entries, ...rest])
    if (entry !== undefined && isEvent(entry)) keys.add(entry.key)
  const positions: Record<string, string> = {}
  for (const [at, eventType] of eventTypes.entries()) {
    const entry = rest[TIMED.length * END_SUBJECTS.length + at]
    const head = entry && parseHeaders(entry.subject, (name) => entry.headers[name])
    if (
      (head?.type === 'event' || head?.type === 'oversized') &&
      head.frame.subscription === 'module' &&
      head.frame.position !== ''
    )
      positions[eventType] = head.frame.position
  }
  const { sequence, streamId = '' } = tail
  const isTruncated = record !== undefined && (record.streamId !== streamId || record.sequence > sequence)
  const completeUntil: Partial<Record<Subscription, CompleteUntil>> = {}
  for (const [at, subscription] of TIMED.entries()) {
    const ends = rest.slice(at * END_SUBJECTS.length, (at + 1) * END_SUBJECTS.length)
    const reported = lastWriter?.completeUntil?.[subscription]
    const stored = laterOf(reported, latestCompleteUntil(ends, reported?.clockOffsetMs))
    // The record does not apply to a stream that was truncated after the record was written.
    const recorded = isTruncated ? undefined : record?.completeUntil[subscription]
    const until = laterOf(stored, recorded) ?? (isTruncated ? record.since : undefined)
    if (until !== undefined) completeUntil[subscription] = until
  }
  const module = isTruncated
    ? (lastWriter?.completeUntil?.module ?? record.since)
    : record?.completeUntil.module
  if (module !== undefined) completeUntil.module = module
  const since = isTruncated && sequence === 0 ? undefined : record?.since
  return { sequence, streamId, keys, positions, completeUntil, isTruncated, since, lastWriter }
}

/**
 * Throws if the stream is not this cluster's. There are two such cases:
 *
 * - The newest message that names a cluster names another one.
 * - No message names a cluster, and a message was not written by a relay.
 */
function requireOwnStream(stream: string, cluster: string, tail: SinkTail): void {
  const { entries, lastOf } = tail
  const newestFirst = [...entries, ...lastOf]
    .filter((entry) => entry !== undefined)
    .sort((one, other) => other.sequence - one.sequence)
  const named = newestFirst.find((entry) => getCluster(entry) !== undefined)
  const owner = named && getCluster(named)
  if (owner === cluster) return
  const other = newestFirst.find(({ headers }) => headers[HEADER.schema] === undefined)
  const entry = named ?? other
  // A stream that is empty, or whose messages do not name a cluster, may be this cluster's.
  if (entry === undefined) return
  const found = owner === undefined ? 'messages of no relay' : `a relay of the cluster ${owner}`
  const text = `stream ${stream} must be written by this cluster only; found ${found}. Give this cluster its own prefix.`
  throw new RelayError('RELAY_STREAM_MISMATCH', text, {
    details: { stream, sequence: entry.sequence, found },
  })
}

/**
 * Throws if the messages have a schema version that this relay does not support. All messages of a stream
 * have one version.
 */
function requireSupportedSchema({ entries, lastOf }: SinkTail): void {
  const entry = [...entries.slice(-1), ...lastOf].find((found) => found?.headers[HEADER.schema] !== undefined)
  if (entry !== undefined) parseHeaders(entry.subject, (name) => entry.headers[name])
}

/** Whether a message is an event, or replaces an oversized one. */
function isEvent({ headers }: StoredEntry): boolean {
  return headers[HEADER.type] === 'event' || headers[HEADER.type] === 'oversized'
}

function getCluster({ headers, body }: StoredEntry): string | undefined {
  return (
    headers[HEADER.cluster] ??
    (headers[HEADER.kind] === 'writer-changed' ? parseWriterNotice(body)?.cluster : undefined)
  )
}

/**
 * Returns the instant before which everything was received when an event arrived. This is the timestamp of
 * the event, because the event may have been in transit for long.
 *
 * @param clockOffsetMs - The service's clock minus the host's, if it was measured.
 */
export function completeBefore(
  { timestamp, receivedAtMs }: { readonly timestamp: string; readonly receivedAtMs: number },
  clockOffsetMs: number | undefined,
): CompleteUntil {
  const sentMs = Number(timestamp)
  if (!(sentMs > 0)) return completeUntilHost(receivedAtMs, clockOffsetMs)
  const hostSentMs = sentMs - (clockOffsetMs ?? 0)
  return {
    untilMs: sentMs,
    hostUntilMs: Math.min(hostSentMs, receivedAtMs),
    clockOffsetMs: clockOffsetMs ?? sentMs - receivedAtMs,
  }
}

/**
 * Returns the instant until which a subscription was complete at least, according to its last event,
 * `subscribed` notice or gap notice. A gap notice precedes the `subscribed` notice that ends the gap. Other
 * notices do not prove that everything before them was received.
 */
function latestCompleteUntil(
  ends: readonly (StoredEntry | undefined)[],
  clockOffsetMs: number | undefined,
): CompleteUntil | undefined {
  const found = ends.filter((entry) => entry !== undefined)
  const last = found.sort((one, other) => one.sequence - other.sequence).at(-1)
  if (last === undefined) return undefined
  if (isEvent(last)) {
    const head = parseHeaders(last.subject, (name) => last.headers[name])
    const isRead = head.type === 'event' || head.type === 'oversized'
    return isRead ? completeBefore(head.frame, clockOffsetMs) : undefined
  }
  const atMs = parseJsonObject(last.body)?.atMs
  return typeof atMs === 'number' ? completeUntilHost(atMs, clockOffsetMs) : undefined
}
