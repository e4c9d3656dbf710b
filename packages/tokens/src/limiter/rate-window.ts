/**
 * A sliding window: one record of a store contains the instants of the calls that were let through. A call takes a
 * slot by adding its instant with compare-and-set. A process that counts only its own calls keeps the same record
 * in memory.
 *
 * All hosts use the clock that is furthest ahead: a host that reads an instant in its future uses that instant as
 * the current time. So a host with a slow clock waits longer instead of sending too early. An instant more than a
 * window ahead counts as a clock error and is replaced by the current instant, so that no call waits longer than
 * one window because of it.
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
import type { StringRecord } from '../store-access.ts'
import { instantField, parseRecord, RECORD_FORMAT } from '../stored-record.ts'
import { isTokensError } from '../tokens-error.ts'

/** Upper bound of a `Retry-After`, so that a wrong value does not block an app key for years. */
export const MAX_BACK_OFF_MS = 3_600_000

/** The state of a window. */
interface WindowState {
  /** Instants of the calls that were let through, milliseconds since the epoch, the earliest first. */
  readonly grantedMs: readonly number[]
  /** End of the back-off, milliseconds since the epoch. */
  readonly backOffUntilMs: number
  /**
   * Length of the last back-off in milliseconds. It is kept so that a changed clock cannot extend the
   * back-off.
   */
  readonly backOffMs: number
}

const EMPTY: WindowState = { grantedMs: [], backOffUntilMs: 0, backOffMs: 0 }
/** Fields of the stored record. `passed` contains the instants of `grantedMs`, separated by spaces. */
const FIELDS = {
  passed: optional(string()),
  closedUntilMs: optional(instantField),
  closeMs: optional(instantField),
}

function decodeState(stored: string | undefined): WindowState {
  if (stored === undefined) return EMPTY
  try {
    const { passed = '', closedUntilMs = 0, closeMs = 0 } = parseRecord(stored, FIELDS)
    const instants = passed.split(' ').map(Number)
    const grantedMs = instants.filter((atMs) => Number.isFinite(atMs) && atMs > 0)
    grantedMs.sort((one, other) => one - other)
    return { grantedMs, backOffUntilMs: closedUntilMs, backOffMs: closeMs }
  } catch (error) {
    // A malformed record is replaced by an empty one. A record of a newer format is kept.
    if (isTokensError(error, 'TOKEN_RECORD_INVALID') && error.details.reason === 'malformed') return EMPTY
    throw error
  }
}

function encodeState({ grantedMs, backOffUntilMs, backOffMs }: WindowState): string {
  return JSON.stringify({
    format: RECORD_FORMAT,
    ...(grantedMs.length === 0 ? {} : { passed: grantedMs.join(' ') }),
    ...(backOffUntilMs === 0 ? {} : { closedUntilMs: backOffUntilMs, closeMs: backOffMs }),
  })
}

/** Limits the back-off to its original length and to the upper bound, whatever the clock does. */
function boundBackOff(state: WindowState, nowMs: number): WindowState {
  const longestMs = Math.min(state.backOffMs, MAX_BACK_OFF_MS)
  return { ...state, backOffUntilMs: Math.min(state.backOffUntilMs, nowMs + longestMs) }
}

function extendBackOff(state: WindowState, nowMs: number, delayMs: number): WindowState {
  const backOffUntilMs = Math.max(boundBackOff(state, nowMs).backOffUntilMs, nowMs + delayMs)
  return { ...state, backOffUntilMs, backOffMs: backOffUntilMs - nowMs }
}

/** Changes the stored string of the record. */
export type UpdateRecord = StringRecord['update']

/** Keeps the record in memory, for a process that counts only its own calls. */
export function updateInMemory(): UpdateRecord {
  let stored: string | undefined
  return async (change) => {
    stored = change(stored) ?? stored
  }
}

/** The shortest possible wait of a call. */
export interface Wait {
  /** The shortest possible wait in milliseconds. */
  readonly restMs: number
  /**
   * Whether the call waits for the end of a back-off that the service requested, and not because of the
   * limit.
   */
  readonly isBackOff: boolean
}

