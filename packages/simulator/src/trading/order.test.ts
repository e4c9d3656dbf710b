import { describe, expect, it } from 'vitest'
import { anOrder } from '../test/trading-orders.ts'
import { applyAction, isFinalStatus, ORDER_STATUSES, type OrderAction, TRANSITIONS } from './order.ts'

const ACTIONS: readonly OrderAction[] = ['submit', 'fill', 'complete', 'cancel', 'fail', 'replace']

describe('an order', () => {
  it.each(ORDER_STATUSES.flatMap((status) => ACTIONS.map((action) => ({ status, action }))))(
    'in status $status follows the table for the action $action',
    ({ status, action }) => {
      const order = anOrder({ status })
      expect(applyAction(order, action)?.status).toBe(TRANSITIONS[status][action])
    },
  )

  it('never changes after a final status', () => {
    const final = ORDER_STATUSES.filter(isFinalStatus)
    expect(final).toEqual(['FILLED', 'CANCELLED', 'FAILED'])
    for (const status of final)
      for (const action of ACTIONS) expect(applyAction(anOrder({ status }), action)).toBeUndefined()
  })

  it('keeps its status if it is replaced, and takes the new fields', () => {
    const replaced = applyAction(anOrder({ status: 'PARTIAL_FILLED' }), 'replace', { quantity: 9n })
    expect(replaced).toMatchObject({ status: 'PARTIAL_FILLED', quantity: 9n })
  })
})
