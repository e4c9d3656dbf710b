/**
 * The simulator has its own copy of paths and limits, because it does not depend on the table. Both must be
 * equal.
 */
import type { RateLimit, RateLimits } from '@brokerwire/core'
import { OPERATIONS, type TableRow } from '@brokerwire/operations/table'
import { describe, expect, test } from 'vitest'
import {
  publishedLimit,
  OPERATIONS as SERVED,
  type TradingOperation,
} from '../../../packages/simulator/src/trading/operations.ts'

/** All operations except the token endpoints, which have another table in the simulator. */
const rows = Object.values(OPERATIONS).filter(({ name }) => /^(?:accounts|orders|stocks)\./.test(name))

/** The markets on which the limits of an operation depend. In the table only a new order has a market. */
const marketsOf = ({ rateLimits }: TableRow): readonly (string | undefined)[] =>
  typeof rateLimits === 'function' ? ['US', 'HK', 'CN'] : [undefined]

function limitsOf({ rateLimits }: TableRow, market: string | undefined): RateLimits {
  const limits =
    typeof rateLimits === 'function' ? rateLimits({ newOrders: [{ market }] } as never) : rateLimits
  if (limits === undefined) throw new Error('an operation on accounts, orders or stocks has limits')
  return limits
}

const comparable = ({ limit, windowMs }: RateLimit) => ({ requests: limit, windowMs })

describe.each(rows)('the simulator serves $name', (row) => {
  const name = row.name as TradingOperation

  test('with the method and the paths of the table', () => {
    const { method, path, oldPath } = SERVED[name]
    expect({ method, current: path, openapi: oldPath }).toEqual({ method: row.method, ...row.paths })
  })

  test('with shapes of version 3 on current paths, and of version 2 on the earlier ones', () => {
    expect(row.apiVersions ?? { current: 'v3', openapi: 'v2' }).toEqual({ current: 'v3', openapi: 'v2' })
  })

  test.each(marketsOf(row))('with the limits of the table, for the market %s', (market) => {
    const { us, hk = us, sandbox = { limit: 30, windowMs: 60_000 } } = limitsOf(row, market)
    expect(publishedLimit(name, 'us', 'production', market)).toEqual(comparable(us))
    expect(publishedLimit(name, 'us', 'sandbox', market)).toEqual(comparable(sandbox))
    expect(publishedLimit(name, 'hk', 'production', market)).toEqual(comparable(hk))
    expect(publishedLimit(name, 'hk', 'sandbox', market)).toEqual(comparable(hk))
  })
})

test('the simulator serves no other operation, except bars of one symbol', () => {
  const names = rows.map(({ name }) => name)
  expect(Object.keys(SERVED).sort()).toEqual([...names, 'stocks.bar'].sort())
})
