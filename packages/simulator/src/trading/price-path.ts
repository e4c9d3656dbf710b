/**
 * Simulated prices as a pure function of the seed, the symbol and the time step. Therefore the price at any
 * time in the past and in the future is known, and no history is stored. All prices are invented. A price is
 * the base price plus a sum of waves. A wave has a random height every `period` steps, and is linear in
 * between.
 */

/** Prices of one symbol. */
export interface PricePath {
  /** Returns the price at a step, in cents. */
  priceAt(step: number): number
  /**
   * Returns a random integer from `min` to `max` for a step, always the same for the same arguments. Each
   * `use` has an independent sequence.
   */
  draw(step: number, use: number, min: number, max: number): number
}

/** Best bid and best ask, in cents. */
export interface Book {
  readonly bidCents: number
  readonly askCents: number
}

/** The period of each wave, in steps, and its maximum height, in ten-thousandths of the base price. */
const WAVES = [
  [1, 3],
  [7, 6],
  [60, 15],
  [900, 40],
  [23_400, 120],
  [600_000, 500],
  [30_000_000, 1500],
] as const

/** Value of `heightAt` that corresponds to the maximum height of a wave. */
const HEIGHT = 1_000_000

/** Distance of the bid and of the ask from the price, in cents. */
const HALF_SPREAD_CENTS = 1

const LOWEST_CENTS = 2

/** Creates the price path of a symbol. @param baseCents - The price without waves. */
export function createPricePath(seed: number, symbol: string, baseCents: number): PricePath {
  let symbolSeed = seed >>> 0
  for (const char of symbol) symbolSeed = Math.imul(symbolSeed ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return {
    priceAt(step) {
      let change = 0
      for (const [index, [period, height]] of WAVES.entries()) {
        const from = Math.floor(step / period)
        const start = heightAt(symbolSeed, index, from)
        const end = heightAt(symbolSeed, index, from + 1)
        const offset = step - from * period
        const level = Math.trunc((start * (period - offset) + end * offset) / period)
        change += level * height
      }
      const cents = baseCents + Number((BigInt(baseCents) * BigInt(change)) / BigInt(HEIGHT * 10_000))
      return Math.max(LOWEST_CENTS, cents)
    },
    draw: (step, use, min, max) => min + (hash(symbolSeed, WAVES.length + use, step) % (max - min + 1)),
  }
}

/** Returns the bid and the ask for a price. */
export function bookAround(priceCents: number): Book {
  return { bidCents: priceCents - HALF_SPREAD_CENTS, askCents: priceCents + HALF_SPREAD_CENTS }
}

/** Returns the height of a wave after `index` periods, from -HEIGHT to HEIGHT. */
function heightAt(symbolSeed: number, wave: number, index: number): number {
  return (hash(symbolSeed, wave, index) % (2 * HEIGHT + 1)) - HEIGHT
}

/** Returns a 32-bit hash of three integers. `index` may have up to 53 bits. */
function hash(symbolSeed: number, wave: number, index: number): number {
  let value = symbolSeed ^ Math.imul(wave + 1, 0x9e3779b1)
  value = mix(value ^ (index % 4_294_967_296))
  return mix(value ^ Math.floor(index / 4_294_967_296)) >>> 0
}

/** The finalizer of MurmurHash3. */
function mix(given: number): number {
  let value = given
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return value ^ (value >>> 16)
}
