/** Reads the feed, and comes back by itself: the simulator may be started anew at any time. */
import { batch } from '@preact/signals'
import { nextRates } from './rates.ts'
import { appendRows, PAGE_BOUNDS } from './rows.ts'
import {
  countOn,
  events,
  forgetRun,
  hello,
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

/** Opens the feed and counts the seconds, for as long as the page is there. */
export function startFeed(): void {
  addEventListener('hashchange', () => {
    place.value = readPlace()
  })
  let counted = { events: 0, requests: 0 }
  setInterval(() => {
    countOn()
    const now = { events: state.value?.eventCount ?? 0, requests: state.value?.requestCount ?? 0 }
    rates.value = nextRates(rates.value, counted, now)
    counted = now
  }, 1000)
  connect(() => {
    counted = { events: state.value?.eventCount ?? 0, requests: state.value?.requestCount ?? 0 }
  })
}

/** @param onAnew - Called with the first state of another run. */
function connect(onAnew: () => void): void {
  const source = new EventSource('api/feed')
  let isFirst = true
  const on = <Name extends keyof ConsoleFeed>(name: Name, take: (data: ConsoleFeed[Name]) => void): void =>
    source.addEventListener(name, (message: MessageEvent<string>) => {
      batch(() => take(JSON.parse(message.data) as ConsoleFeed[Name]))
    })
  on('hello', (data) => {
    link.value = 'open'
    if (hello.value?.epoch !== data.epoch) {
      forgetRun()
      isFirst = true
    }
    hello.value = data
  })
  on('state', (data) => {
    state.value = data
    setClock(data.clock)
    if (isFirst) onAnew()
    isFirst = false
  })
  on('events', ({ entries, skipped }) => {
    events.value = appendRows(events.value, entries, PAGE_BOUNDS)
    skippedEvents.value += skipped
  })
  on('requests', ({ entries }) => {
    requests.value = appendRows(requests.value, entries, PAGE_BOUNDS)
  })
  source.onerror = () => {
    // The browser comes back by itself unless it was refused; then the reason is asked for.
    if (source.readyState !== EventSource.CLOSED) {
      link.value = 'away'
      return
    }
    fetch('api/request?index=0').then(
      ({ status }) => {
        link.value = status === 401 ? 'refused' : 'away'
      },
      () => {
        link.value = 'away'
      },
    )
    setTimeout(() => connect(onAnew), AGAIN_MS)
  }
}
