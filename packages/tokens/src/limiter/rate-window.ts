/**
 * The window of the limit: the instants at which calls were let through stand under one key of a store, and a place is
 * taken by compare-and-set on them. Alone in a process it is the same window over a store in memory.
 *
 * The instants of all hosts are read on the clock that is furthest ahead: a host that finds an instant in its future
 * goes on from there. So a clock that is behind waits rather than sends. An instant more than a whole window ahead is a
 * clock's mistake: it is taken for the present one, so no call waits longer than one window for it.
 */
import type { AbortSignalLike, Clock } from '@brokerwire/core'
import { abortable, linkedAbort, optional, sleep, string, throwIfAborted } from '@brokerwire/core/internal'
import { RECORD_FORMAT, readRecord, storedInstant } from '../record-reader.ts'
import type { StoredText } from '../store-access.ts'
import { isTokensError } from '../tokens-error.ts'

/** However long a service asks for: what it says by mistake must not shut an app key off for years. */
export const MAX_HOLD_OFF_MS = 3_600_000

/** What stands in the store. */
interface Entry {
  /** When calls were let through, in milliseconds since the epoch, the earliest first. */
  readonly passed: readonly number[]
  readonly closedUntilMs: number
  /** How long the last close was to be: no clock makes it longer. */
  readonly closeMs: number
}

const EMPTY: Entry = { passed: [], closedUntilMs: 0, closeMs: 0 }
const FIELDS = {
  passed: optional(string()),
  closedUntilMs: optional(storedInstant),
  closeMs: optional(storedInstant),
}

