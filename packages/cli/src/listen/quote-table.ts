/**
 * Table of the latest prices. On a terminal it is printed again at the same position, below a log of notices.
 */
import { escapeControlChars } from '@brokerwire/core'
import type { QuotesMessage } from '@brokerwire/quotes'

/** A row of the table, for one symbol. */
interface Row {
  price: string
  change: string
  bid: string
  ask: string
  volume: string
  atMs: number | undefined
}

const HEADERS = ['symbol', 'price', 'change', 'bid', 'ask', 'volume', 'age'] as const
const EMPTY_CELL = '-'
/** Maximum length of a value, because the service chooses the values. A longer one is not a price. */
const MAX_CELL_CHARACTERS = 24

/** Formats a fraction as a percentage: 0.0111 is 1.11 %. Other text is unchanged. */
function percent(share: string | undefined): string {
  if (share === undefined) return EMPTY_CELL
  const value = Number(share)
  return Number.isFinite(value) ? `${value > 0 ? '+' : ''}${(value * 100).toFixed(2)} %` : share
}

/** Content of the table: the latest values of each symbol. */
export class QuoteTable {
  readonly #rows = new Map<string, Row>()

  /** @param symbols - Symbols that have a row from the start, in this order. */
  constructor(symbols: readonly string[]) {
    for (const symbol of symbols) this.#rows.set(symbol, this.#row())
  }

  #row(): Row {
    return {
      price: EMPTY_CELL,
      change: EMPTY_CELL,
      bid: EMPTY_CELL,
      ask: EMPTY_CELL,
      volume: EMPTY_CELL,
      atMs: undefined,
    }
  }

  /** @returns Whether the table has changed. */
  update(message: QuotesMessage): boolean {
    const row = this.#rows.get(message.symbol ?? '')
    if (row === undefined) return false
    switch (message.kind) {
      case 'snapshot': {
        const decoded = message.decode()
        if (!decoded.ok) return false
        const { price, changeRatio, volume } = decoded.value
        Object.assign(row, {
          price: price ?? row.price,
          change: percent(changeRatio),
          volume: volume ?? row.volume,
        })
        break
      }
      case 'quote': {
        const decoded = message.decode()
        if (!decoded.ok) return false
        row.bid = decoded.value.bids[0]?.price ?? EMPTY_CELL
        row.ask = decoded.value.asks[0]?.price ?? EMPTY_CELL
        break
      }
      case 'tick': {
        const decoded = message.decode()
        if (!decoded.ok) return false
        row.price = decoded.value.price ?? row.price
        break
      }
      case 'event-snapshot': {
        const decoded = message.decode()
        if (!decoded.ok) return false
        const { price, yesBid, yesAsk, volume } = decoded.value
        Object.assign(row, {
          price: price ?? row.price,
          bid: yesBid ?? EMPTY_CELL,
          ask: yesAsk ?? EMPTY_CELL,
        })
        row.volume = volume ?? row.volume
        break
      }
      default:
        return false
    }
    row.atMs = message.receivedAtMs
    return true
  }

  /** @param nowMs - Current time, for the age of each row. */
  lines(nowMs: number): readonly string[] {
    const age = (atMs: number | undefined): string =>
      atMs === undefined ? EMPTY_CELL : `${Math.max(0, Math.floor((nowMs - atMs) / 1000))}s`
    const cells = [...this.#rows].map(([symbol, { price, change, bid, ask, volume, atMs }]) =>
      [symbol, price, change, bid, ask, volume, age(atMs)].map((cell) =>
        escapeControlChars(cell, MAX_CELL_CHARACTERS),
      ),
    )
    const all: readonly (readonly string[])[] = [HEADERS, ...cells]
    const widths = HEADERS.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
    return all.map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
  }
}

const UP = (lines: number): string => (lines === 0 ? '' : `\u001b[${lines}A`)
const CLEAR_LINE = '\u001b[K'

/** Prints a table repeatedly at the same position. */
export class LiveTable {
  readonly #out: (line: string) => void
  #drawnLines = 0

  /** @param out - Writes a line to the terminal. */
  constructor(out: (line: string) => void) {
    this.#out = out
  }

  /** @param above - A line that is printed above the table and stays there. */
  draw(table: readonly string[], above?: string | undefined): void {
    const lines = above === undefined ? table : [above, ...table]
    for (const [at, line] of lines.entries())
      this.#out(`${at === 0 ? UP(this.#drawnLines) : ''}${line}${CLEAR_LINE}`)
    this.#drawnLines = table.length
  }
}
