/** The feed of the simulator. It reconnects by itself, because the simulator may be restarted at any time. */
import { batch } from '@preact/signals'
import { nextRates } from './rates.ts'
import { appendRows, PAGE_BOUNDS } from './rows.ts'
import { type FeedMessage, readMessages } from './server-sent.ts'
import { beginSession, keyHeaders } from './session.ts'
import {
  type ConnectionState,
  connectionState,
  events,
  hello,
  parseRoute,
  prices,
  rates,
  requests,
  resetRun,
  route,
  setClock,
  skippedEvents,
  state,
  tickClock,
} from './store.ts'
import type { ConsoleFeed } from './wire.ts'

/** Delay before the next attempt to connect. */
const RECONNECT_DELAY_MS = 1000
/** Time without a message after which the connection is closed. The simulator sends a message every ten seconds. */
const STALL_TIMEOUT_MS = 25_000

/** Aborts the current connection. */
let connection = new AbortController()
let wake = (): void => undefined
let lastMessageAtMs = Date.now()
let lastId = ''
let counted = { events: 0, requests: 0 }
/**
 * Whether the next state is the first one of a connection. If so, the rates start from the counts of that
 * state, because the page has missed earlier events.
 */
let isFirstState = true

/** Opens the feed and updates the clock every second, as long as the page is open. */
export function startFeed(): void {
  addEventListener('hashchange', () => {
    route.value = parseRoute()
    // If the user opens the printed address in a tab that already shows the page, only the fragment changes.
    if (location.hash.startsWith('#token=')) void beginSession().then(reconnect)
  })
  // A browser allows only six connections to a host, so hidden pages close their connections.
  document.addEventListener('visibilitychange', reconnect)
  setInterval(() => {
    tickClock()
    const now = { events: state.value?.eventCount ?? 0, requests: state.value?.requestCount ?? 0 }
    rates.value = nextRates(rates.value, counted, now)
    counted = now
    if (isVisible() && Date.now() - lastMessageAtMs > STALL_TIMEOUT_MS) {
      connectionState.value = 'offline'
      reconnect()
    }
  }, 1000)
  void runFeed()
}

const isVisible = (): boolean => document.visibilityState !== 'hidden'

/**
 * Closes the connection. The next one is opened immediately if the page is visible, otherwise when the page
 * becomes visible.
 */
function reconnect(): void {
  lastMessageAtMs = Date.now()
  connection.abort()
  wake()
}

async function runFeed(): Promise<never> {
  for (;;) {
    connection = new AbortController()
    const { signal } = connection
    if (isVisible()) {
      isFirstState = true
      const ended = await connect(signal)
      // If the connection was aborted, the caller that aborted it has set the state.
      if (!signal.aborted) connectionState.value = ended
    }
    await new Promise<void>((resolve) => {
      wake = resolve
      if (signal.aborted && isVisible()) resolve()
      else if (isVisible()) setTimeout(resolve, RECONNECT_DELAY_MS)
    })
  }
}

/**
 * Reads the feed until the connection ends.
 *
 * @returns The new state of the connection.
 */
async function connect(signal: AbortSignal): Promise<ConnectionState> {
  try {
    const headers = { ...keyHeaders(), ...(lastId === '' ? {} : { 'last-event-id': lastId }) }
    const response = await fetch('api/feed', { headers, signal })
    if (response.status === 401) return 'unauthorized'
    if (response.status === 503) return 'full'
    if (response.ok && response.body !== null) await readMessages(response.body, handleMessage)
  } catch {
    // The simulator is not running, or has stopped.
  }
  return 'offline'
}

function handleMessage({ name, id, data }: FeedMessage): void {
  lastMessageAtMs = Date.now()
  if (id !== undefined) lastId = id
  batch(() => HANDLERS[name as keyof ConsoleFeed]?.(JSON.parse(data) as never))
}

const HANDLERS: { readonly [Name in keyof ConsoleFeed]: (data: ConsoleFeed[Name]) => void } = {
  hello(data) {
    connectionState.value = 'open'
    if (hello.value?.epoch !== data.epoch) resetRun()
    hello.value = data
  },
  state(data) {
    state.value = data
    setClock(data.clock)
    if (isFirstState) counted = { events: data.eventCount, requests: data.requestCount }
    isFirstState = false
  },
  prices(data) {
    prices.value = data
  },
  events({ entries, skipped }) {
    events.value = appendRows(events.value, entries, PAGE_BOUNDS)
    skippedEvents.value += skipped
  },
  requests({ entries }) {
    requests.value = appendRows(requests.value, entries, PAGE_BOUNDS)
  },
}
