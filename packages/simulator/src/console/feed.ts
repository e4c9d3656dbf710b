/**
 * The console's live feed of server-sent events.
 *
 * Nothing is queued for a page. The feed stores a position in each log for each page, and reads on from there once the
 * connection has drained. Entries that a slow page missed are skipped and counted.
 */
import type { ServerResponse } from 'node:http'
import type { App } from '../apps/app.ts'
import { describeEntry, describeEvent } from './console-entries.ts'
import { type ConsoleSources, consoleState, describeConsole } from './console-state.ts'
import type { ConsoleBatch, ConsoleEvent, ConsoleRequest } from './wire.ts'

/** Interval of updates, by the host's clock. */
const LOOK_MS = 200
/** Largest number of entries of each kind in one message. */
const MOST_ENTRIES = 250
/** Interval of comment lines, which detect a closed connection. */
const ALIVE_MS = 10_000
/** Largest number of open pages. */
const MOST_PAGES = 8

/** The feed. */
export interface Feed {
  /** Serves a page until it disconnects. @returns `false` if too many pages are open. */
  open(response: ServerResponse, lastEventId: string | undefined): boolean
  /** Closes all feeds. */
  close(): void
}

interface Page {
  readonly response: ServerResponse
  readonly places: Map<string, number>
  stateText: string
  writtenAtMs: number
}

/** Creates a feed without pages. @param epoch - Identifies this run of the simulator. */
export function createFeed(sources: ConsoleSources, epoch: string): Feed {
  const pages = new Set<Page>()
  let timer: ReturnType<typeof setInterval> | undefined

  const look = (page: Page): void => {
    const { response } = page
    // The connection has not drained yet: the page reads too slowly.
    if (response.writableNeedDrain) return
    const nowMs = performance.now()
    let text = ''
    const add = (name: string, data: unknown): void => {
      text += `event: ${name}\nid: ${lastIdOf(epoch, page.places)}\ndata: ${JSON.stringify(data)}\n\n`
    }
    const events = newEvents(sources, page.places)
    if (events.entries.length > 0) add('events', events)
    const requests = newRequests(sources, page.places)
    if (requests.entries.length > 0) add('requests', requests)
    const state = consoleState(sources)
    // A change of the time alone is not sent: the page counts on by itself and gets the offset once in a while.
    const stateText = JSON.stringify({ ...state, clock: state.clock.offsetMs ?? state.clock })
    if (stateText !== page.stateText || nowMs - page.writtenAtMs > ALIVE_MS) add('state', state)
    page.stateText = stateText
    if (text === '') return
    page.writtenAtMs = nowMs
    response.write(text)
  }

  return {
    open(response, lastEventId) {
      if (pages.size >= MOST_PAGES) return false
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      const page: Page = {
        response,
        places: placesOf(sources, epoch, lastEventId),
        stateText: '',
        writtenAtMs: 0,
      }
      pages.add(page)
      response.once('close', () => {
        pages.delete(page)
        if (pages.size > 0) return
        clearInterval(timer)
        timer = undefined
      })
      response.write(`event: hello\ndata: ${JSON.stringify(describeConsole(epoch))}\n\n`)
      look(page)
      if (timer === undefined) {
        timer = setInterval(() => {
          for (const each of pages) look(each)
        }, LOOK_MS)
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

const logsOf = (app: App) => [
  { name: `${app.settings.name} trade`, log: app.tradeLog },
  { name: `${app.settings.name} module`, log: app.moduleLog },
]

/** Positions of a page in the logs: from its Last-Event-ID if that is from this run; otherwise near the end. */
function placesOf(
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
    ...apps.all.flatMap(logsOf).map(({ name, log }) => [name, log.end] as const),
    ['requests', requestLog.total] as const,
  ]
  return new Map(
    ends.map(([name, end], index) => {
      const said = known[index]
      const isPlace = said !== undefined && Number.isSafeInteger(said) && said >= 0 && said <= end
      return [name, isPlace ? said : Math.max(0, end - MOST_ENTRIES)]
    }),
  )
}

const lastIdOf = (epoch: string, places: ReadonlyMap<string, number>): string =>
  [epoch, ...places.values()].join(' ')

/** Moves a position to the end of a log. @returns Where reading begins, and how many entries are skipped before. */
function goOn(
  places: Map<string, number>,
  name: string,
  { start, end }: { readonly start: number; readonly end: number },
): { readonly from: number; readonly skipped: number } {
  const place = places.get(name) ?? end
  places.set(name, end)
  const from = Math.max(place, start, end - MOST_ENTRIES)
  return { from, skipped: from - place }
}

function newEvents({ apps }: ConsoleSources, places: Map<string, number>): ConsoleBatch<ConsoleEvent> {
  const entries: ConsoleEvent[] = []
  let skipped = 0
  for (const app of apps.all) {
    for (const { name, log } of logsOf(app)) {
      const passed = goOn(places, name, log)
      skipped += passed.skipped
      for (let index = passed.from; index < log.end; index += 1) {
        const event = log.at(index)
        if (event !== undefined) entries.push(describeEvent(app, index, event))
      }
    }
  }
  return { entries: entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)), skipped }
}

function newRequests(
  { apps, requestLog }: ConsoleSources,
  places: Map<string, number>,
): ConsoleBatch<ConsoleRequest> {
  const end = requestLog.total
  const { from, skipped } = goOn(places, 'requests', { start: requestLog.start, end })
  const entries: ConsoleRequest[] = []
  for (let index = from; index < end; index += 1) {
    const request = requestLog.at(index)
    if (request !== undefined)
      entries.push(describeEntry(index, request, (key) => apps.of(key).settings.name))
  }
  return { entries, skipped }
}
