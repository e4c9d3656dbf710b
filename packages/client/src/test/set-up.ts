/** The fixture of the brokerage's tests: the local service, a store that records writes, and all reports of observers. */
import type { Clock, Store } from '@brokerwire/core'
import type { VirtualClock } from '@brokerwire/core/testing'
import { type Simulator, type SimulatorOptions, startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import { onTestFinished } from 'vitest'
import { type Brokerage, type BrokerageOptions, createBrokerage, rateLimiter } from '../index.ts'

/** A store that records each write, except the records of streams. */
export interface RecordingStore extends Store {
  readonly written: { readonly key: string; readonly text: string | undefined }[]
}

/** The service, the store, and brokerages that use them. All are closed at the end of the test. */
export interface SetUp {
  readonly simulator: Simulator
  readonly store: RecordingStore
  /** Reports of observers and of the hooks `onSecondFactor` and `onExpiring`. */
  readonly reports: unknown[]
  /** Number of pending HTTP attempts. */
  readonly busy: number
  open(more?: Partial<BrokerageOptions>): Brokerage
  /** Paths of the HTTP requests that arrived so far. */
  paths(): string[]
}

function recordingStore(): RecordingStore {
  const store = createMemoryStore()
  const written: { key: string; text: string | undefined }[] = []
  return {
    ...store,
    written,
    async compareAndSet(key, expected, next) {
      const isWritten = await store.compareAndSet(key, expected, next)
      if (isWritten && !key.startsWith('trade-cursor/')) written.push({ key, text: next })
      return isWritten
    },
  }
}

/** A short interval, because these tests wait in real time. */
const POLL_INTERVAL_MS = 10

export async function startSetUp(options: SimulatorOptions = {}): Promise<SetUp> {
  const simulator = await startSimulator({ rateLimit: false, ...options })
  onTestFinished(() => simulator.close())
  const store = recordingStore()
  const reports: unknown[] = []
  const record = (item: unknown): void => {
    reports.push(item)
  }
  let busy = 0
  return {
    simulator,
    store,
    reports,
    get busy() {
      return busy
    },
    open(more = {}) {
      const { region, environment, credentials, baseUrl, eventsUrl, moduleEventsUrl } = simulator
      const { onHttpAttempt, onHttpAttemptEnd } = more.observer ?? {}
      const brokerage = createBrokerage({
        region,
        environment,
        ...credentials,
        store,
        clock: options.clock,
        plugins: options.clock === undefined ? [rateLimiter({ limit: 10_000 })] : [],
        ...more,
        overrides: { baseUrl, eventsUrl, moduleEventsUrl, ...more.overrides },
        observer: {
          onTokenCall: record,
          onTokenResponseIssue: record,
          onTokenState: record,
          onTokenSecondFactor: record,
          ...more.observer,
          onHttpAttempt(attempt) {
            busy += 1
            record(attempt)
            return onHttpAttempt?.(attempt)
          },
          onHttpAttemptEnd(end) {
            busy -= 1
            record(end)
            return onHttpAttemptEnd?.(end)
          },
        },
        tokens: {
          ...(options.clock === undefined ? { pollIntervalMs: POLL_INTERVAL_MS } : {}),
          onSecondFactor: record,
          onExpiring: record,
          ...more.tokens,
        },
      })
      onTestFinished(() => brokerage.close())
      return brokerage
    },
    paths: () =>
      simulator
        .requests()
        .filter(({ protocol }) => protocol === 'http')
        .map(({ path }) => path),
  }
}

/** The error that a promise rejects with. */
export function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'no error',
    (error: unknown) => error,
  )
}

/** Reads items until one has this kind. */
export async function until<Item extends { readonly kind: string }>(
  stream: AsyncIterator<Item, unknown>,
  kind: string,
): Promise<Item> {
  for (;;) {
    const result = await stream.next()
    if (result.done) throw new Error(`the stream ended before ${kind}`)
    if (result.value.kind === kind) return result.value
  }
}

/** The host's clock with an offset, in milliseconds. */
export function wrongClock(clock: Clock, offsetMs: number): Clock {
  return { now: () => clock.now() + offsetMs, setTimer: clock.setTimer.bind(clock) }
}

/** After this many turns without a pending request, all work waits for timers. */
const QUIET_TURNS = 20

/**
 * Advances virtual time until the promise settles. Sockets take real time, so the clock does not advance during a request.
 *
 * @returns The value or the error of the promise.
 */
export async function passTime<T>(
  setUp: Pick<SetUp, 'busy'>,
  clock: VirtualClock,
  promise: Promise<T>,
): Promise<T | unknown> {
  let settled = false
  const result = promise
    .catch((error: unknown) => error)
    .finally(() => {
      settled = true
    })
  let quiet = 0
  while (!settled) {
    await new Promise((resolve) => setImmediate(resolve))
    quiet = setUp.busy === 0 ? quiet + 1 : 0
    if (quiet < QUIET_TURNS) continue
    quiet = 0
    await clock.advanceToNextTimer()
  }
  return result
}
