/**
 * A sliding window: the instants of the calls that were let through are one record of a store, and a slot is taken
 * by compare-and-set. A single process keeps the same record in memory.
 *
 * All hosts use the clock that is furthest ahead: a host that reads an instant in its future continues from there.
 * So a host with a slow clock waits longer instead of sending too early. An instant more than a window ahead counts
 * as a clock error and is replaced by the current instant, so that no call waits longer than one window for it.
 */
import type { AbortSignalLike, Clock } from '@brokerwire/core'
import {
  abortable,
  createLinkedController,
  optional,
  sleep,
  string,
  throwIfAborted,
} from '@brokerwire/core/internal'
import type { TextRecord } from '../store-access.ts'
import { instantField, parseRecord, RECORD_FORMAT } from '../stored-record.ts'
import { isTokensError } from '../tokens-error.ts'

/** Upper bound of a `Retry-After`, so that a wrong value does not block an app key for years. */
export const MAX_BACK_OFF_MS = 3_600_000

/** The stored record. */
interface Entry {
  /** Instants of the calls that were let through, milliseconds since the epoch, the earliest first. */
  readonly passed: readonly number[]
  readonly closedUntilMs: number
  /** Length of the last back-off: a changed clock cannot extend it. */
  readonly closeMs: number
}

const EMPTY: Entry = { passed: [], closedUntilMs: 0, closeMs: 0 }
const FIELDS = {
  passed: optional(string()),
  closedUntilMs: optional(instantField),
  closeMs: optional(instantField),
}

function decodeEntry(text: string | undefined): Entry {
  if (text === undefined) return EMPTY
  try {
    const { passed = '', closedUntilMs = 0, closeMs = 0 } = parseRecord(text, FIELDS)
    const instants = passed.split(' ').map(Number)
    const known = instants.filter((atMs) => Number.isFinite(atMs) && atMs > 0)
    return { passed: known.sort((one, other) => one - other), closedUntilMs, closeMs }
  } catch (error) {
    // A malformed record is replaced by an empty one. A record of a newer format is kept.
    if (isTokensError(error, 'TOKEN_RECORD_INVALID') && error.details.reason === 'malformed') return EMPTY
    throw error
  }
}

function encodeEntry({ passed, closedUntilMs, closeMs }: Entry): string {
  return JSON.stringify({
    format: RECORD_FORMAT,
    ...(passed.length === 0 ? {} : { passed: passed.join(' ') }),
    ...(closedUntilMs === 0 ? {} : { closedUntilMs, closeMs }),
  })
}

/** Limits the back-off to its original length and to the upper bound, whatever the clock does. */
function bounded(entry: Entry, nowMs: number): Entry {
  const longestMs = Math.min(entry.closeMs, MAX_BACK_OFF_MS)
  return { ...entry, closedUntilMs: Math.min(entry.closedUntilMs, nowMs + longestMs) }
}

function extendBackOff(entry: Entry, nowMs: number, delayMs: number): Entry {
  const closedUntilMs = Math.max(bounded(entry, nowMs).closedUntilMs, nowMs + delayMs)
  return { ...entry, closedUntilMs, closeMs: closedUntilMs - nowMs }
}

/** Changes the text of the record. */
export type UpdateText = TextRecord['update']

/** Keeps the text in memory, for a process that counts its own calls. */
export function updateInMemory(): UpdateText {
  let text: string | undefined
  return async (change) => {
    text = change(text) ?? text
  }
}

/** The shortest possible wait of a call. */
export interface Wait {
  /** The shortest possible wait in milliseconds. */
  readonly restMs: number
  /** Whether the back-off that the service asked for is longer than the wait for the limit. */
  readonly isClosed: boolean
}

/** Returns the shortest possible wait of a call with this many calls before it. */
type Forecast = (ahead: number) => Wait

/** A slot that was taken, or the forecast if none is free. */
type Taken =
  | { readonly release: () => Promise<void>; readonly forecast?: undefined }
  | { readonly forecast: Forecast }

