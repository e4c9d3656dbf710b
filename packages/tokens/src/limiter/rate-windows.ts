/** The windows of a rate limiter, and the message for a wait that is too long. Both rate limiters use them. */
import type { Clock, RateLimit, Store } from '@brokerwire/core'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import { durationText } from '@brokerwire/core/internal'
import { rateWindowKey } from '../shared-options.ts'
import { createStringRecord } from '../store-access.ts'
import { optionInvalid } from '../tokens-error.ts'
import { createRateWindow, type RateWindow, updateInMemory, type Wait } from './rate-window.ts'

/**
 * The maximum number of windows. It bounds the memory of a limiter whose names come from the caller. The tables of the
 * service have fewer than 100 names.
 */
const MAX_WINDOWS = 10_000

/** Settings that the windows of a limiter have in common. */
interface RateWindowsSettings {
  /** Source of time and timers. */
  readonly clock: Clock
  /** Added to each window, in milliseconds. */
  readonly marginMs: number
  /**
   * The store and the app key of processes that count their calls together; `undefined` if this process counts
   * only its own calls.
   */
  readonly shared: { readonly store: Store; readonly identity: ServiceIdentity } | undefined
}

/** Creates an empty set of windows. */
export function createRateWindows({ clock, marginMs, shared }: RateWindowsSettings) {
  const windows = new Map<string, RateWindow>()
  return {
    /** Number of calls of this process that wait. */
    get waiting(): number {
      return [...windows.values()].reduce((sum, { waiting }) => sum + waiting, 0)
    },
    /**
     * Returns the window of this name and limit. The window is created at the first call. @throws TokensError
     * `TOKEN_OPTION_INVALID`.
     */
    find(name: string, { limit, windowMs }: RateLimit): RateWindow {
      const id = `${name} ${limit} ${windowMs}`
      const known = windows.get(id)
      if (known !== undefined) return known
      if (windows.size >= MAX_WINDOWS)
        throw optionInvalid('operation', `one of at most ${MAX_WINDOWS} operations`, 'one more')
      const update = shared
        ? createStringRecord(shared.store, { key: rateWindowKey(shared.identity, name) }, clock).update
        : updateInMemory()
      const created = createRateWindow(update, clock, limit, windowMs + marginMs)
      windows.set(id, created)
      return created
    },
  }
}

/** A call that would have to wait longer than allowed. */
export interface LongWait {
  /** Name of the call or operation. */
  readonly name: string
  /** The word for one unit of the limit. */
  readonly unit: 'call' | 'request'
  /** The limit of the window. */
  readonly limit: RateLimit
  /** The shortest possible wait. */
  readonly wait: Wait
  /** The longest allowed wait in milliseconds. */
  readonly maxWaitMs: number
}

/** Returns the message for a wait that is longer than `maxWaitMs`. It names the reason: the limit, or a 429. */
export function longWaitMessage({ name, unit, limit, wait, maxWaitMs }: LongWait): string {
  const rest = durationText(wait.restMs)
  const rate = `${limit.limit} ${unit}s in ${durationText(limit.windowMs)} for each app key`
  const reason = wait.isBackOff
    ? `the service returned 429: no ${name} ${unit} for ${rest}`
    : `the rate limiter (${rate}) lets this ${name} ${unit} pass in ${rest}`
  return `${reason}, which is longer than maxWaitMs (${durationText(maxWaitMs)})`
}
