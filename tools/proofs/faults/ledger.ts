/** The file in which a consumer process notes what it handled. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ReaderGap } from '@brokerwire/relay'
import type { StreamNotice } from '@brokerwire/streams'
import type { SentEvent } from '../service-process.ts'

export const IDENTITY = { environment: 'production', region: 'us', appKey: 'faults' }

/** A notice in the file. `thrown`: the consumer threw and started again. */
export type LedgerNotice = StreamNotice | ReaderGap | { readonly kind: 'thrown' | 'undecodable' }

export interface Ledger {
  /** Ids of events in the order handled, repeats included. */
  readonly ids: readonly string[]
  readonly notices: readonly LedgerNotice[]
  /** For each notice: the number of ids before it. */
  readonly idsBefore: readonly number[]
}

const DEADLINE_MS = 60_000
const POLL_MS = 10
/** Parsing a large file often would slow the processes down. */
const LARGE_BYTES = 500_000
const POLL_LARGE_MS = 100

/** Reads the file. An incomplete last line, after a kill, does not count. */
export function readLedger(file: string): Ledger {
  const ids: string[] = []
  const notices: LedgerNotice[] = []
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

/** Waits until `holds` is true for the content. @throws After the deadline, with `what`. */
export async function ledgerUntil(
  file: string,
  what: string,
  holds: (ledger: Ledger) => boolean,
  deadlineMs = DEADLINE_MS,
): Promise<Ledger> {
  let seenBytes = -1
  for (const endMs = performance.now() + deadlineMs; performance.now() < endMs; ) {
    const bytes = existsSync(file) ? statSync(file).size : 0
    if (bytes !== seenBytes) {
      seenBytes = bytes
      const ledger = readLedger(file)
      if (holds(ledger)) return ledger
    }
    await sleep(bytes > LARGE_BYTES ? POLL_LARGE_MS : POLL_MS)
  }
  throw new Error(`waited ${deadlineMs} ms for ${what}`)
}

export const countNotices = ({ notices }: Ledger, kind: LedgerNotice['kind']): number =>
  notices.filter((notice) => notice.kind === kind).length

export function compareIds(handled: readonly string[], sent: readonly string[]) {
  const seen = new Set(handled)
  const known = new Set(sent)
  const first = [...seen].filter((id) => known.has(id))
  return {
    missing: sent.filter((id) => !seen.has(id)).length,
    invented: [...seen].filter((id) => !known.has(id)).length,
    repeats: handled.length - seen.size,
    /** Without the repeats. */
    inOrder: first.join('\n') === sent.filter((id) => seen.has(id)).join('\n'),
  }
}

/**
 * Events that were neither handled nor lie in the bounds of a `gap` notice. A gap without a start begins with the last events that
 * were handled before the notice, and one without an end ends with the first one after it.
 */
export function unreported(
  { ids, notices, idsBefore }: Ledger,
  sent: readonly SentEvent[],
): readonly SentEvent[] {
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

/** Gaps whose end is before their start, by either clock. */
export function reversedGaps({ notices }: Ledger): number {
  return notices.filter(
    (notice) =>
      notice.kind === 'gap' &&
      ((notice.fromMs ?? -Infinity) > (notice.toMs ?? Infinity) ||
        (notice.hostFromMs ?? -Infinity) > (notice.hostToMs ?? Infinity)),
  ).length
}
