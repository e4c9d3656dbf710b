/**
 * The console's live feed of server-sent events. The feed has no buffer for a page. It stores a position in
 * each log for each page, and continues at that position when the connection has drained. Entries that a slow
 * page missed are skipped and counted.
 */
import type { ServerResponse } from 'node:http'
import type { App } from '../apps/app.ts'
import { describeEvent, describeLoggedRequest } from './console-entries.ts'
import { type ConsoleSources, describeConsole, describeState } from './console-state.ts'
import { describePrices } from './console-trading.ts'
import type { ConsoleBatch, ConsoleEvent, ConsoleRequest } from './wire.ts'

/** Interval of updates, by the host's clock. */
const UPDATE_INTERVAL_MS = 200
/** Maximum number of entries of each kind in one message. */
const MAX_ENTRIES = 250
/** Maximum time without a message. If a page receives nothing for longer, its connection is lost. */
const KEEP_ALIVE_MS = 10_000
/** Maximum number of open pages. */
const MAX_PAGES = 8

/** The feed. */
export interface Feed {
  /** Serves a page until it disconnects. @returns `false` if too many pages are open. */
  open(response: ServerResponse, lastEventId: string | undefined): boolean
  /** Closes all feeds. */
  close(): void
}

interface Page {
  readonly response: ServerResponse
  readonly positions: Map<string, number>
  stateText: string
  stateWrittenAtMs: number
  pricesText: string
}

/** Creates a feed without pages. @param epoch - Identifies this run of the simulator. */
export function createFeed(sources: ConsoleSources, epoch: string): Feed {
  const pages = new Set<Page>()
  let timer: ReturnType<typeof setInterval> | undefined

  /** Describes the state and the prices. They are the same for all pages. */
  const takeSnapshot = () => {
    const state = describeState(sources)
    const prices = sources.trading && describePrices(sources.trading, sources.apps)
    return {
      state,
      // If only the time of a running clock has changed, no message is sent, because the page advances its own
      // clock. The page gets the clock's offset again after `KEEP_ALIVE_MS` at the latest.
      stateText: JSON.stringify({ ...state, clock: state.clock.offsetMs ?? state.clock }),
      prices,
      pricesText: JSON.stringify(prices ?? null),
    }
  }

  const sendUpdates = (page: Page, snapshot: ReturnType<typeof takeSnapshot>): void => {
    const { response } = page
    const { state, stateText, prices, pricesText } = snapshot
    // If the connection has not drained yet, the page reads too slowly. It gets no update this time.
    if (response.writableNeedDrain) return
    const nowMs = performance.now()
    let text = ''
    const add = (name: string, data: unknown): void => {
      text += `event: ${name}\nid: ${encodePositions(epoch, page.positions)}\ndata: ${JSON.stringify(data)}\n\n`
    }
    const events = readNewEvents(sources, page.positions)
    if (events.entries.length > 0) add('events', events)
    const requests = readNewRequests(sources, page.positions)
    if (requests.entries.length > 0) add('requests', requests)
    if (stateText !== page.stateText || nowMs - page.stateWrittenAtMs > KEEP_ALIVE_MS) {
      add('state', state)
      page.stateText = stateText
      page.stateWrittenAtMs = nowMs
    }
    if (prices !== undefined && pricesText !== page.pricesText) add('prices', prices)
    page.pricesText = pricesText
    if (text !== '') response.write(text)
  }

  return {
    open(response, lastEventId) {
      if (pages.size >= MAX_PAGES) return false
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      const page: Page = {
        response,
        positions: initialPositions(sources, epoch, lastEventId),
        stateText: '',
        stateWrittenAtMs: 0,
        pricesText: '',
      }
      pages.add(page)
      response.once('close', () => {
        pages.delete(page)
        if (pages.size > 0) return
        clearInterval(timer)
        timer = undefined
      })
      response.write(`event: hello\ndata: ${JSON.stringify(describeConsole(epoch))}\n\n`)
      sendUpdates(page, takeSnapshot())
      if (timer === undefined) {
        timer = setInterval(() => {
          const snapshot = takeSnapshot()
          for (const each of pages) sendUpdates(each, snapshot)
        }, UPDATE_INTERVAL_MS)
        timer.unref()
      }
      return true
    },
    close() {
      clearInterval(timer)
      for (const { response } of pages) response.end()
    },
  }
}

const getLogs = (app: App) => [
  { name: `${app.settings.name} trade`, log: app.tradeLog },
  { name: `${app.settings.name} module`, log: app.moduleLog },
]

/**
 * Returns the positions of a page in the logs. If the page's Last-Event-ID is from this run, the page
 * continues there. Otherwise it begins near the end of each log.
 */
function initialPositions(
  { apps, requestLog }: ConsoleSources,
  epoch: string,
  id: string | undefined,
): Map<string, number> {
  const known = id?.startsWith(`${epoch} `)
    ? id
        .slice(epoch.length + 1)
        .split(' ')
        .map(Number)
    : []
  const ends = [
    ...apps.all.flatMap(getLogs).map(({ name, log }) => [name, log.end] as const),
    ['requests', requestLog.total] as const,
  ]
  return new Map(
    ends.map(([name, end], index) => {
      const position = known[index]
      const isValid =
        position !== undefined && Number.isSafeInteger(position) && position >= 0 && position <= end
      return [name, isValid ? position : Math.max(0, end - MAX_ENTRIES)]
    }),
  )
}

const encodePositions = (epoch: string, positions: ReadonlyMap<string, number>): string =>
  [epoch, ...positions.values()].join(' ')

/**
 * Moves a position to the end of a log.
 *
 * @returns The position at which reading begins, and the number of entries that are skipped before it.
 */
function advancePosition(
  positions: Map<string, number>,
  name: string,
  { start, end }: { readonly start: number; readonly end: number },
): { readonly from: number; readonly skipped: number } {
  const position = positions.get(name) ?? end
  positions.set(name, end)
  const from = Math.max(position, start, end - MAX_ENTRIES)
  return { from, skipped: from - position }
}

function readNewEvents({ apps }: ConsoleSources, positions: Map<string, number>): ConsoleBatch<ConsoleEvent> {
  const entries: ConsoleEvent[] = []
  let skipped = 0
  for (const app of apps.all) {
    for (const { name, log } of getLogs(app)) {
      const passed = advancePosition(positions, name, log)
      skipped += passed.skipped
      for (let index = passed.from; index < log.end; index += 1) {
        const event = log.at(index)
        if (event !== undefined) entries.push(describeEvent(app, index, event))
      }
    }
  }
  return { entries: entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)), skipped }
}

function readNewRequests(
  { apps, requestLog }: ConsoleSources,
  positions: Map<string, number>,
): ConsoleBatch<ConsoleRequest> {
  const end = requestLog.total
  const { from, skipped } = advancePosition(positions, 'requests', { start: requestLog.start, end })
  const entries: ConsoleRequest[] = []
  for (let index = from; index < end; index += 1) {
    const request = requestLog.at(index)
    if (request !== undefined)
      entries.push(describeLoggedRequest(index, request, (key) => apps.of(key).settings.name))
  }
  return { entries, skipped }
}
