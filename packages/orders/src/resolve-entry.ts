/** Looks for the order of an open entry until its outcome is known. */
import type { AbortSignalLike, SecretInput } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import { isOpen, type OrderEntry } from './entry.ts'
import type { JournalStore } from './journal-store.ts'
import { lookForOrder } from './looks.ts'
import type { JournalSettings } from './options.ts'
import type { createRetention } from './retention.ts'

/** Ports and settings of the journal. */
export interface JournalContext {
  readonly settings: JournalSettings
  readonly entries: JournalStore
  readonly retention: ReturnType<typeof createRetention>
}

/** One call of the journal. */
export interface JournalCall {
  /** Aborts with the caller's signal, and when the journal is closed. */
  readonly signal: AbortSignalLike
  /**
   * The caller's signal. Only this signal aborts a request that is being sent; `close()` does not abort it.
   */
  readonly callerSignal: AbortSignalLike | undefined
  readonly accessToken: SecretInput | undefined
}

const FIRST_LOOK_DELAY_MS = 500
const LONGEST_LOOK_DELAY_MS = 8000

/**
 * Looks for an order again and again, until its outcome is known or the time is over.
 *
 * @param waitMs - The longest time between the first and the last look.
 */
export async function resolveEntry(
  { settings, entries }: JournalContext,
  key: string,
  open: OrderEntry,
  waitMs: number,
  { signal, accessToken }: JournalCall,
): Promise<OrderEntry> {
  const { clock, settleMs, timeoutMs } = settings
  let waitedMs = 0
  for (let delayMs = FIRST_LOOK_DELAY_MS; ; delayMs = Math.min(delayMs * 2, LONGEST_LOOK_DELAY_MS)) {
    const atMs = clock.now()
    const round = await lookForOrder(settings, open, { signal, accessToken })
    const looked = { type: 'looked', atMs, settleMs, timeoutMs, ...round } as const
    const entry = await entries.apply(key, open.placement, looked)
    if (!isOpen(entry) || waitedMs >= waitMs) return entry
    const stepMs = Math.min(delayMs, waitMs - waitedMs)
    await sleep(clock, stepMs, signal)
    waitedMs += stepMs
  }
}
