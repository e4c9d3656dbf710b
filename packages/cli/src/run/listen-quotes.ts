/** Runs `brokerwire listen quotes`: a live table on a terminal, JSON lines in a pipe. */
import type { QuotesItem, QuotesObserver, QuoteType } from '@brokerwire/quotes'
import { optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Invocation } from '../frame/definition.ts'
import { getHost } from '../get-host.ts'
import { getQuotesProgress, watchFirstConnection } from '../listen/first-connection.ts'
import { createLimits, getEarlyEndStatus, getEndStatus } from '../listen/limits.ts'
import { quoteJsonLine, quoteNoticeLine } from '../listen/quote-line.ts'
import { LiveTable, QuoteTable } from '../listen/quote-table.ts'
import { parseList, type SettingFlags } from '../settings/read-settings.ts'
import { receivedText } from '../suggestion.ts'
import { openTokens } from '../token/open.ts'
import { requireToken } from '../token/usable.ts'

export interface QuoteFlags extends SettingFlags {
  readonly count?: number
  readonly timeout?: string
  readonly maxAttempts: number
  readonly verbose?: boolean
  readonly create?: boolean
  readonly json?: boolean
  readonly symbols?: string
  readonly category: string
  readonly types: string
}

const TYPES: readonly string[] = ['quote', 'snapshot', 'tick'] satisfies readonly QuoteType[]

function parseTypes(text: string): readonly QuoteType[] {
  const types = parseList(text)
  if (types.length > 0 && types.every((type) => TYPES.includes(type))) return types as readonly QuoteType[]
  const wrong = types.find((type) => !TYPES.includes(type)) ?? ''
  throw optionError(
    '--types',
    `must be ${TYPES.join(', ')}, separated by commas${receivedText(wrong, TYPES)}`,
  )
}

/** Listens to market data until stopped. */
export async function listenQuotes({ flags, io }: Invocation<QuoteFlags>): Promise<number> {
  const symbols = parseList(flags.symbols ?? '')
  if (flags.symbols !== undefined && symbols.length === 0)
    throw optionError('--symbols', 'must be symbols separated by commas, such as AAPL,TSLA; received none')
  const types = parseTypes(flags.types)
  const limits = createLimits(flags, io)
  const missing = flags.symbols === undefined ? [{ name: 'symbols', flag: '--symbols <list>' }] : []
  const onQuotesState: QuotesObserver['onQuotesState'] = ({ connection, phase, attempt }) => {
    if (flags.verbose && phase === 'opening')
      io.err(
        `quotes connection ${connection}: attempt ${attempt} to ${getHost(tokens.brokerage.endpoint.mqttUrl)}`,
      )
  }
  await using tokens = await openTokens(flags, io, { observer: { onQuotesState } }, { missing })
  const quotes = tokens.brokerage.quotes({ signal: limits.signal })
  // The host is read here, after the client has validated the address.
  const host = getHost(tokens.brokerage.endpoint.mqttUrl)
  quotes.set({ symbols, types, category: flags.category })
  // Like `request`, this command does not start a second factor by itself.
  const context = { flags, limits, io }
  const ended = await requireToken(tokens, flags, { ...io, signal: limits.signal }).catch((error: unknown) =>
    getEarlyEndStatus(error, flags.count, 'messages', context),
  )
  if (ended !== undefined) return ended
  const show = flags.json || !io.isOutTerminal ? printLines(io.out) : printTable(symbols, io.out)
  const watch = watchFirstConnection(flags.maxAttempts, host)
  let remaining = flags.count ?? Number.POSITIVE_INFINITY
  try {
    for await (const item of quotes) {
      show(item)
      if (item.type === 'message') remaining -= 1
      if (remaining <= 0) return EXIT.done
      watch(getQuotesProgress(item))
    }
    return EXIT.done
  } catch (error) {
    return getEndStatus(error, remaining, 'messages', context)
  }
}

type Show = (item: QuotesItem) => void

const printLines =
  (out: (line: string) => void): Show =>
  (item) =>
    out(quoteJsonLine(item))

function printTable(symbols: readonly string[], out: (line: string) => void): Show {
  const table = new QuoteTable(symbols)
  const live = new LiveTable(out)
  return (item) => {
    if (item.type === 'notice') live.draw(table.lines(item.atMs), quoteNoticeLine(item))
    else if (item.type === 'message' && table.update(item)) live.draw(table.lines(item.receivedAtMs))
  }
}
