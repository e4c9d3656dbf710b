/** Reads the feed, and comes back by itself: the simulator may be started anew at any time. */
import { batch } from '@preact/signals'
import { nextRates } from './rates.ts'
import { appendRows, PAGE_BOUNDS } from './rows.ts'
import { type FeedMessage, readMessages } from './server-sent.ts'
import { beginSession, keyHeaders } from './session.ts'
import {
  countOn,
  events,
  forgetRun,
  hello,
  type Link,
  link,
  place,
  rates,
  readPlace,
  requests,
  setClock,
  skippedEvents,
  state,
} from './store.ts'
import type { ConsoleFeed } from './wire.ts'

/** Between two tries. */
const AGAIN_MS = 1000
/** The simulator says something every ten seconds: after so long it hangs, though its connection stands. */
const SILENT_MS = 25_000

/** The connection that is open or being opened. */
let connection = new AbortController()
let goOn = (): void => undefined
let heardAtMs = Date.now()
let lastId = ''
let counted = { events: 0, requests: 0 }
/** The rates begin anew with the next state: what was missed did not happen in this second. */
let isFirstState = true

/** Opens the feed and counts the seconds, for as long as the page is there. */
export function startFeed(): void {
  addEventListener('hashchange', () => {
    place.value = readPlace()
    // The address that was printed, opened where the page stands already.
    if (location.hash.startsWith('#token=')) void beginSession().then(reconnect)
  })
  // A browser has six connections for all pages of a host: those that nobody sees leave theirs to the others.
  document.addEventListener('visibilitychange', reconnect)
  setInterval(() => {
    countOn()
    const now = { events: state.value?.eventCount ?? 0, requests: state.value?.requestCount ?? 0 }
    rates.value = nextRates(rates.value, counted, now)
    counted = now
    if (isSeen() && Date.now() - heardAtMs > SILENT_MS) {
      link.value = 'away'
      reconnect()
    }
  }, 1000)
  void follow()
}

const isSeen = (): boolean => document.visibilityState !== 'hidden'

/** Ends the connection; the next one is opened at once, or when the page is seen again. */
function reconnect(): void {
  heardAtMs = Date.now()
  connection.abort()
  goOn()
}

async function follow(): Promise<never> {
  for (;;) {
    connection = new AbortController()
    const { signal } = connection
    if (isSeen()) {
      isFirstState = true
      const ended = await connect(signal)
      // Whoever ended it from here knows how the link is.
      if (!signal.aborted) link.value = ended
    }
    await new Promise<void>((resolve) => {
      goOn = resolve
      if (signal.aborted && isSeen()) resolve()
      else if (isSeen()) setTimeout(resolve, AGAIN_MS)
    })
  }
}

/** Reads until the connection ends. @returns How the link is then. */
async function connect(signal: AbortSignal): Promise<Link> {
  try {
    const headers = { ...keyHeaders(), ...(lastId === '' ? {} : { 'last-event-id': lastId }) }
    const response = await fetch('api/feed', { headers, signal })
    if (response.status === 401) return 'refused'
    if (response.status === 503) return 'full'
    if (response.ok && response.body !== null) await readMessages(response.body, take)
  } catch {
    // Nobody there, or gone.
  }
  return 'away'
}

function take({ name, id, data }: FeedMessage): void {
  heardAtMs = Date.now()
  if (id !== undefined) lastId = id
  batch(() => TAKE[name as keyof ConsoleFeed]?.(JSON.parse(data) as never))
}

const TAKE: { readonly [Name in keyof ConsoleFeed]: (data: ConsoleFeed[Name]) => void } = {
  hello(data) {
    link.value = 'open'
    if (hello.value?.epoch !== data.epoch) forgetRun()
    hello.value = data
  },
  state(data) {
    state.value = data
    setClock(data.clock)
    if (isFirstState) counted = { events: data.eventCount, requests: data.requestCount }
    isFirstState = false
  },
  events({ entries, skipped }) {
    events.value = appendRows(events.value, entries, PAGE_BOUNDS)
    skippedEvents.value += skipped
  },
  requests({ entries }) {
    requests.value = appendRows(requests.value, entries, PAGE_BOUNDS)
  },
}