/** @param passed - Instants within the current span, the earliest first. */
function createForecast(
  passed: readonly number[],
  limit: number,
  spanMs: number,
  closedUntilMs: number,
  nowMs: number,
): Forecast {
  return (ahead) => {
    // A slot becomes free one span after its call; the calls before this one take `limit` slots in each span.
    const oldest = passed[passed.length - limit + (ahead % limit)]
    const slotAtMs = oldest === undefined ? nowMs : oldest + spanMs
    const spansMs = Math.floor(ahead / limit) * spanMs
    return {
      restMs: Math.max(slotAtMs, closedUntilMs) + spansMs - nowMs,
      isClosed: closedUntilMs > slotAtMs + spansMs,
    }
  }
}

/** The records under one key, read with the clock that is furthest ahead. */
function createEntries(update: UpdateText, clock: Clock, limit: number, spanMs: number) {
  /** How far this host's clock is known to be behind. */
  let clockLagMs = 0
  /**
   * Until when that lag is used, by this host's clock: the instant ahead may come from this clock, before it was
   * set back.
   */
  let clockLagUntilMs = 0
  /** The last back-off: valid here at once, in the store as soon as it is written. */
  let closed = EMPTY
  const now = (): number => clock.now() + clockLagMs

  /** Reads the record as of now, and whether a clock error was corrected in it. */
  const read = (text: string | undefined): Entry & { readonly isCorrected: boolean } => {
    const { passed, ...close } = decodeEntry(text)
    const ownMs = clock.now()
    // Compared with this host's own clock, so that a lag stays within one window.
    const isCredible = (atMs: number): boolean => atMs - ownMs <= spanMs
    const latestMs = passed.filter(isCredible).at(-1) ?? 0
    if (ownMs >= clockLagUntilMs) clockLagMs = 0
    if (latestMs > ownMs) {
      clockLagMs = Math.max(clockLagMs, latestMs - ownMs)
      // A call that waits for the last slot of a window still needs the lag when the window ends.
      clockLagUntilMs = ownMs + 2 * spanMs
    }
    const nowMs = now()
    const entry = bounded({ passed, ...close }, nowMs)
    const isCorrected = entry.closedUntilMs !== close.closedUntilMs || !passed.every(isCredible)
    const mended = passed.map((atMs) => (isCredible(atMs) ? atMs : nowMs))
    return { ...entry, passed: mended.filter((atMs) => nowMs - atMs < spanMs), isCorrected }
  }

  /** Frees a slot that no call used. If the store fails, the slot is lost for one window. */
  const release = (atMs: number): Promise<void> =>
    update((text) => {
      const { passed, ...close } = decodeEntry(text)
      const index = passed.lastIndexOf(atMs)
      if (index === -1) return undefined
      return encodeEntry({ ...close, passed: passed.filter((_, at) => at !== index) })
    }).catch(() => {})

  return {
    /** Takes a slot. @returns The function that frees it, or the forecast for waiting calls. */
    async take(): Promise<Taken> {
      let nowMs = 0
      let forecast: Forecast = () => ({ restMs: 0, isClosed: false })
      await update((text) => {
        const { isCorrected, ...entry } = read(text)
        const { passed } = entry
        nowMs = now()
        closed = bounded(closed, nowMs)
        const closedUntilMs = Math.max(entry.closedUntilMs, closed.closedUntilMs)
        forecast = createForecast(passed, limit, spanMs, closedUntilMs, nowMs)
        if (forecast(0).restMs <= 0) return encodeEntry({ ...EMPTY, passed: [...passed, nowMs] })
        // A corrected instant must be stored, so that it ages.
        return isCorrected ? encodeEntry(entry) : undefined
      })
      return forecast(0).restMs > 0 ? { forecast } : { release: () => release(nowMs) }
    },
    close(delayMs: number): void {
      closed = extendBackOff(closed, now(), delayMs)
      // If the store does not accept it, other processes get their own 429 from the service.
      update((text) => encodeEntry(extendBackOff(read(text), now(), delayMs))).catch(() => {})
    },
  }
}

