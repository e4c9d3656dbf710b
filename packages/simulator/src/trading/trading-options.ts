/** Options of the order service. */
import {
  boolean,
  integer,
  isRecord,
  oneOf,
  readOptions,
  received,
  type Schema,
} from '@brokerwire/core/internal'
import { milliseconds } from '../durations.ts'
import { CENT_PLACES, parseDecimal } from './decimal.ts'
import { MARKET_HOURS, type MarketHours } from './market-hours.ts'
import { OPERATION_NAMES, type OperationLimit, type TradingOperation } from './operations.ts'

/** Rate limits of some operations. The other operations have the published limit. */
export type OperationLimits = Readonly<Partial<Record<TradingOperation, OperationLimit>>>

/** Options of `trading`. */
export interface TradingSimulationOptions {
  /** Cash of each account at the start: a decimal with at most two places. @defaultValue '1000000.00' */
  readonly cash?: string | undefined
  /**
   * Trading hours. With `'regular'`, orders are filled in the regular hours of the region, without holidays
   * and daylight saving time.
   * @defaultValue 'always'
   */
  readonly hours?: MarketHours | undefined
  /** Milliseconds between two prices of an instrument. Each price may fill open orders. @defaultValue 1000 */
  readonly stepMs?: number | undefined
  /**
   * Milliseconds for which a new order stays PENDING before it is submitted.
   * @defaultValue 0
   */
  readonly submitDelayMs?: number | undefined
  /** Number of groups of orders on a page in the form of version 3. @defaultValue 20 */
  readonly pageSize?: number | undefined
  /**
   * Maximum number of orders that an account stores. If there are more, the oldest orders that are not open
   * are discarded.
   * @defaultValue 10000
   */
  readonly maxOrders?: number | undefined
  /**
   * Maximum number of open orders of an account. Further orders are rejected.
   * @defaultValue 1000
   */
  readonly maxOpenOrders?: number | undefined
  /**
   * Rate limits, for each app key and operation: `true` for the published limits, `false` for no limits, or
   * an object with the limits that differ from the published ones.
   *
   * @defaultValue true
   */
  readonly rateLimits?: boolean | OperationLimits | undefined
}

/** The options with their defaults. */
export interface TradingSettings {
  readonly cash: bigint
  readonly hours: MarketHours
  readonly stepMs: number
  readonly submitDelayMs: number
  readonly pageSize: number
  readonly maxOrders: number
  readonly maxOpenOrders: number
  /** Rate limits that differ from the published ones. `false` for no limits. */
  readonly rateLimits: OperationLimits | false
}

const MAX_CASH_DIGITS = 15

const cash: Schema<bigint> = (value = '1000000.00', path, fail) => {
  const isText = typeof value === 'string' && value.length <= MAX_CASH_DIGITS
  const cents = isText ? parseDecimal(value, CENT_PLACES) : undefined
  if (cents !== undefined && cents >= 0n) return cents
  throw fail(path, 'a decimal such as "1000000.00"', received(value))
}

const LIMIT = {
  requests: integer({ min: 1, max: 1_000_000 }),
  windowMs: integer({ min: 1, max: 86_400_000 }),
}

const rateLimits: Schema<OperationLimits | false> = (value = true, path, fail) => {
  if (!isRecord(value)) return boolean(true)(value, path, fail) ? {} : false
  return Object.fromEntries(
    Object.entries(value).map(([name, given]) => [
      oneOf(OPERATION_NAMES)(name, path, fail),
      readOptions(fail, given, LIMIT, `${path}.${name}`),
    ]),
  )
}

const TRADING_OPTIONS = {
  cash,
  hours: oneOf(MARKET_HOURS, 'always'),
  stepMs: milliseconds(1000, 1),
  submitDelayMs: milliseconds(0),
  pageSize: integer({ min: 1, max: 1000, default: 20 }),
  maxOrders: integer({ min: 1, max: 1_000_000, default: 10_000 }),
  maxOpenOrders: integer({ min: 1, max: 100_000, default: 1000 }),
  rateLimits,
} satisfies Readonly<Record<keyof TradingSimulationOptions, Schema<unknown>>>

/** Schema of the option `trading`. The result is `undefined` if the order service is off. */
export const tradingOption: Schema<TradingSettings | undefined> = (value = true, path, fail) => {
  if (value === false) return undefined
  if (value !== true && !isRecord(value)) throw fail(path, 'true, false or an object', received(value))
  return readOptions(fail, value === true ? {} : value, TRADING_OPTIONS, path)
}
