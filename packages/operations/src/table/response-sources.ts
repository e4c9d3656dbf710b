/**
 * Sources of response fields that are less sure than their row, because the documents do not contain them.
 */
import type { Confidence } from '../fields.ts'
import type { SourceKey } from '../operation.ts'

/** Response fields with the same source. */
export interface ResponseSource {
  /** Names of the fields, with those of their parents, such as `orders[].tradeId`. */
  readonly fields: readonly string[]
  /** How sure the fields are. */
  readonly confidence: Confidence
  /** Keys of their sources in {@link SOURCES}. */
  readonly sources: readonly SourceKey[]
}

const ORDERS: readonly ResponseSource[] = [
  {
    fields: [
      'orders[].remainQuantity',
      'orders[].tradeId',
      'orders[].comboOrderId',
      'orders[].accountTaxType',
      'orders[].marginType',
      'orders[].closeContracts',
    ],
    confidence: 'official-client',
    sources: ['JA'],
  },
  { fields: ['orders[].legs[].expirationType'], confidence: 'observed', sources: ['O'] },
  { fields: ['orders[].totalCashAmount'], confidence: 'guessed', sources: [] },
]

/**
 * Sources of single response fields, by the name of the operation. All other response fields have the
 * sources of the operation.
 */
export const RESPONSE_SOURCES: Readonly<Record<string, readonly ResponseSource[]>> = {
  'accounts.positions': [
    {
      fields: ['marketValue', 'proportion', 'dayRealizedProfitLoss', 'unrealizedProfitLossRate'],
      confidence: 'official-client',
      sources: ['JA'],
    },
    {
      fields: [
        'instrumentId',
        'symbolName',
        'exchangeCode',
        'availableQuantity',
        'cost',
        'dayProfitLoss',
        'baseCurrency',
        'baseCurrencyMarketValue',
        'fxRate',
        'accountTaxType',
      ],
      confidence: 'observed',
      sources: ['O'],
    },
  ],
  'orders.preview': [{ fields: ['currency'], confidence: 'official-client', sources: ['JA'] }],
  'orders.get': ORDERS,
  'orders.open': ORDERS,
  'orders.history': ORDERS,
  'stocks.profiles': [{ fields: ['inverseEtf', 'singleStockEtf'], confidence: 'observed', sources: ['O'] }],
  'stocks.snapshots': [
    {
      fields: [
        'quoteTime',
        'fiftyTwoWkHigh',
        'fiftyTwoWkLow',
        'marketValue',
        'negMarketValue',
        'totalShares',
        'outStandingShares',
        'peRatio',
        'pbRatio',
        'psRatio',
        'yield',
        'listStatus',
        'tradeStatus',
      ],
      confidence: 'observed',
      sources: ['O'],
    },
  ],
  'stocks.bars': [{ fields: ['result[].result[].tradingSession'], confidence: 'observed', sources: ['O'] }],
}
