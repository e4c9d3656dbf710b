/** The demo of market data on a local service: a token, a table of prices, a lost connection, and the reported gap. */
import { createBrokerage } from '@brokerwire/client'
import type { QuotesItem } from '@brokerwire/quotes'
import { startSimulator } from '@brokerwire/simulator'
import { CliError } from '../cli-error.ts'
import { EXIT, getStopStatus } from '../exit-status.ts'
import type { Io } from '../io.ts'
import { quoteNoticeLine } from '../listen/quote-line.ts'
import { LiveTable, QuoteTable } from '../listen/quote-table.ts'
import { renderLine } from '../render/line.ts'
import { createPaint, type Tone } from '../render/palette.ts'
import { consoleAddress, serviceLines } from '../render/service-lines.ts'
import { consoleFile } from '../settings/paths.ts'

/** Options of {@link runQuotesDemo}. */
export interface QuotesDemoOptions {
  /** Continue until stopped, and print addresses and credentials of the local service. */
  readonly keep: boolean
  /** Milliseconds between two price moves. @defaultValue 100 */
  readonly stepMs?: number | undefined
  /** Number of messages before the connection is lost, and after the reconnect. @defaultValue 60 */
  readonly messages?: number | undefined
}

const SYMBOLS = ['AAPL', 'TSLA', 'NVDA', 'MSFT'] as const

/** Observed results, which are compared with the expected ones at the end. */
interface Observations {
  before: number
  after: number
  gaps: number
  subscribed: number
}

/**
 * Runs the demo.
 *
 * @returns Exit status: 0 if all checks passed. With `keep` it is also 0 if the demo is stopped after its
 * last message. 130 or 143 if the demo is stopped before that.
 * @throws CliError `CLI_DEMO_FAILED` if a check failed.
 */
export async function runQuotesDemo(options: QuotesDemoOptions, io: Io): Promise<number> {
  const paint = createPaint(io.color)
  const line = (tag: string, text: string, tone: Tone = 'strong'): string =>
    renderLine({ at: Date.now(), tag, text, tone }, paint)
  await using simulator = await startSimulator({
    environment: 'sandbox',
    control: options.keep,
    console: options.keep,
    consoleFile: options.keep ? consoleFile(io.env) : undefined,
    quotes: { stepMs: options.stepMs ?? 100 },
  })
  const market = simulator.quotes
  if (market === undefined) throw new TypeError('the local service has no market data')
  io.out(line('service', `the local service runs in sandbox mode at ${simulator.baseUrl}`))
  if (options.keep) {
    for (const shown of serviceLines(simulator)) io.out(shown)
    io.out(line('console', `open ${consoleAddress(simulator)}`))
  }
  await using brokerage = createBrokerage(simulator.brokerageOptions())
  await brokerage.accessTokens.get({ signal: io.signal })
  io.out(line('token', 'NORMAL', 'good'))

  const quotes = brokerage.quotes({ signal: io.signal })
  quotes.set({ symbols: SYMBOLS, types: ['snapshot', 'quote'], category: 'US_STOCK' })
  const table = new QuoteTable(SYMBOLS)
  const live = io.isOutTerminal ? new LiveTable(io.out) : undefined
  /** Prints a line. On a terminal it appears above the table. */
  const printLine = (text: string): void =>
    live === undefined ? io.out(text) : live.draw(table.lines(Date.now()), text)
  /** Prints the table if there is no terminal: once before the connection is lost, and once at the end. */
  const printTable = (): void => {
    if (live === undefined) for (const row of table.lines(Date.now())) io.out(row)
  }

  const messages = options.messages ?? 60
  const observed: Observations = { before: 0, after: 0, gaps: 0, subscribed: 0 }
  /** @returns Whether the demo is complete. */
  const handleItem = (item: QuotesItem): boolean => {
    if (item.type === 'notice') {
      if (item.kind === 'gap') observed.gaps += 1
      if (item.kind === 'subscribed') observed.subscribed += 1
      printLine(line('quotes', quoteNoticeLine(item), item.kind === 'subscribed' ? 'good' : 'notice'))
      return false
    }
    if (item.type !== 'message') return false
    if (table.update(item)) live?.draw(table.lines(item.receivedAtMs))
    if (observed.gaps > 0) observed.after += 1
    else observed.before += 1
    if (observed.before === messages && observed.gaps === 0 && observed.subscribed === 1) {
      printTable()
      printLine(line('network', 'the connection is lost', 'bad'))
      market.drop()
    }
    return observed.after === messages
  }
  try {
    for await (const item of quotes) {
      if (!handleItem(item)) continue
      printTable()
      if (!options.keep) break
    }
  } catch (error) {
    if (!io.signal.aborted) throw error
    if (options.keep && observed.after >= messages) return EXIT.done
    printLine(line('stopped', 'before the end', 'notice'))
    return getStopStatus(io.signal.reason)
  }
  return checkObservations(observed, quotes.lastReceived())
}

function checkObservations(seen: Observations, received: ReadonlyMap<string, number | undefined>): number {
  const silent = [...received].flatMap(([symbol, atMs]) => (atMs === undefined ? [symbol] : []))
  const failed = [
    ...(seen.subscribed === 2 ? [] : ['two subscriptions, one after the connection was lost']),
    ...(seen.gaps === 1 ? [] : ['one gap']),
    ...silent.map((symbol) => `a price of ${symbol}`),
  ]
  if (failed.length === 0) return EXIT.done
  throw new CliError('CLI_DEMO_FAILED', `the demo did not observe: ${failed.join('; ')}`, {
    details: { expected: failed },
  })
}
