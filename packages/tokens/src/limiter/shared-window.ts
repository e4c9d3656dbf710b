/**
 * One window for all processes that share a store: the instants at which any of them let a call through stand under
 * one key, and a place is taken by compare-and-set on them.
 *
 * The instants of all hosts are read on the clock that is furthest ahead: a host that finds an instant in its future
 * goes on from there. So a clock that is behind waits rather than sends. An instant more than a whole window ahead is a
 * clock's mistake: it is taken for the present one, so nobody waits longer than one window for it.
 */
import { type Clock, linkedAbort, type Store, sleep } from '@brokerwire/core'
import { openRecord, RECORD_FORMAT } from '../record-reader.ts'
import { storedText, storeFailed } from '../store-access.ts'
import { isTokensError } from '../tokens-error.ts'
import { MAX_HOLD_OFF_MS, type RateWindow, type Waiter, WaiterQueue } from './rate-window.ts'

/** What stands in the store. */
interface Entry {
  /** When calls were let through, in milliseconds since the epoch, the earliest first. */
  readonly passed: readonly number[]
  readonly closedUntilMs: number
  /** How long the last close was to be: no clock makes it longer. */
  readonly closeMs: number
}

const EMPTY: Entry = { passed: [], closedUntilMs: 0, closeMs: 0 }
/** So many lost races in a row mean that the store does not keep its contract. */
const MAX_ATTEMPTS = 100

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

/** A window in a store. Its waits end with the store's error where the store fails: no call is made uncounted. */
export class SharedWindow implements RateWindow {
  readonly #queue = new WaiterQueue()
  readonly #untold = new Set<Waiter>()
  readonly #record: ReturnType<typeof storedText>
  readonly #clock: Clock
  readonly #limit: number
  readonly #spanMs: number
  /** How far this host's clock is behind the one that is furthest ahead, as far as is known. */
  #behindMs = 0
  /** Until when that holds, by this host's clock: what was ahead may have been this clock itself, before it was set. */
  #behindUntilMs = 0
  /** Known here at once, and in the store as soon as it is written. */
  #closed: Entry = EMPTY
  #running = false
  /** The instant of the last place that was taken. */
  #takenAtMs = 0
  /** While the queue waits for time to pass: until when, and how to end the wait. */
  #pause: { readonly untilMs: number; end(): void } | undefined

  constructor(store: Store, key: string, clock: Clock, limit: number, spanMs: number) {
    this.#record = storedText(store, key)
    this.#clock = clock
    this.#limit = limit
    this.#spanMs = spanMs
  }

  get waiting(): number {
    return this.#queue.length
  }

  enter(waiter: Waiter): void {
    const ahead = this.#queue.add(waiter)
    if (this.#pause === undefined) this.#untold.add(waiter)
    else waiter.wait(ahead, Math.max(0, this.#pause.untilMs - this.#clock.now()))
    if (!this.#running) void this.#run()
  }

  leave(waiter: Waiter): void {
    this.#queue.remove(waiter)
    this.#untold.delete(waiter)
    if (this.#queue.length === 0) this.#pause?.end()
  }

  close(delayMs: number): void {
    const closed = (entry: Entry): Entry => {
      const nowMs = this.#now()
      const closedUntilMs = Math.max(bounded(entry, nowMs).closedUntilMs, nowMs + delayMs)
      return { ...entry, closedUntilMs, closeMs: closedUntilMs - nowMs }
    }
    this.#closed = closed(this.#closed)
    // Those in other processes learn it from the service where the store does not tell them.
    this.#record.update((text) => encodeEntry(closed(this.#read(text)))).catch(() => {})
  }

  #now(): number {
    return this.#clock.now() + this.#behindMs
  }

  /** The entry as it counts now, and whether a clock's mistake was set right in it. */
  #read(text: string | undefined): Entry & { readonly isMended: boolean } {
    const { passed, ...closed } = decodeEntry(text)
    const ownMs = this.#clock.now()
    // By this host's own clock: what was learned stays within one window of it.
    const isCredible = (atMs: number): boolean => atMs - ownMs <= this.#spanMs
    const latestMs = passed.filter(isCredible).at(-1) ?? 0
    if (ownMs >= this.#behindUntilMs) this.#behindMs = 0
    if (latestMs > ownMs) {
      this.#behindMs = Math.max(this.#behindMs, latestMs - ownMs)
      // Who waits for the last of a window still has to know it when that is over.
      this.#behindUntilMs = ownMs + 2 * this.#spanMs
    }
    const nowMs = this.#now()
    const entry = bounded({ passed, ...closed }, nowMs)
    return {
      ...entry,
      passed: passed
        .map((atMs) => (isCredible(atMs) ? atMs : nowMs))
        .filter((atMs) => nowMs - atMs < this.#spanMs),
      isMended: entry.closedUntilMs !== closed.closedUntilMs || !passed.every(isCredible),
    }
  }

  /** Takes a place. @returns 0, or the milliseconds until there may be one. */
  async #take(): Promise<number> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const text = await this.#record.get()
      const { isMended, ...entry } = this.#read(text)
      const { passed, closedUntilMs } = entry
      const nowMs = this.#now()
      this.#closed = bounded(this.#closed, nowMs)
      const oldest = passed.length < this.#limit ? undefined : passed[passed.length - this.#limit]
      const freeAtMs = oldest === undefined ? nowMs : oldest + this.#spanMs
      const restMs = Math.max(freeAtMs, closedUntilMs, this.#closed.closedUntilMs) - nowMs
      if (restMs > 0) {
        // What was set right has to grow old.
        if (isMended) await this.#record.compareAndSet(text, encodeEntry(entry))
        return restMs
      }
      const next = encodeEntry({ ...EMPTY, passed: [...passed, nowMs] })
      if (await this.#record.compareAndSet(text, next)) {
        this.#takenAtMs = nowMs
        return 0
      }
    }
    throw storeFailed('compareAndSet', new Error('too many lost races'))
  }

  /** A place that nobody took is free again. Where the store fails it is lost for one window. */
  async #giveBack(): Promise<void> {
    const atMs = this.#takenAtMs
    await this.#record
      .update((text) => {
        const { passed, ...closed } = decodeEntry(text)
        const index = passed.lastIndexOf(atMs)
        return index === -1
          ? undefined
          : encodeEntry({ ...closed, passed: passed.filter((_, at) => at !== index) })
      })
      .catch(() => {})
  }

  async #run(): Promise<void> {
    this.#running = true
    try {
      while (this.#queue.length > 0) {
        const restMs = await this.#take()
        if (restMs > 0) await this.#wait(restMs)
        else {
          // Whoever goes first by now; nobody where the last one has given up.
          const first = this.#queue.next()
          if (first === undefined) await this.#giveBack()
          else {
            this.#untold.delete(first)
            first.go()
          }
        }
      }
    } catch (error) {
      this.#untold.clear()
      for (let waiter = this.#queue.next(); waiter !== undefined; waiter = this.#queue.next())
        waiter.fail(error)
    } finally {
      this.#running = false
    }
  }

  async #wait(restMs: number): Promise<void> {
    const { controller } = linkedAbort()
    this.#pause = { untilMs: this.#clock.now() + restMs, end: () => controller.abort() }
    for (const [ahead, waiter] of this.#queue.entries().entries())
      if (this.#untold.delete(waiter)) waiter.wait(ahead, restMs)
    // Nobody may be left by now: an observer can end a wait.
    if (this.#queue.length > 0) await sleep(this.#clock, restMs, controller.signal).catch(() => {})
    this.#pause = undefined
  }
}
