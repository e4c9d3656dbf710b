/** The program of the guide: an added operation is sent and decoded. */
import { expect, test } from 'vitest'
import { runExample } from './test/run-example.ts'

test('an operation that a user adds is sent with its names on the wire, and its response is decoded', async () => {
  const example = runExample('custom-operation.ts', {})
  expect(await example.ended).toBe(0)
  expect(example.lines.join('\n')).toBe(
    [
      "query: [ [ 'account_id', 'A1' ], [ 'start_date', '2026-11-02' ] ]",
      "10 AAPL at 187.30, other fields: { side: 'BUY' }",
    ].join('\n'),
  )
})
