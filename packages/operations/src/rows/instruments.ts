/** The operation of stock profiles. */
import { booleanLike, type Infer, object, openEnum, optional, string } from '@brokerwire/payloads'
import { field } from '../fields.ts'
import { createPagedOperation } from '../operation.ts'
import { amount } from './amount.ts'
import { SIXTY_A_MINUTE } from './limits.ts'

const profile = object({
  symbol: string,
  instrumentId: optional(string),
  name: optional(string),
  exchangeCode: optional(string),
  category: optional(string),
  subCategory: optional(string),
  currency: optional(string),
  status: optional(openEnum('OC', 'CO', 'NT')),
  shortable: optional(booleanLike),
  fractionable: optional(booleanLike),
  marginable: optional(booleanLike),
  overnightTradingSupported: optional(booleanLike),
  easyToBorrow: optional(booleanLike),
  cryptoEtf: optional(booleanLike),
  marginRequirementLong: optional(amount),
  marginRequirementShort: optional(amount),
  intradayMarginLong: optional(amount),
  intradayMarginShort: optional(amount),
  maintenanceMarginLong: optional(amount),
  maintenanceMarginShort: optional(amount),
  lotSize: optional(amount),
  etfLeveragedFlag: optional(string),
  etfLeveragedFactor: optional(string),
  inverseEtf: optional(booleanLike),
  singleStockEtf: optional(booleanLike),
})

/** The profile of a stock or an exchange-traded fund. */
export interface StockProfile extends Infer<typeof profile> {}

/** Lists profiles of stocks. */
export const listStockProfiles = createPagedOperation(
  {
    name: 'stocks.profiles',
    method: 'GET',
    paths: {
      current: '/trading/instruments/stocks/profiles/list',
      openapi: '/openapi/instrument/stock/list',
    },
    fields: {
      category: field.oneOf('US_STOCK', 'US_ETF', 'HK_STOCK', 'CN_STOCK'),
      symbols: field.optional(field.array(field.string(), [1, 100])),
      status: field.optional(field.oneOf('OC', 'CO', 'NT')),
      subCategory: field.optional(
        field.oneOf('COMMON_STOCK', 'ETF', 'PREFERRED_STOCK', 'WARRANT', 'UNITS', 'RIGHT'),
      ),
      paginationKey: field.optional(field.string(), { family: 'current' }),
      lastInstrumentId: field.optional(field.string(), { family: 'openapi' }),
      pageSize: field.optional(field.integer(1, 1000), { family: 'openapi' }),
    },
    retry: 'always',
    rateLimits: SIXTY_A_MINUTE,
    regions: 'US: US_STOCK. HK: US_STOCK, US_ETF, HK_STOCK, CN_STOCK.',
    sources: ['US', 'HK', 'HK5', 'PY2', 'JA', 'O-us', 'US-rate'],
    confidence: 'documented',
  },
  profile,
  {
    cursor: 'lastInstrumentId',
    idOf: ({ instrumentId }) => instrumentId,
    pageSize: 'pageSize',
    defaultPageSize: 1000,
  },
)
