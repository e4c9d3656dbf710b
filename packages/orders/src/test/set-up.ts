/** A journal over a store in memory, in virtual time. */
import { createVirtualClock, type VirtualClock } from '@brokerwire/core/testing'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import {
  createOrderJournal,
  type JournalOrder,
  type OrderJournal,
  type OrderJournalOptions,
} from '../index.ts'
import { createTestService } from './service.ts'

/** An order of account A1. */
export const order = (clientOrderId?: string, more: object = {}): JournalOrder => ({
  newOrders: [
    {
      clientOrderId,
      comboType: 'NORMAL',
      instrumentType: 'EQUITY',
      market: 'US',
      symbol: 'AAPL',
      side: 'BUY',
      orderType: 'LIMIT',
      limitPrice: '10.00',
      entrustType: 'QTY',
      quantity: '3',
      timeInForce: 'DAY',
      supportTradingSession: 'CORE',
      ...more,
    },
  ],
})

export function setUp(options: Partial<OrderJournalOptions> = {}) {
  const clock = createVirtualClock()
  const store = createFailingStore()
  const service = createTestService(clock)
  const open = (more: Partial<OrderJournalOptions> = {}): OrderJournal =>
    createOrderJournal({ store, http: service.http, clock, accountId: 'A1', ...options, ...more })
  return { clock, store, service, open, journal: open() }
}

/** The result of a call, or its error, while the clock goes on. */
export async function settled<T>(clock: VirtualClock, call: Promise<T>): Promise<T> {
  let isDone = false
  const end = (): void => {
    isDone = true
  }
  call.then(end, end)
  for (let round = 0; round < 1000 && !isDone; round += 1) {
    await clock.settle()
    if (!isDone && !(await clock.advanceToNextTimer())) break
  }
  if (!isDone) throw new Error('the call waits for nothing')
  return await call
}

/** The error of a call, while the clock goes on. */
export const errorOf = (clock: VirtualClock, call: Promise<unknown>): Promise<unknown> =>
  settled(clock, call).then(
    () => {
      throw new Error('the call did not fail')
    },
    (error: unknown) => error,
  )