/** A call that waits for a slot. */
interface Waiter {
  /** Lower numbers go first. */
  readonly priority: number
  /** Called at each pause with the number of calls before this one. An exception ends the wait. */
  readonly onWait: (ahead: number, wait: Wait, isFirst: boolean) => void
  /** The end of the wait that was reported last. */
  reportedUntilMs: number
  go(): void
  fail(error: unknown): void
}

/** A window with a number of slots. */
export type RateWindow = ReturnType<typeof createRateWindow>

/**
 * Creates a window over a record. If the store fails, waiting calls fail with its error: no call is sent uncounted.
 * No timer runs while no call waits.
 */
export function createRateWindow(update: UpdateText, clock: Clock, limit: number, spanMs: number) {
  const entries = createEntries(update, clock, limit, spanMs)
  const queue: Waiter[] = []
  let isRunning = false
  /** While the queue waits for time to pass: since when, and a function that ends the wait. */
  let pause: { readonly sinceMs: number; readonly forecast: Forecast; end(): void } | undefined

  const removeWaiter = (waiter: Waiter): void => {
    waiter.reportedUntilMs = Number.POSITIVE_INFINITY
    const index = queue.indexOf(waiter)
    if (index !== -1) queue.splice(index, 1)
    if (queue.length === 0) pause?.end()
  }
  const reportWaits = (sinceMs: number, forecast: Forecast): void => {
    let ahead = 0
    for (const waiter of [...queue]) {
      const { restMs, isClosed } = forecast(ahead)
      const untilMs = sinceMs + restMs
      ahead += 1
      if (waiter.reportedUntilMs >= untilMs) continue
      const isFirst = waiter.reportedUntilMs === 0
      waiter.reportedUntilMs = untilMs
      try {
        waiter.onWait(ahead - 1, { restMs: Math.max(0, untilMs - clock.now()), isClosed }, isFirst)
      } catch (error) {
        ahead -= 1
        removeWaiter(waiter)
        waiter.fail(error)
      }
    }
  }
  const waitForSlot = async (forecast: Forecast): Promise<void> => {
    const { controller } = createLinkedController()
    pause = { sinceMs: clock.now(), forecast, end: () => controller.abort() }
    reportWaits(pause.sinceMs, forecast)
    if (queue.length > 0) await sleep(clock, forecast(0).restMs, controller.signal).catch(() => {})
    pause = undefined
  }
  const run = async (): Promise<void> => {
    isRunning = true
    try {
      while (queue.length > 0) {
        const taken = await entries.take()
        // The first call by now; `undefined` if the last one was aborted.
        const first = taken.forecast === undefined ? queue.shift() : undefined
        if (taken.forecast !== undefined) await waitForSlot(taken.forecast)
        else if (first === undefined) await taken.release()
        else first.go()
      }
    } catch (error) {
      for (const waiter of queue.splice(0)) waiter.fail(error)
    } finally {
      isRunning = false
    }
  }

  return {
    /** Number of calls that wait. */
    get waiting(): number {
      return queue.length
    },
    /**
     * Waits for a slot: by priority, then in the order of arrival.
     *
     * @throws The signal's reason; what `onWait` throws; TokensError `TOKEN_STORE_FAILED`, `TOKEN_RECORD_INVALID`.
     */
    acquire(priority: number, signal: AbortSignalLike | undefined, onWait: Waiter['onWait']): Promise<void> {
      let removeFromQueue = (): void => {}
      const slot = new Promise<void>((go, fail) => {
        throwIfAborted(signal)
        const waiter: Waiter = { priority, onWait, reportedUntilMs: 0, go, fail }
        removeFromQueue = () => removeWaiter(waiter)
        const found = queue.findIndex((other) => other.priority > priority)
        queue.splice(found === -1 ? queue.length : found, 0, waiter)
        if (pause !== undefined) reportWaits(pause.sinceMs, pause.forecast)
        if (!isRunning) void run()
      })
      return abortable(slot, signal).finally(removeFromQueue)
    },
    /** Lets no call pass for this time. Waiting calls are notified at once. */
    close(delayMs: number): void {
      entries.close(delayMs)
      pause?.end()
    },
  }
}