/** Returns the shortest possible wait of a call. `ahead` is the number of calls before it. */
type Forecast = (ahead: number) => Wait

/** A slot that was taken, or the forecast if none is free. */
type Taken =
  | { readonly release: () => Promise<void>; readonly forecast?: undefined }
  | { readonly forecast: Forecast }

/** @param grantedMs - Instants of calls within the current span, the earliest first. */
function createForecast(
  grantedMs: readonly number[],
  limit: number,
  spanMs: number,
  backOffUntilMs: number,
  nowMs: number,
): Forecast {
  return (ahead) => {
    // A slot becomes free one span after the call that took it. The calls before this one take `limit` slots
    // in each span.
    const oldestMs = grantedMs[grantedMs.length - limit + (ahead % limit)]
    const slotAtMs = oldestMs === undefined ? nowMs : oldestMs + spanMs
    const spansMs = Math.floor(ahead / limit) * spanMs
    return {
      restMs: Math.max(slotAtMs, backOffUntilMs) + spansMs - nowMs,
      isBackOff: backOffUntilMs > slotAtMs + spansMs,
    }
  }
}

/** Creates the slots of a window. They read its record with the clock that is furthest ahead. */
function createSlots(update: UpdateRecord, clock: Clock, limit: number, spanMs: number) {
  /** How far this host's clock is known to be behind the clock that is furthest ahead. */
  let clockLagMs = 0
  /**
   * Until when `clockLagMs` is used, by this host's clock. The use is limited, because the instant ahead may be
   * from this host itself, before its clock was set back.
   */
  let clockLagUntilMs = 0
  /**
   * The last back-off of this process. This process obeys it at once; other processes obey it when it is
   * stored.
   */
  let ownBackOff = EMPTY
  const now = (): number => clock.now() + clockLagMs

  /** Returns the state of the record at the current time, and whether a clock error was corrected in it. */
  const read = (stored: string | undefined): WindowState & { readonly isCorrected: boolean } => {
    const { grantedMs, ...backOff } = decodeState(stored)
    const ownMs = clock.now()
    // The instants are compared with this host's own clock, so that the lag is one window at most.
    const isCredible = (atMs: number): boolean => atMs - ownMs <= spanMs
    const latestMs = grantedMs.filter(isCredible).at(-1) ?? 0
    if (ownMs >= clockLagUntilMs) clockLagMs = 0
    if (latestMs > ownMs) {
      clockLagMs = Math.max(clockLagMs, latestMs - ownMs)
      // A call that waits for the last slot of a window still needs the lag when the window ends.
      clockLagUntilMs = ownMs + 2 * spanMs
    }
    const nowMs = now()
    const state = boundBackOff({ grantedMs, ...backOff }, nowMs)
    const isCorrected = state.backOffUntilMs !== backOff.backOffUntilMs || !grantedMs.every(isCredible)
    const correctedMs = grantedMs.map((atMs) => (isCredible(atMs) ? atMs : nowMs))
    return { ...state, grantedMs: correctedMs.filter((atMs) => nowMs - atMs < spanMs), isCorrected }
  }

  /** Frees a slot that no call used. If the store fails, the slot stays taken for one window. */
  const release = (atMs: number): Promise<void> =>
    update((stored) => {
      const { grantedMs, ...backOff } = decodeState(stored)
      const index = grantedMs.lastIndexOf(atMs)
      if (index === -1) return undefined
      return encodeState({ ...backOff, grantedMs: grantedMs.filter((_, at) => at !== index) })
    }).catch(() => {})

  return {
    /**
     * Takes a slot if one is free.
     *
     * @returns A function that frees the slot, or the forecast for waiting calls.
     */
    async take(): Promise<Taken> {
      let nowMs = 0
      let forecast: Forecast = () => ({ restMs: 0, isBackOff: false })
      await update((stored) => {
        const { isCorrected, ...state } = read(stored)
        const { grantedMs } = state
        nowMs = now()
        ownBackOff = boundBackOff(ownBackOff, nowMs)
        const backOffUntilMs = Math.max(state.backOffUntilMs, ownBackOff.backOffUntilMs)
        forecast = createForecast(grantedMs, limit, spanMs, backOffUntilMs, nowMs)
        if (forecast(0).restMs <= 0) return encodeState({ ...EMPTY, grantedMs: [...grantedMs, nowMs] })
        // Stores the correction. Otherwise each read would replace a wrong instant by the current one, which would never leave
        // the window.
        return isCorrected ? encodeState(state) : undefined
      })
      return forecast(0).restMs > 0 ? { forecast } : { release: () => release(nowMs) }
    },
    backOff(delayMs: number): void {
      ownBackOff = extendBackOff(ownBackOff, now(), delayMs)
      // If the store does not accept the back-off, other processes get a 429 from the service too.
      update((stored) => encodeState(extendBackOff(read(stored), now(), delayMs))).catch(() => {})
    },
  }
}

