/**
 * Calls with every combination of type, compression, connection, position of the status, size, cancellation and deadline. The full
 * set also runs them with connect-node, whose differences the cases state.
 */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { activeResources, leakedResources } from '../test/transport/active-resources.ts'
import { type CaseHarness, createCaseHarness } from '../test/transport/cases/case-harness.ts'
import { respond } from '../test/transport/cases/responses.ts'
import { CASES } from '../test/transport/cases/table.ts'

let before: ReturnType<typeof activeResources>
let ours: CaseHarness
let theirs: CaseHarness
beforeAll(async () => {
  before = activeResources()
  ours = await createCaseHarness('ours', respond)
  theirs = await createCaseHarness('connect-node', respond)
})
afterAll(async () => {
  await Promise.all([ours.close(), theirs.close()])
  expect(await leakedResources(before)).toEqual([])
})

test('the cases have different ids', () => {
  const ids = CASES.flatMap(({ cases }) => cases.map(({ id }) => id))
  expect(new Set(ids).size).toBe(ids.length)
})

describe.for(CASES)('$name', ({ cases }) => {
  // Concurrent, so that the deadlines of several cases pass at the same time.
  test.concurrent.for(cases.map((one) => [one.id, one] as const))('%s', async ([, one], context) => {
    const { connectNode, expected, run } = one
    context.expect(await run(ours)).toBe(expected)
    context.expect(connectNode?.expected).not.toBe(expected)
    if (inject('isFullRun')) context.expect(await run(theirs)).toBe(connectNode?.expected ?? expected)
  })
})
