/** The event log of a consumer process: a file with the ids of handled events and with notices. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ReaderGap } from '@brokerwire/relay'
import type { StreamNotice } from '@brokerwire/streams'

export const IDENTITY = { environment: 'production', region: 'us', appKey: 'faults' }

/** A notice in the file. `thrown` means that the consumer threw and started again. */
export type LogNotice = StreamNotice | ReaderGap | { readonly kind: 'thrown' | 'undecodable' }

export interface EventLog {
  /** Ids of events in the order handled, with duplicates. */
  readonly ids: readonly string[]
  readonly notices: readonly LogNotice[]
  /** For each notice, the number of ids before it. */
  readonly idsBefore: readonly number[]
}

const DEADLINE_MS = 60_000
const POLL_MS = 10
/** Files of this size are read less often, because parsing them would slow the other processes down. */
const LARGE_BYTES = 500_000
const POLL_LARGE_MS = 100

/** Reads the file. Ignores an incomplete last line of a killed process. */
export function readEventLog(file: string): EventLog {
  const ids: string[] = []
  const notices: LogNotice[] = []
  const idsBefore: number[] = []
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  for (const line of text.split('\n').slice(0, -1)) {
    if (line.startsWith('E ')) ids.push(line.slice(2))
    else {
      notices.push(JSON.parse(line.slice(2)))
      idsBefore.push(ids.length)
    }
  }
  return { ids, notices, idsBefore }
}

/**
 * Waits until `holds` returns true for the content.
 *
 * @throws An error with `what`, if the deadline has passed.
 */
export async function waitForEventLog(
  file: string,
  what: string,
  holds: (eventLog: EventLog) => boolean,
  deadlineMs = DEADLINE_MS,
): Promise<EventLog> {
  let seenBytes = -1
  for (const endMs = performance.now() + deadlineMs; performance.now() < endMs; ) {
    const bytes = existsSync(file) ? statSync(file).size : 0
    if (bytes !== seenBytes) {
      seenBytes = bytes
      const eventLog = readEventLog(file)
      if (holds(eventLog)) return eventLog
    }
    await sleep(bytes > LARGE_BYTES ? POLL_LARGE_MS : POLL_MS)
  }
  throw new Error(`waited ${deadlineMs} ms for ${what}`)
}

export const countNotices = ({ notices }: EventLog, kind: LogNotice['kind']): number =>
  notices.filter((notice) => notice.kind === kind).length

export function compareIds(handled: readonly string[], sent: readonly string[]) {
  const seen = new Set(handled)
  const known = new Set(sent)
  const first = [...seen].filter((id) => known.has(id))
  return {
    missing: sent.filter((id) => !seen.has(id)).length,
    invented: [...seen].filter((id) => !known.has(id)).length,
    duplicates: handled.length - seen.size,
    /** Whether the events were handled in the order sent, if duplicates are ignored. */
    inOrder: first.join('\n') === sent.filter((id) => seen.has(id)).join('\n'),
  }
}

/**
 * Finds events that were not handled and are in no `gap` notice. A gap without a start begins with the last
 * events that were handled before the notice. A gap without an end ends with the first event that was handled
 * after the notice.
 */
export function unreported<E extends { readonly stream: string; readonly id: string; readonly atMs: number }>(
  { ids, notices, idsBefore }: EventLog,
  sent: readonly E[],
): readonly E[] {
  const events = new Map(sent.map((event) => [event.id, event]))
  const handled = new Set(ids)
  const gaps = notices.flatMap((notice, at) => {
    if (notice.kind !== 'gap') return []
    const last = new Map<string, number>()
    for (const id of ids.slice(0, idsBefore[at])) {
      const event = events.get(id)
      if (event !== undefined) last.set(event.stream, event.atMs)
    }
    const next = ids.slice(idsBefore[at]).find((id) => events.has(id)) ?? ''
    const {
      fromMs = last.size === 0 ? -Infinity : Math.min(...last.values()),
      toMs = events.get(next)?.atMs ?? Infinity,
    } = notice
    return [{ fromMs, toMs }]
  })
  return sent.filter(
    ({ id, atMs }) => !handled.has(id) && !gaps.some(({ fromMs, toMs }) => fromMs <= atMs && atMs <= toMs),
  )
}

/** Counts gaps whose end is before their start, by the clock of the service or of the host. */
export function reversedGaps({ notices }: EventLog): number {
  return notices.filter(
    (notice) =>
      notice.kind === 'gap' &&
      ((notice.fromMs ?? -Infinity) > (notice.toMs ?? Infinity) ||
        (notice.hostFromMs ?? -Infinity) > (notice.hostToMs ?? Infinity)),
  ).length
}
