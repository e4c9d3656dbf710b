/** The operations of accounts, balances and positions. */
import { array, type Infer, object, openEnum, optional, string } from '@brokerwire/payloads'
import { field } from '../fields.ts'
import { createOperation } from '../operation.ts'
import { amount, instrumentType, stringList } from './amount.ts'
import { TWO_IN_TWO_SECONDS } from './limits.ts'

const account = object({
  accountId: string,
  accountNumber: optional(string),
  accountType: optional(openEnum('MARGIN', 'CASH')),
  accountClass: optional(string),
  accountLabel: optional(string),
  userId: optional(string),
})

/** An account. In production, a user has one account for each asset class. */
export interface Account extends Infer<typeof account> {}

/** Lists the accounts of the app's user. */
export const listAccounts = createOperation(
  {
    name: 'accounts.list',
    method: 'GET',
    paths: { current: '/trading/accounts/list', openapi: '/openapi/account/list' },
    fields: {},
    retry: 'always',
    rateLimits: { us: { limit: 10, windowMs: 30_000 } },
    regions: 'US: accountLabel. The classes differ.',
    sources: ['US', 'HK', 'PY2', 'JA', 'US-rate'],
    confidence: 'documented',
  },
  array(account),
)

const MARGIN = {
  initMargin: optional(amount),
  maintenanceMargin: optional(amount),
  intradayMargin: optional(amount),
  marginExcess: optional(amount),
  marginRatio: optional(amount),
  usedMargin: optional(amount),
  usedMarginForOpenOrder: optional(amount),
}

const balance = object({
  totalAssetCurrency: string,
  totalCashBalance: optional(amount),
  totalMarketValue: optional(amount),
  totalUnrealizedProfitLoss: optional(amount),
  totalNetLiquidationValue: optional(amount),
  totalDayProfitLoss: optional(amount),
  dayTradesLeft: optional(string),
  openMarginCalls: optional(stringList),
  ...MARGIN,
  accountCurrencyAssets: array(
    object({
      currency: string,
      cashBalance: optional(amount),
      marketValue: optional(amount),
      unrealizedProfitLoss: optional(amount),
      settledCash: optional(amount),
      unsettledCash: optional(amount),
      buyingPower: optional(amount),
      availableWithdrawal: optional(amount),
      interestsUnpaid: optional(amount),
      heldAmount: optional(amount),
      frozenAmount: optional(amount),
      netLiquidationValue: optional(amount),
      dayProfitLoss: optional(amount),
      optionBuyingPower: optional(amount),
      dayBuyingPower: optional(amount),
      overnightBuyingPower: optional(amount),
      nightTradingBuyingPower: optional(amount),
      oneDayBuyingPower: optional(amount),
      oneDayUsedMargin: optional(amount),
      ...MARGIN,
    }),
  ),
})

/**
 * The balance of an account: totals, and one entry for each currency. `dayTradesLeft`: a number as text, or `UNLIMITED`;
 * deprecated. `openMarginCalls`: kinds of margin calls, such as `EM`.
 */
export interface AccountBalance extends Infer<typeof balance> {}

/** Reads the balance of an account. */
export const getBalance = createOperation(
  {
    name: 'accounts.balance',
    method: 'GET',
    paths: { current: '/trading/assets/balances/get', openapi: '/openapi/assets/balance' },
    fields: { accountId: field.string() },
    retry: 'always',
    rateLimits: TWO_IN_TWO_SECONDS,
    regions:
      'US: net liquidation value and profit of the day. HK: fewer fields, more of them always present.',
    sources: ['US', 'HK', 'PY2', 'JA', 'US-rate'],
    confidence: 'documented',
  },
  balance,
)

const position = object({
  positionId: optional(string),
  symbol: string,
  instrumentType: optional(instrumentType),
  optionStrategy: optional(string),
  currency: optional(string),
  quantity: amount,
  lastPrice: optional(amount),
  costPrice: optional(amount),
  unrealizedProfitLoss: optional(amount),
  eventOutcome: optional(openEnum('yes', 'no')),
  instrumentId: optional(string),
  symbolName: optional(string),
  exchangeCode: optional(string),
  availableQuantity: optional(amount),
  marketValue: optional(amount),
  cost: optional(amount),
  proportion: optional(amount),
  dayProfitLoss: optional(amount),
  dayRealizedProfitLoss: optional(amount),
  unrealizedProfitLossRate: optional(amount),
  baseCurrency: optional(string),
  baseCurrencyMarketValue: optional(amount),
  fxRate: optional(amount),
  accountTaxType: optional(string),
  legs: optional(
    array(
      object({
        legId: optional(string),
        symbol: string,
        quantity: optional(amount),
        optionType: optional(openEnum('CALL', 'PUT')),
        optionExpireDate: optional(string),
        optionExercisePrice: optional(amount),
        optionContractMultiplier: optional(amount),
        optionContractDeliverable: optional(string),
        expirationType: optional(string),
      }),
    ),
  ),
})

/** A position. The quantity of a short position is negative (guessed). */
export interface Position extends Infer<typeof position> {}

/** Lists the positions of an account. */
export const listPositions = createOperation(
  {
    name: 'accounts.positions',
    method: 'GET',
    paths: { current: '/trading/assets/positions/list', openapi: '/openapi/assets/positions' },
    fields: { accountId: field.string() },
    retry: 'always',
    rateLimits: TWO_IN_TWO_SECONDS,
    regions: 'US: legId, eventOutcome.',
    sources: ['US', 'HK', 'PY2', 'JA', 'US-rate'],
    confidence: 'documented',
  },
  array(position),
)
