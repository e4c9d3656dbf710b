/** What a consumer handled, read from the file that it writes. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamNotice } from '@brokerwire/streams'

/** Under which the consumer keeps its cursor. */
export const CURSOR_KEY = 'production/us/faults'

/** A notice in the file; `thrown`: the consumer threw and began again. */
export type LedgerNotice = StreamNotice | { readonly kind: 'thrown' }

/** What stands in the file so far. */
export interface Ledger {
  /** Ids of events, in the order handled, repeats included. */
  readonly ids: readonly string[]
  readonly notices: readonly LedgerNotice[]
}

/** How long the harness waits for anything. */
const DEADLINE_MS = 60_000
const LOOK_MS = 10
/** Reading a large file again and again would take the processes' time. */
const LARGE_BYTES = 500_000
const LOOK_AT_LARGE_MS = 100

/** Reads the file. A last line that a kill cut off does not count. */
export function readLedger(file: string): Ledger {
  const ids: string[] = []
  const notices: LedgerNotice[] = []
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  for (const line of text.split('\n').slice(0, -1)) {
    if (line.startsWith('E ')) ids.push(line.slice(2))
    else notices.push(JSON.parse(line.slice(2)))
  }
  return { ids, notices }
}

/** Waits until the file says so. @throws After a minute, with what it waited for. */
export async function ledgerUntil(
  file: string,
  what: string,
  holds: (ledger: Ledger) => boolean,
  deadlineMs = DEADLINE_MS,
): Promise<Ledger> {
  let seenBytes = -1
  for (
    const end = performance.now() + deadlineMs;
    ;
    await sleep(seenBytes > LARGE_BYTES ? LOOK_AT_LARGE_MS : LOOK_MS)
  ) {
    const bytes = existsSync(file) ? statSync(file).size : 0
    if (bytes !== seenBytes) {
      seenBytes = bytes
      const ledger = readLedger(file)
      if (holds(ledger)) return ledger
    }
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`)
  }
}

/** How many notices of a kind. */
export function countNotices({ notices }: Ledger, kind: LedgerNotice['kind']): number {
  return notices.filter((notice) => notice.kind === kind).length
}

/** What a list of handled ids is against what was sent. */
export function compareIds(handled: readonly string[], sent: readonly string[]) {
  const seen = new Set(handled)
  const known = new Set(sent)
  const first = [...seen].filter((id) => known.has(id))
  return {
    missing: sent.filter((id) => !seen.has(id)).length,
    invented: [...seen].filter((id) => !known.has(id)).length,
    repeats: handled.length - seen.size,
    /** Leaving repeats aside. */
    inOrder: first.join('\n') === sent.filter((id) => seen.has(id)).join('\n'),
  }
}
