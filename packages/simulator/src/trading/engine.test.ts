import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AAPL, aMarket, aRequest, STEP_MS } from '../test/trading-orders.ts'
import { decideCancel, decideReplace } from './decide-amend.ts'
import { valueInCents, wholeUnits } from './decimal.ts'
import { isFinalStatus, type TradingOrderStatus } from './order.ts'
import { TradingRejection } from './rejection.ts'

const codeOf = (work: () => unknown): string | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof TradingRejection) return error.rejection.code
    throw error
  }
}

describe('a market order', () => {
  it('is submitted at once and filled by the next steps, in parts', () => {
    const sim = aMarket()
    sim.place([aRequest({ quantity: wholeUnits(100) })])
    expect(sim.account.find('c1')?.status).toBe('SUBMITTED')
    sim.engine.run(10 * STEP_MS)
    const filled = sim.account.find('c1')
    expect(filled?.status).toBe('FILLED')
    expect(sim.events[0]?.scene).toBe('PLACED')
    expect(sim.events.at(-1)?.scene).toBe('FINAL_FILLED')
    expect(sim.events.length).toBeGreaterThan(2)
    expect(sim.events.every(({ atMs }) => atMs % STEP_MS === 0)).toBe(true)
    expect(sim.account.holdings.positions.get('AAPL')?.quantity).toBe(wholeUnits(100))
  })

  it('with IOC is filled in the same instant, and the rest is cancelled without an event', () => {
    const sim = aMarket()
    sim.place([aRequest({ quantity: wholeUnits(1000), timeInForce: 'IOC' })])
    expect(sim.account.find('c1')?.status).toBe('CANCELLED')
    expect(sim.account.find('c1')?.filledQuantity).toBeGreaterThan(0n)
    expect(sim.events.map(({ scene }) => scene)).toEqual(['PLACED', 'FILLED'])
  })

  it('fails if the money is gone when it would be filled', () => {
    const sim = aMarket()
    sim.place([aRequest()])
    sim.account.apply({ accountId: 'A1', orders: [], holdings: { ...sim.account.holdings, cashCents: 0n } })
    sim.engine.run(STEP_MS)
    expect(sim.account.find('c1')?.status).toBe('FAILED')
    expect(sim.events.at(-1)?.scene).toBe('PLACE_FAILED')
  })
})

describe('a limit order', () => {
  it('waits for its price and is filled at a price that is not worse', () => {
    const sim = aMarket()
    const limitCents = sim.market.priceAt(AAPL, 0) - 40
    sim.place([aRequest({ orderType: 'LIMIT', limitCents })])
    const dueMs = sim.engine.nextRunMs(0) ?? 0
    expect(dueMs).toBeGreaterThan(STEP_MS)
    sim.engine.run(dueMs - 1)
    expect(sim.account.find('c1')?.status).toBe('SUBMITTED')
    sim.engine.run(dueMs)
    const { filledCents = 0n, filledQuantity = 0n } = sim.account.find('c1') ?? {}
    expect(filledQuantity).toBeGreaterThan(0n)
    expect(filledCents).toBeLessThanOrEqual(valueInCents(filledQuantity, BigInt(limitCents)))
  })

  it('expires at the end of the day without an event', () => {
    const sim = aMarket()
    sim.place([aRequest({ orderType: 'LIMIT', limitCents: 1 })])
    sim.engine.run(86_400_000)
    expect(sim.account.find('c1')?.status).toBe('CANCELLED')
    expect(sim.events.map(({ scene }) => scene)).toEqual(['PLACED'])
    expect(sim.engine.nextRunMs(86_400_000)).toBeUndefined()
  })

  it('is replaced, and the rest is filled at the new price', () => {
    const sim = aMarket()
    sim.place([aRequest({ orderType: 'LIMIT', limitCents: 1 })])
    const request = { quantity: wholeUnits(5), limitCents: 100_000, stopCents: undefined, orderType: 'LIMIT' }
    const view = sim.engine.view(STEP_MS)
    sim.commit(
      decideReplace(sim.account, { ...request, clientOrderId: 'c1', timeInForce: undefined }, view),
      STEP_MS,
    )
    sim.engine.run(20 * STEP_MS)
    expect(sim.account.find('c1')).toMatchObject({ status: 'FILLED', filledQuantity: wholeUnits(5) })
    expect(sim.events.map(({ scene }) => scene)).toContain('MODIFY_SUCCESS')
  })
})