/** A call that waits for a slot. */
interface Waiter {
  /** Lower numbers go first. */
  readonly priority: number
  /**
   * Called when the wait begins and when it becomes longer, with the number of calls before this one. If it
   * throws, the wait ends with that error.
   */
  readonly checkWait: (ahead: number, wait: Wait, isFirst: boolean) => void
  /** The end of the wait that was reported last; 0 before the first report. */
  reportedUntilMs: number
  resolve(): void
  reject(error: unknown): void
}

/** A window with a number of slots: `limit` calls in `spanMs`. */
export type RateWindow = ReturnType<typeof createRateWindow>

/**
 * Creates a window over a record. If the store fails, waiting calls fail with its error, so that no call is sent
 * without being counted. No timer runs while no call waits.
 */
export function createRateWindow(update: UpdateRecord, clock: Clock, limit: number, spanMs: number) {
  const slots = createSlots(update, clock, limit, spanMs)
  const queue: Waiter[] = []
  let isRunning = false
  /**
   * Set while the queue waits for a slot: the start of the wait, its forecast, and a function that ends it.
   */
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
      const { restMs, isBackOff } = forecast(ahead)
      const untilMs = sinceMs + restMs
      ahead += 1
      if (waiter.reportedUntilMs >= untilMs) continue
      const isFirst = waiter.reportedUntilMs === 0
      waiter.reportedUntilMs = untilMs
      try {
        waiter.checkWait(ahead - 1, { restMs: Math.max(0, untilMs - clock.now()), isBackOff }, isFirst)
      } catch (error) {
        ahead -= 1
        removeWaiter(waiter)
        waiter.reject(error)
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
        const taken = await slots.take()
        // During `take()`, another call may have become the first. `first` is `undefined` if the last waiting
        // call was aborted.
        const first = taken.forecast === undefined ? queue.shift() : undefined
        if (taken.forecast !== undefined) await waitForSlot(taken.forecast)
        else if (first === undefined) await taken.release()
        else first.resolve()
      }
    } catch (error) {
      for (const waiter of queue.splice(0)) waiter.reject(error)
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
     * Waits for a slot. Calls get slots by priority, then in the order of their arrival.
     *
     * @throws The signal's reason; what `checkWait` throws; TokensError `TOKEN_STORE_FAILED`, `TOKEN_RECORD_INVALID`.
     */
    acquire(
      priority: number,
      signal: AbortSignalLike | undefined,
      checkWait: Waiter['checkWait'],
    ): Promise<void> {
      let removeFromQueue = (): void => {}
      const slot = new Promise<void>((resolve, reject) => {
        throwIfAborted(signal)
        const waiter: Waiter = { priority, checkWait, reportedUntilMs: 0, resolve, reject }
        removeFromQueue = () => removeWaiter(waiter)
        const found = queue.findIndex((other) => other.priority > priority)
        queue.splice(found === -1 ? queue.length : found, 0, waiter)
        if (pause !== undefined) reportWaits(pause.sinceMs, pause.forecast)
        if (!isRunning) void run()
      })
      return abortable(slot, signal).finally(removeFromQueue)
    },
    /**
     * Lets no call pass for this time, in milliseconds. The waits of waiting calls are calculated again at
     * once.
     */
    backOff(delayMs: number): void {
      slots.backOff(delayMs)
      pause?.end()
    },
  }
}
