/**
 * The window of the limit: the instants at which calls were let through stand under one key of a store, and a place is
 * taken by compare-and-set on them. Alone in a process it is the same window over a store in memory.
 *
 * The instants of all hosts are read on the clock that is furthest ahead: a host that finds an instant in its future
 * goes on from there. So a clock that is behind waits rather than sends. An instant more than a whole window ahead is a
 * clock's mistake: it is taken for the present one, so no call waits longer than one window for it.
 */
import { type Clock, linkedAbort, type Store, sleep } from '@brokerwire/core'
import { openRecord, RECORD_FORMAT } from '../record-reader.ts'
import { storedText, storeFailed } from '../store-access.ts'
import { isTokensError } from '../tokens-error.ts'

/** However long a service asks for: what it says by mistake must not shut an app key off for years. */
export const MAX_HOLD_OFF_MS = 3_600_000
/** So many lost races in a row mean that the store does not keep its contract. */
const MAX_ATTEMPTS = 100

/** A call that wants a place. */
export interface Waiter {
  /** Lower numbers go first. */
  readonly priority: number
  /** It may go. */
  go(): void
  /** There is no place to be had. */
  fail(error: unknown): void
  /** It has to wait: how many go before it, and the shortest time that it can take. Called once at most. */
  wait(ahead: number, atLeastMs: number): void
}

/** Places for so many calls in so much time. No timer runs while no call waits. */
export interface RateWindow {
  readonly waiting: number
  /** Calls go by priority, and in the order in which they came among equals. */
  enter(waiter: Waiter): void
  /** Gives the place in the queue up. */
  leave(waiter: Waiter): void
  /** Lets no call through for a while. */
  close(delayMs: number): void
}

/** What stands in the store. */
interface Entry {
  /** When calls were let through, in milliseconds since the epoch, the earliest first. */
  readonly passed: readonly number[]
  readonly closedUntilMs: number
  /** How long the last close was to be: no clock makes it longer. */
  readonly closeMs: number
}

const EMPTY: Entry = { passed: [], closedUntilMs: 0, closeMs: 0 }

function decodeEntry(text: string | undefined): Entry {
  if (text === undefined) return EMPTY
  try {
    const record = openRecord(text, ['passed', 'closedUntilMs', 'closeMs'])
    const passed = (record.optional('passed', record.text) ?? '').split(' ').map(Number)
    return {
      passed: passed.filter((atMs) => Number.isFinite(atMs) && atMs > 0).sort((one, other) => one - other),
      closedUntilMs: record.optional('closedUntilMs', record.time) ?? 0,
      closeMs: record.optional('closeMs', record.time) ?? 0,
    }
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

/** The entries of one key, read on the clock that is furthest ahead. */
function createEntries(store: Store, key: string, clock: Clock, limit: number, spanMs: number) {
  const record = storedText(store, key)
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

  return {
    /** Takes a place. @returns How to give it back, or the milliseconds until there may be one. */
    async take(): Promise<(() => Promise<void>) | number> {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const text = await record.get()
        const { isMended, ...entry } = read(text)
        const { passed, closedUntilMs } = entry
        const nowMs = now()
        closed = bounded(closed, nowMs)
        const oldest = passed.length < limit ? undefined : passed[passed.length - limit]
        const freeAtMs = oldest === undefined ? nowMs : oldest + spanMs
        const restMs = Math.max(freeAtMs, closedUntilMs, closed.closedUntilMs) - nowMs
        if (restMs > 0) {
          // What was set right has to grow old.
          if (isMended) await record.compareAndSet(text, encodeEntry(entry))
          return restMs
        }
        const next = encodeEntry({ ...EMPTY, passed: [...passed, nowMs] })
        if (await record.compareAndSet(text, next)) return () => giveBack(nowMs)
      }
      throw storeFailed('compareAndSet', new Error('too many lost races'))
    },
    close(delayMs: number): void {
      closed = closedFor(closed, now(), delayMs)
      // Other processes learn it from the service where the store does not tell them.
      record.update((text) => encodeEntry(closedFor(read(text), now(), delayMs))).catch(() => {})
    },
  }

  /** A place that no call took is free again. Where the store fails it is lost for one window. */
  async function giveBack(atMs: number): Promise<void> {
    const without = (text: string | undefined): string | undefined => {
      const { passed, ...close } = decodeEntry(text)
      const index = passed.lastIndexOf(atMs)
      return index === -1
        ? undefined
        : encodeEntry({ ...close, passed: passed.filter((_, at) => at !== index) })
    }
    await record.update(without).catch(() => {})
  }
}

/** A window in a store. Its waits end with the store's error where the store fails: no call is made uncounted. */
export function createRateWindow(
  store: Store,
  key: string,
  clock: Clock,
  limit: number,
  spanMs: number,
): RateWindow {
  const entries = createEntries(store, key, clock, limit, spanMs)
  const queue: Waiter[] = []
  /** Those in the queue that do not know yet how long they wait. */
  const untold = new Set<Waiter>()
  let isRunning = false
  /** While the queue waits for time to pass: until when, and how to end the wait. */
  let pause: { readonly untilMs: number; end(): void } | undefined

  const pass = async (restMs: number): Promise<void> => {
    const { controller } = linkedAbort()
    pause = { untilMs: clock.now() + restMs, end: () => controller.abort() }
    for (const [ahead, waiter] of [...queue].entries()) if (untold.delete(waiter)) waiter.wait(ahead, restMs)
    // No call may be left by now: an observer can end a wait.
    if (queue.length > 0) await sleep(clock, restMs, controller.signal).catch(() => {})
    pause = undefined
  }
  const run = async (): Promise<void> => {
    isRunning = true
    try {
      while (queue.length > 0) {
        const taken = await entries.take()
        if (typeof taken === 'number') await pass(taken)
        else {
          // The first one by now; none where the last one has given up.
          const first = queue.shift()
          if (first === undefined) await taken()
          else {
            untold.delete(first)
            first.go()
          }
        }
      }
    } catch (error) {
      untold.clear()
      for (const waiter of queue.splice(0)) waiter.fail(error)
    } finally {
      isRunning = false
    }
  }

  return {
    get waiting() {
      return queue.length
    },
    enter(waiter) {
      const found = queue.findIndex(({ priority }) => priority > waiter.priority)
      const ahead = found === -1 ? queue.length : found
      queue.splice(ahead, 0, waiter)
      if (pause === undefined) untold.add(waiter)
      else waiter.wait(ahead, Math.max(0, pause.untilMs - clock.now()))
      if (!isRunning) void run()
    },
    leave(waiter) {
      const index = queue.indexOf(waiter)
      if (index !== -1) queue.splice(index, 1)
      untold.delete(waiter)
      if (queue.length === 0) pause?.end()
    },
    close: entries.close,
  }
}