function decodeEntry(text: string | undefined): Entry {
  if (text === undefined) return EMPTY
  try {
    const { passed = '', closedUntilMs = 0, closeMs = 0 } = readRecord(text, FIELDS)
    const instants = passed.split(' ').map(Number)
    const known = instants.filter((atMs) => Number.isFinite(atMs) && atMs > 0)
    return { passed: known.sort((one, other) => one - other), closedUntilMs, closeMs }
  } catch (error) {
    // A count that cannot be read is begun anew; a newer version's is left alone.
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

/** A close is no longer than it was to be, whatever happened to the clock, and no longer than any may be. */
function bounded(entry: Entry, nowMs: number): Entry {
  const longestMs = Math.min(entry.closeMs, MAX_HOLD_OFF_MS)
  return { ...entry, closedUntilMs: Math.min(entry.closedUntilMs, nowMs + longestMs) }
}

function closedFor(entry: Entry, nowMs: number, delayMs: number): Entry {
  const closedUntilMs = Math.max(bounded(entry, nowMs).closedUntilMs, nowMs + delayMs)
  return { ...entry, closedUntilMs, closeMs: closedUntilMs - nowMs }
}

/** Changes the text in which a window counts. */
export type UpdateText = StoredText['update']

/** The text of a process that counts for itself. */
export function textInMemory(): UpdateText {
  let text: string | undefined
  return async (change) => {
    text = change(text) ?? text
  }
}

/** The shortest wait of a call. */
export interface Wait {
  readonly restMs: number
  /** The service asked to wait, and not the limit alone. */
  readonly isClosed: boolean
}

/** The shortest wait of a call that has so many others before it. */
type Forecast = (ahead: number) => Wait

/** A place that was taken, or the forecast if there is none. */
type Taken =
  | { readonly giveBack: () => Promise<void>; readonly forecast?: undefined }
  | { readonly forecast: Forecast }

/** @param passed - Instants within the span that ends now, the earliest first. */
function forecastOf(
  passed: readonly number[],
  limit: number,
  spanMs: number,
  closedUntilMs: number,
  nowMs: number,
): Forecast {
  return (ahead) => {
    // A place becomes free a span after the call that had it; the calls before this one take `limit` in a span.
    const oldest = passed[passed.length - limit + (ahead % limit)]
    const freeAtMs = Math.max(oldest === undefined ? nowMs : oldest + spanMs, closedUntilMs)
    return {
      restMs: freeAtMs + Math.floor(ahead / limit) * spanMs - nowMs,
      isClosed: closedUntilMs > nowMs,
    }
  }
}

/** The entries of one text, read on the clock that is furthest ahead. */
function createEntries(update: UpdateText, clock: Clock, limit: number, spanMs: number) {
  /** How far this host's clock is behind the one that is furthest ahead, as far as is known. */
  let behindMs = 0
  /** Until when that holds, by this host's clock: what was ahead may have been this clock itself, before it was set. */
  let behindUntilMs = 0
  /** The last close: known here at once, and in the store as soon as it is written. */
  let closed = EMPTY
  const now = (): number => clock.now() + behindMs

  /** The entry as it counts now, and whether a clock's mistake was set right in it. */
  const read = (text: string | undefined): Entry & { readonly isMended: boolean } => {
    const { passed, ...close } = decodeEntry(text)
    const ownMs = clock.now()
    // By this host's own clock: what was learned stays within one window of it.
    const isCredible = (atMs: number): boolean => atMs - ownMs <= spanMs
    const latestMs = passed.filter(isCredible).at(-1) ?? 0
    if (ownMs >= behindUntilMs) behindMs = 0
    if (latestMs > ownMs) {
      behindMs = Math.max(behindMs, latestMs - ownMs)
      // A call that waits for the last of a window still has to know it when that is over.
      behindUntilMs = ownMs + 2 * spanMs
    }
    const nowMs = now()
    const entry = bounded({ passed, ...close }, nowMs)
    const isMended = entry.closedUntilMs !== close.closedUntilMs || !passed.every(isCredible)
    const mended = passed.map((atMs) => (isCredible(atMs) ? atMs : nowMs))
    return { ...entry, passed: mended.filter((atMs) => nowMs - atMs < spanMs), isMended }
  }

  /** A place that no call took is free again. Where the store fails it is lost for one window. */
  const giveBack = (atMs: number): Promise<void> =>
    update((text) => {
      const { passed, ...close } = decodeEntry(text)
      const index = passed.lastIndexOf(atMs)
      if (index === -1) return undefined
      return encodeEntry({ ...close, passed: passed.filter((_, at) => at !== index) })
    }).catch(() => {})

  return {
    /** Takes a place. @returns How to give it back, or what those who wait can expect. */
    async take(): Promise<Taken> {
      let nowMs = 0
      let forecast: Forecast = () => ({ restMs: 0, isClosed: false })
      await update((text) => {
        const { isMended, ...entry } = read(text)
        const { passed } = entry
        nowMs = now()
        closed = bounded(closed, nowMs)
        const closedUntilMs = Math.max(entry.closedUntilMs, closed.closedUntilMs)
        forecast = forecastOf(passed, limit, spanMs, closedUntilMs, nowMs)
        if (forecast(0).restMs <= 0) return encodeEntry({ ...EMPTY, passed: [...passed, nowMs] })
        // What was set right has to grow old.
        return isMended ? encodeEntry(entry) : undefined
      })
      return forecast(0).restMs > 0 ? { forecast } : { giveBack: () => giveBack(nowMs) }
    },
    close(delayMs: number): void {
      closed = closedFor(closed, now(), delayMs)
      // Other processes learn it from the service where the store does not tell them.
      update((text) => encodeEntry(closedFor(read(text), now(), delayMs))).catch(() => {})
    },
  }
}

/** A call that waits for a place. */
interface Waiter {
  /** Lower numbers go first. */
  readonly priority: number
  /** Called at each pause with the number of calls before this one. What it throws ends the wait. */
  readonly onWait: (ahead: number, wait: Wait, isFirst: boolean) => void
  /** Until when it is known to wait. */
  toldMs: number
  go(): void
  fail(error: unknown): void
}

/** Places for so many calls in so much time. */
export type RateWindow = ReturnType<typeof createRateWindow>

/**
 * A window over a text, in a store or in memory. Its waits end with the store's error where the store fails: no call is made uncounted. No timer
 * runs while no call waits.
 */
export function createRateWindow(update: UpdateText, clock: Clock, limit: number, spanMs: number) {
  const entries = createEntries(update, clock, limit, spanMs)
  const queue: Waiter[] = []
  let isRunning = false
  /** While the queue waits for time to pass: until when, and how to end the wait. */
  let pause: { readonly sinceMs: number; readonly forecast: Forecast; end(): void } | undefined

  const leave = (waiter: Waiter): void => {
    waiter.toldMs = Number.POSITIVE_INFINITY
    const index = queue.indexOf(waiter)
    if (index !== -1) queue.splice(index, 1)
    if (queue.length === 0) pause?.end()
  }
  const announce = (sinceMs: number, forecast: Forecast): void => {
    let ahead = 0
    for (const waiter of [...queue]) {
      const { restMs, isClosed } = forecast(ahead)
      const untilMs = sinceMs + restMs
      ahead += 1
      if (waiter.toldMs >= untilMs) continue
      const isFirst = waiter.toldMs === 0
      waiter.toldMs = untilMs
      try {
        waiter.onWait(ahead - 1, { restMs: Math.max(0, untilMs - clock.now()), isClosed }, isFirst)
      } catch (error) {
        ahead -= 1
        leave(waiter)
        waiter.fail(error)
      }
    }
  }
  const pass = async (forecast: Forecast): Promise<void> => {
    const { controller } = linkedAbort()
    pause = { sinceMs: clock.now(), forecast, end: () => controller.abort() }
    announce(pause.sinceMs, forecast)
    if (queue.length > 0) await sleep(clock, forecast(0).restMs, controller.signal).catch(() => {})
    pause = undefined
  }
  const run = async (): Promise<void> => {
    isRunning = true
    try {
      while (queue.length > 0) {
        const taken = await entries.take()
        // The first one by now; none where the last one has given up.
        const first = taken.forecast === undefined ? queue.shift() : undefined
        if (taken.forecast !== undefined) await pass(taken.forecast)
        else if (first === undefined) await taken.giveBack()
        else first.go()
      }
    } catch (error) {
      for (const waiter of queue.splice(0)) waiter.fail(error)
    } finally {
      isRunning = false
    }
  }

  return {
    /** How many calls wait. */
    get waiting(): number {
      return queue.length
    },
    /**
     * Waits for a place: by priority, and in the order in which the calls came among equals.
     *
     * @throws The signal's reason; what `onWait` throws; TokensError `TOKEN_STORE_FAILED`, `TOKEN_RECORD_INVALID`.
     */
    enter(priority: number, signal: AbortSignalLike | undefined, onWait: Waiter['onWait']): Promise<void> {
      let leaveQueue = (): void => {}
      const place = new Promise<void>((go, fail) => {
        throwIfAborted(signal)
        const waiter: Waiter = { priority, onWait, toldMs: 0, go, fail }
        leaveQueue = () => leave(waiter)
        const found = queue.findIndex((other) => other.priority > priority)
        queue.splice(found === -1 ? queue.length : found, 0, waiter)
        if (pause !== undefined) announce(pause.sinceMs, pause.forecast)
        if (!isRunning) void run()
      })
      return abortable(place, signal).finally(leaveQueue)
    },
    /** Lets no call through for a while. Those that wait hear of it at once. */
    close(delayMs: number): void {
      entries.close(delayMs)
      pause?.end()
    },
  }
}