describe('a stop order', () => {
  it('that sells is triggered by a lower price', () => {
    const sim = aMarket()
    sim.place([aRequest({ clientOrderId: 'buy' })])
    sim.engine.run(10 * STEP_MS)
    const stopCents = sim.market.priceAt(AAPL, 10) - 1000
    const stop = aRequest({ side: 'SELL', orderType: 'STOP_LOSS', stopCents, timeInForce: 'GTC' })
    sim.place([stop], 10 * STEP_MS)
    sim.market.setPrice('AAPL', stopCents + 100)
    sim.engine.run(20 * STEP_MS)
    expect(sim.account.find('c1')?.status).toBe('SUBMITTED')
    sim.market.setPrice('AAPL', stopCents)
    sim.engine.run(30 * STEP_MS)
    expect(sim.account.find('c1')?.status).toBe('FILLED')
    expect(sim.account.holdings.positions.size).toBe(0)
  })
})

describe('a group', () => {
  const group = [
    aRequest({ clientOrderId: 'm', comboType: 'MASTER' }),
    aRequest({
      clientOrderId: 'p',
      comboType: 'STOP_PROFIT',
      side: 'SELL',
      orderType: 'LIMIT',
      limitCents: 30_000,
    }),
    aRequest({
      clientOrderId: 'l',
      comboType: 'STOP_LOSS',
      side: 'SELL',
      orderType: 'STOP_LOSS',
      stopCents: 10_000,
    }),
  ]
  const statuses = (sim: ReturnType<typeof aMarket>) =>
    ['m', 'p', 'l'].map((id) => sim.account.find(id)?.status)

  it('places its children when the MASTER is filled, and ends when a child is filled', () => {
    const sim = aMarket()
    sim.place(group)
    expect(statuses(sim)).toEqual(['SUBMITTED', 'PENDING', 'PENDING'])
    sim.engine.run(10 * STEP_MS)
    expect(statuses(sim)).toEqual(['FILLED', 'SUBMITTED', 'SUBMITTED'])
    sim.market.setPrice('AAPL', 31_000)
    sim.engine.run(20 * STEP_MS)
    expect(statuses(sim)).toEqual(['FILLED', 'FILLED', 'CANCELLED'])
    expect(sim.account.holdings.positions.size).toBe(0)
    expect(codeOf(() => decideCancel(sim.account, 'l', sim.engine.view(0)))).toBe('OPENAPI_ORDER_NOT_FOUND')
  })

  it('ends with its MASTER', () => {
    const sim = aMarket()
    sim.place(group)
    sim.commit(decideCancel(sim.account, 'm', sim.engine.view(0)), 0)
    expect(statuses(sim)).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED'])
  })
})

describe('an order is rejected', () => {
  it.each([
    ['without money', 'OPENAPI_ORDER_BUYING_POWER_NOT_ENOUGH', { quantity: wholeUnits(10_000) }],
    ['without a position', 'OPENAPI_SELL_QTY_EXCEED_AVAILABLE_QTY', { side: 'SELL' }],
    ['as a short sale of a cash account', 'OPENAPI_TRADE_ORDER_NO_PERMISSION', { side: 'SHORT' }],
  ] as const)('%s', (_, code, fields) => {
    const sim = aMarket()
    expect(codeOf(() => sim.place([aRequest(fields)]))).toBe(code)
    expect(sim.account.find('c1')).toBeUndefined()
  })

  it('in closed hours, except GTC, which waits for the opening', () => {
    const sim = aMarket({ hours: 'regular' })
    expect(codeOf(() => sim.place([aRequest()]))).toBe('OPENAPI_NO_TRADING_TIME')
    sim.place([aRequest({ timeInForce: 'GTC' })])
    expect(sim.account.find('c1')?.status).toBe('PENDING')
    // 1970-01-01 was a Thursday: the market opens at 14:30 UTC.
    const opensMs = 14.5 * 3_600_000
    expect(sim.engine.nextRunMs(0)).toBe(opensMs)
    sim.engine.run(opensMs - 1)
    expect(sim.account.find('c1')?.status).toBe('PENDING')
    sim.engine.run(opensMs + 60_000)
    expect(sim.account.find('c1')?.status).toBe('FILLED')
  })

  it('with an id that an accepted order has used', () => {
    const sim = aMarket()
    expect(codeOf(() => sim.place([aRequest({ side: 'SELL' })]))).toBe(
      'OPENAPI_SELL_QTY_EXCEED_AVAILABLE_QTY',
    )
    sim.place([aRequest()])
    expect(codeOf(() => sim.place([aRequest()]))).toBe('OPENAPI_TRADE_PLACE_ORDER_REPEAT')
  })
})

