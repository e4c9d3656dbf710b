/**
 * Formats accounts, balances and positions as the operations report them (packages/operations/OPERATIONS.md,
 * accounts and assets).
 */
import type { Region } from '@brokerwire/core/endpoints'
import type { Market } from '../wire/instruments.ts'
import { accountTotals, availableQuantity, type GetPrice, type Position } from './account.ts'
import {
  averagePrice,
  divideRounded,
  formatCents,
  formatDecimal,
  formatQuantity,
  valueInCents,
} from './decimal.ts'
import { getCurrency } from './instruments.ts'
import type { TradingAccount } from './trading-account.ts'

type Json = Readonly<Record<string, unknown>>

const CLASSES: Readonly<Record<Region, readonly [margin: string, cash: string]>> = {
  us: ['INDIVIDUAL_MARGIN', 'INDIVIDUAL_CASH'],
  hk: ['INDIVIDUAL_MRGN', 'INDIVIDUAL_CASH'],
}

export function accountView(account: TradingAccount, region: Region, userId: string): Json {
  const [margin, cash] = CLASSES[region]
  const { isMargin } = account
  return {
    account_id: account.accountId,
    account_number: account.accountNumber,
    account_type: isMargin ? 'MARGIN' : 'CASH',
    account_class: isMargin ? margin : cash,
    ...(region === 'us' ? { account_label: isMargin ? 'Individual Margin' : 'Individual Cash' } : {}),
    user_id: userId,
  }
}

/** Returns the balance. All amounts are in one currency, that of the app's market. */
export function balanceView(
  account: TradingAccount,
  {
    region,
    market,
    getPrice,
  }: { readonly region: Region; readonly market: Market; readonly getPrice: GetPrice },
): Json {
  const { holdings } = account
  const totals = accountTotals(holdings, account.openOrders, getPrice, account.isMargin)
  const unrealized = totals.marketValueCents - totals.costCents
  const cash = formatCents(holdings.cashCents)
  const marketValue = formatCents(totals.marketValueCents)
  const netValue = formatCents(totals.netValueCents)
  const unrealizedProfit = formatCents(unrealized)
  const dayProfit = formatCents(unrealized + holdings.realizedCents)
  const buyingPower = formatCents(totals.buyingPowerCents)
  const withdrawable = holdings.cashCents - totals.reservedCents
  const isUs = region === 'us'
  return {
    total_asset_currency: market.currency,
    total_cash_balance: cash,
    total_market_value: marketValue,
    total_unrealized_profit_loss: unrealizedProfit,
    ...(isUs
      ? {
          total_net_liquidation_value: netValue,
          total_day_profit_loss: dayProfit,
          day_trades_left: 'UNLIMITED',
          open_margin_calls: [],
        }
      : {}),
    account_currency_assets: [
      {
        currency: market.currency,
        cash_balance: cash,
        market_value: marketValue,
        unrealized_profit_loss: unrealizedProfit,
        settled_cash: cash,
        unsettled_cash: '0.00',
        buying_power: buyingPower,
        available_withdrawal: formatCents(withdrawable < 0n ? 0n : withdrawable),
        interests_unpaid: '0.00',
        held_amount: formatCents(totals.reservedCents),
        ...(isUs
          ? {
              net_liquidation_value: netValue,
              day_profit_loss: dayProfit,
              day_buying_power: buyingPower,
              overnight_buying_power: buyingPower,
            }
          : {}),
      },
    ],
  }
}

/** Returns the positions, oldest first. */
export function positionsView(
  account: TradingAccount,
  {
    region,
    market,
    getPrice,
  }: { readonly region: Region; readonly market: Market; readonly getPrice: GetPrice },
): readonly Json[] {
  const positions = [...account.holdings.positions.values()]
  const values = positions.map(({ quantity, instrument }) =>
    valueInCents(quantity, BigInt(getPrice(instrument))),
  )
  const total = values.reduce((sum, value) => sum + (value < 0n ? -value : value), 0n)
  return positions.map((position, index) => {
    const valueCents = values[index] ?? 0n
    const { instrument, quantity, costCents } = position
    const profit = valueCents - costCents
    return {
      position_id: position.positionId,
      instrument_id: instrument.instrumentId,
      symbol: instrument.symbol,
      symbol_name: instrument.shortName,
      instrument_type: 'EQUITY',
      ...(region === 'us' ? { option_strategy: 'SINGLE' } : {}),
      currency: getCurrency(instrument, market),
      quantity: formatQuantity(quantity),
      available_quantity: formatQuantity(available(position, account)),
      last_price: formatCents(getPrice(instrument)),
      cost_price: formatDecimal(averagePrice(costCents, quantity), 4, 2),
      cost: formatCents(costCents),
      market_value: formatCents(valueCents),
      unrealized_profit_loss: formatCents(profit),
      unrealized_profit_loss_rate: ratio(profit, costCents),
      proportion: ratio(valueCents, total),
    }
  })
}

function available(position: Position, account: TradingAccount): bigint {
  return position.quantity < 0n ? position.quantity : availableQuantity(position, account.openOrders)
}

/** Formats a fraction with four decimal places. */
function ratio(part: bigint, whole: bigint): string {
  if (whole === 0n) return '0.0000'
  return formatDecimal(divideRounded(part * 10_000n, whole < 0n ? -whole : whole), 4, 4)
}
