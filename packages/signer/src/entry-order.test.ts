/** Number of comparisons to sort a query: a client must not be able to make a verifier slow. */
import { expect, it } from 'vitest'
import { createEntry, entryOrder, headerEntries, queryEntries, requestEntries } from './canonical-request.ts'
import { ORDERS } from './order.ts'

const headers = {
  'x-app-key': 'key',
  'x-signature-algorithm': 'HMAC-SHA1',
  'x-signature-nonce': 'nonce',
  'x-signature-version': '1.0',
  'x-timestamp': 'timestamp',
}

it.each([
  ['reverse', (_: unknown, i: number) => 9_999 - i],
  ['ascending', (_: unknown, i: number) => 1000 + i],
])('a long query in %s order is sorted with few comparisons', (_, numberAt) => {
  const query = Array.from({ length: 2000 }, (_, i) => [`n${numberAt(_, i)}`, ''] as const)
  let comparisons = 0
  const compare = (left: string, right: string): number => {
    comparisons += 1
    return ORDERS['code-point'](left, right)
  }
  const order = entryOrder(compare, true)
  const entries = requestEntries(
    createEntry('host', 'h'),
    headerEntries(headers),
    queryEntries(query, order),
    order,
  )
  const names = [...query.map(([name]) => name), 'host', ...Object.keys(headers)]
  expect(entries.map(({ name }) => name.text)).toEqual(names.sort())
  // About 2 × 2,000 × log2(2,000) comparisons. Comparing each pair would take two million.
  expect(comparisons).toBeLessThan(50_000)
})
