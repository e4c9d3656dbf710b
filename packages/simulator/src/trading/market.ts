/** The market of an app: prices at each time step, prices that a test sets, and trading hours. */
import type { Instrument } from '../wire/instruments.ts'
import type { Calendar, MarketHours } from './market-hours.ts'
import { FILL_PERCENT } from './matching.ts'
import { type Book, bookAround, createPricePath, type PricePath } from './price-path.ts'

/** Values of `use` for the independent random sequences of a price path. */
export const DRAWS = { percent: 0, size: 1, volume: 2, side: 3 } as const

export interface MarketOptions {
  readonly seed: number
  /** Length of a time step in milliseconds. */
  readonly stepMs: number
  readonly hours: MarketHours
  readonly calendar: Calendar
}

export class SimulatedMarket {
  readonly stepMs: number
  readonly calendar: Calendar
  hours: MarketHours
  readonly #seed: number
  readonly #paths = new Map<string, PricePath>()
  readonly #fixed = new Map<string, number>()

  constructor({ seed, stepMs, hours, calendar }: MarketOptions) {
    this.#seed = seed
    this.stepMs = stepMs
    this.hours = hours
    this.calendar = calendar
  }

  /** Returns the step that contains a time. */
  stepAt(atMs: number): number {
    return Math.floor(atMs / this.stepMs)
  }

  /** Returns the time at which a step begins. */
  getStartMs(step: number): number {
    return step * this.stepMs
  }

  isOpen(atMs: number): boolean {
    return this.calendar.isOpen(this.hours, atMs)
  }

  /**
   * Returns the price path of an instrument. All paths are stored, because an app has a limited number of
   * instruments.
   */
  getPath({ symbol, priceCents }: Instrument): PricePath {
    const known = this.#paths.get(symbol)
    if (known !== undefined) return known
    const path = createPricePath(this.#seed, symbol, priceCents)
    this.#paths.set(symbol, path)
    return path
  }

  /**
   * Returns the price at a step, in cents. It is the price that a test has set, or else the price of the
   * path.
   */
  priceAt(instrument: Instrument, step: number): number {
    return this.#fixed.get(instrument.symbol) ?? this.getPath(instrument).priceAt(step)
  }

  bookAt(instrument: Instrument, step: number): Book {
    return bookAround(this.priceAt(instrument, step))
  }

  /** Returns the part of an order's whole quantity that a step fills, in percent. */
  percentAt(instrument: Instrument, step: number): number {
    return this.getPath(instrument).draw(step, DRAWS.percent, FILL_PERCENT.min, FILL_PERCENT.max)
  }

  /**
   * Sets the price of a symbol until it is set again.
   *
   * @param cents - The price. With `undefined` the price follows its path again.
   */
  setPrice(symbol: string, cents: number | undefined): void {
    if (cents === undefined) this.#fixed.delete(symbol)
    else this.#fixed.set(symbol, cents)
  }

  isFixed(symbol: string): boolean {
    return this.#fixed.has(symbol)
  }

  /**
   * Returns the first step from `from` to `to`, in trading hours, at which `acts` is true for the book of its
   * instrument. `undefined` if there is no such step.
   */
  findStep(
    from: number,
    to: number,
    watches: readonly { readonly instrument: Instrument; readonly acts: (book: Book) => boolean }[],
  ): number | undefined {
    const moving = watches.filter(({ instrument }) => !this.isFixed(instrument.symbol))
    const isFixedHit = watches.some(
      ({ instrument, acts }) => this.isFixed(instrument.symbol) && acts(this.bookAt(instrument, from)),
    )
    if (!isFixedHit && moving.length === 0) return undefined
    for (let step = from; step <= to; step += 1) {
      const startMs = this.getStartMs(step)
      const openMs = this.calendar.nextOpenMs(this.hours, startMs)
      if (openMs === undefined) return undefined
      if (openMs > startMs) {
        step = Math.ceil(openMs / this.stepMs) - 1
        continue
      }
      if (isFixedHit) return step
      if (moving.some(({ instrument, acts }) => acts(this.bookAt(instrument, step)))) return step
    }
    return undefined
  }
}