it('money and quantities are conserved, whatever happens to orders', () => {
  const action = fc.record({
    kind: fc.constantFrom('place', 'cancel', 'replace', 'wait', 'price'),
    side: fc.constantFrom('BUY', 'SELL', 'SHORT'),
    orderType: fc.constantFrom('MARKET', 'LIMIT', 'STOP_LOSS', 'STOP_LOSS_LIMIT'),
    timeInForce: fc.constantFrom('DAY', 'GTC', 'IOC'),
    units: fc.integer({ min: 1, max: 3000 }),
    cents: fc.integer({ min: 20_000, max: 28_000 }),
    id: fc.nat(12),
  })
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), fc.boolean(), fc.nat(), (actions, isMargin, seed) => {
      const sim = aMarket({ isMargin, seed })
      const startCents = sim.account.holdings.cashCents
      const last = new Map<string, TradingOrderStatus>()
      let nowMs = 0
      for (const { kind, side, orderType, timeInForce, units, cents, id } of actions) {
        const clientOrderId = `c${id}`
        const prices = {
          limitCents: /LIMIT/.test(orderType) ? cents : undefined,
          stopCents: /STOP/.test(orderType) ? cents : undefined,
        }
        codeOf(() => {
          const view = sim.engine.view(nowMs)
          if (kind === 'place') {
            sim.place(
              [
                aRequest({
                  clientOrderId,
                  side,
                  orderType,
                  timeInForce,
                  quantity: wholeUnits(units),
                  ...prices,
                }),
              ],
              nowMs,
            )
          } else if (kind === 'cancel') sim.commit(decideCancel(sim.account, clientOrderId, view), nowMs)
          else if (kind === 'replace') {
            const request = {
              clientOrderId,
              quantity: wholeUnits(units),
              ...prices,
              orderType: undefined,
              timeInForce: undefined,
            }
            sim.commit(decideReplace(sim.account, request, view), nowMs)
          } else if (kind === 'price') sim.market.setPrice('AAPL', cents)
          else nowMs += units * 100
        })
        sim.engine.run(nowMs)
        const { holdings } = sim.account
        let chargesCents = 0n
        let heldQuantity = 0n
        for (const order of sim.account.orders()) {
          chargesCents += order.commissionCents + order.feeCents
          heldQuantity += order.side === 'BUY' ? order.filledQuantity : -order.filledQuantity
          expect(order.filledQuantity <= order.quantity).toBe(true)
          const before = last.get(order.clientOrderId) ?? order.status
          // An order may change several times between two checks, but never leaves a final status.
          if (before !== order.status) expect(isFinalStatus(before)).toBe(false)
          last.set(order.clientOrderId, order.status)
        }
        const position = holdings.positions.get('AAPL')
        expect(position?.quantity ?? 0n).toBe(heldQuantity)
        const costCents = position?.costCents ?? 0n
        expect(holdings.cashCents + costCents - holdings.realizedCents + chargesCents).toBe(startCents)
        if (!isMargin) expect(holdings.cashCents >= 0n && heldQuantity >= 0n).toBe(true)
      }
    }),
    { numRuns: 200 },
  )
})
