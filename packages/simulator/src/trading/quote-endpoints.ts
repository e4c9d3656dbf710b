/** Operations on instruments and market data. */
import type { Instrument } from '../wire/instruments.ts'
import { type BarsRequest, bars, TIMESPANS } from './bars.ts'
import { type OperationCall, type OperationHandlers, ok } from './endpoint.ts'
import {
  type FieldValues,
  optionalFlag,
  optionalInteger,
  requiredOneOf,
  requiredText,
  textList,
} from './fields.ts'
import { findInstrument, STOCK_CATEGORIES } from './instruments.ts'
import { page } from './pages.ts'
import { depthView, MAX_DEPTH, profileView, snapshotView, ticksView } from './quote-views.ts'
import { fieldRejection, rejection } from './rejection.ts'

type Names =
  | 'stocks.profiles'
  | 'stocks.snapshots'
  | 'stocks.bars'
  | 'stocks.bar'
  | 'stocks.depth'
  | 'stocks.ticks'

const MAX_SYMBOLS = 100
const MAX_BAR_SYMBOLS = 20
const STATUSES = ['OC', 'CO', 'NT'] as const
const SUB_CATEGORIES = ['COMMON_STOCK', 'ETF', 'PREFERRED_STOCK', 'WARRANT', 'UNITS', 'RIGHT'] as const
const SESSIONS: ReadonlySet<string> = new Set(['PRE', 'RTH', 'ATH', 'OVN'])

export const QUOTE_HANDLERS: OperationHandlers<Names> = {
  'stocks.profiles'(call) {
    const { service, family, fields } = call
    const { region, market } = service.app.settings
    const category = getCategory(call)
    const symbols = textList(fields, 'symbols', MAX_SYMBOLS)
    const listed = market.instruments.filter((item) => item.category === category)
    const chosen =
      symbols === undefined
        ? listed
        : symbols.flatMap((symbol) => listed.find((item) => item === findInstrument(market, symbol)) ?? [])
    const profiles = chosen.map((instrument) => profileView(instrument, region, market))
    const isWanted = (profile: (typeof profiles)[number]): boolean =>
      matches(fields, 'status', STATUSES, profile) &&
      (symbols !== undefined || matches(fields, 'sub_category', SUB_CATEGORIES, profile))
    return page({
      family,
      fields,
      items: profiles.filter(isWanted),
      getIds: (profile) => [String(profile.instrument_id)],
      toView: (profile) => profile,
      pageSize: PROFILES_PAGE,
      old: {
        cursors: ['last_instrument_id'],
        min: 1,
        max: PROFILES_PAGE,
        default: PROFILES_PAGE,
        unknown: () => fieldRejection('last_instrument_id', 'an instrument of the list'),
      },
    })
  },

  'stocks.snapshots'(call) {
    const { fields } = call
    const symbols = textList(fields, 'symbols', MAX_SYMBOLS)
    if (symbols === undefined) throw fieldRejection('symbols', `a list of 1 to ${MAX_SYMBOLS} symbols`)
    const sessions = {
      extended: optionalFlag(fields, 'extend_hour_required') ?? false,
      overnight: optionalFlag(fields, 'overnight_required') ?? false,
    }
    const category = getCategory(call)
    const context = quoteContext(call)
    return ok(
      symbols.flatMap((symbol) => {
        const instrument = find(call, symbol, category)
        return instrument === undefined ? [] : [snapshotView(instrument, context, sessions)]
      }),
    )
  },

  'stocks.bars'(call) {
    const symbols = textList(call.fields, 'symbols', MAX_BAR_SYMBOLS)
    if (symbols === undefined) throw fieldRejection('symbols', `a list of 1 to ${MAX_BAR_SYMBOLS} symbols`)
    const request = barsRequest(call)
    const category = getCategory(call)
    const result = symbols.map((symbol) => {
      const instrument = requireInstrument(call, symbol, category)
      return {
        symbol: instrument.symbol,
        instrument_id: instrument.instrumentId,
        result: bars(instrument, quoteContext(call), request),
      }
    })
    return ok({ result })
  },
  'stocks.bar'(call) {
    const instrument = requireInstrument(call, requiredText(call.fields, 'symbol'), getCategory(call))
    const { symbol } = instrument
    return ok(bars(instrument, quoteContext(call), barsRequest(call)).map((bar) => ({ symbol, ...bar })))
  },

  'stocks.depth'(call) {
    const instrument = requireInstrument(call, requiredText(call.fields, 'symbol'), getCategory(call))
    const depth = optionalInteger(call.fields, 'depth', { min: 1, max: MAX_DEPTH }) ?? 1
    optionalFlag(call.fields, 'overnight_required')
    return ok(depthView(instrument, quoteContext(call), depth))
  },
  'stocks.ticks'(call) {
    const instrument = requireInstrument(call, requiredText(call.fields, 'symbol'), getCategory(call))
    const count = optionalInteger(call.fields, 'count', { min: 1, max: 1000 }) ?? 30
    requireSessions(call.fields)
    return ok(ticksView(instrument, quoteContext(call), count))
  },
}

const PROFILES_PAGE = 1000

const quoteContext = ({ service, nowMs }: OperationCall) => ({ market: service.market, nowMs })

/** @throws TradingRejection `UNSUPPORTED_CATEGORY` */
function getCategory({ service, fields }: OperationCall): string {
  const categories = STOCK_CATEGORIES[service.app.settings.region]
  const category = requiredText(fields, 'category')
  if (categories.includes(category)) return category
  throw rejection('UNSUPPORTED_CATEGORY', `category must be one of ${categories.join(', ')}`)
}

function find({ service }: OperationCall, symbol: string, category: string): Instrument | undefined {
  const instrument = findInstrument(service.app.settings.market, symbol)
  return instrument?.category === category ? instrument : undefined
}

/** @throws TradingRejection `UNSUPPORTED_SYMBOL` */
function requireInstrument(call: OperationCall, symbol: string, category: string): Instrument {
  const instrument = find(call, symbol, category)
  if (instrument !== undefined) return instrument
  throw rejection('UNSUPPORTED_SYMBOL', `symbol must be an instrument of the category ${category}`)
}

/** Whether a profile has the value of the filter `name`, or the request has no such filter. */
function matches(
  fields: FieldValues,
  name: string,
  values: readonly string[],
  profile: Readonly<Record<string, unknown>>,
): boolean {
  return fields[name] === undefined || requiredOneOf(fields, name, values) === profile[name]
}

function requireSessions(fields: FieldValues): void {
  const sessions = textList(fields, 'trading_sessions', SESSIONS.size) ?? []
  if (sessions.every((session) => SESSIONS.has(session))) return
  throw fieldRejection('trading_sessions', `a list of ${[...SESSIONS].join(', ')}`)
}

const MAX_BARS = 1200
const DEFAULT_BARS = 200
const INSTANTS = { min: 0, max: 8_640_000_000_000_000 } as const

function barsRequest({ fields, nowMs }: OperationCall): BarsRequest {
  requireSessions(fields)
  return {
    timespan: requiredOneOf(fields, 'timespan', TIMESPANS),
    count: optionalInteger(fields, 'count', { min: 1, max: MAX_BARS }) ?? DEFAULT_BARS,
    withCurrent: optionalFlag(fields, 'real_time_required') ?? true,
    fromMs: optionalInteger(fields, 'start_time', INSTANTS) ?? 0,
    untilMs: optionalInteger(fields, 'end_time', INSTANTS) ?? nowMs,
  }
}
