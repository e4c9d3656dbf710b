/** The calls of `publish` that a stored message settles. */
import { expect, test } from 'vitest'
import { sinkUnavailable } from '../sink/sink-errors.ts'
import { PublishCalls } from './publish-calls.ts'

const rejection = sinkUnavailable('stream', 'an event is too long')

/** Calls with these numbers of messages, after message 10. The last call may be rejected. @returns Their results, in order. */
function callsOf(counts: readonly number[], rejected?: typeof rejection) {
  const calls = new PublishCalls()
  calls.begin(10)
  const settled: (number | string)[] = []
  for (const [at, count] of counts.entries())
    calls
      .add(count, at === counts.length - 1 ? rejected : undefined)
      .then(({ sequence }) => settled.push(sequence))
      .catch((error: Error) => settled.push(error.message))
  return { calls, settled }
}
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

test.each(
  Object.entries({
    'no call before its last message is stored': { counts: [3, 2], stored: [12], expected: [] },
    'each call when its last message is stored': { counts: [3, 2], stored: [13, 15], expected: [13, 15] },
    'all calls before a stored message': { counts: [3, 2, 1], stored: [16], expected: [13, 15, 16] },
    'an empty call with the message before it': { counts: [3, 0], stored: [13], expected: [13, 13] },
    'an empty call at once if no message is in flight': { counts: [0], stored: [10], expected: [10] },
  }),
)('settles %s', async (_, { counts, stored, expected }) => {
  const { calls, settled } = callsOf(counts)
  for (const sequence of stored) expect(calls.settle(sequence)).toBeUndefined()
  await turn()
  expect(settled).toEqual(expected)
  expect(calls.storedSequence).toBe(stored.at(-1))
})

test('ends publishing at a rejected message after the messages before it are stored', async () => {
  const { calls, settled } = callsOf([2, 1], rejection)
  expect(calls.settle(12)).toBeUndefined()
  expect(calls.settle(13)).toBe(rejection)
  await turn()
  expect(settled).toEqual([12, rejection.message])
})

test('rejects all pending calls at the end of the pipeline', async () => {
  const { calls, settled } = callsOf([2, 1, 4])
  calls.settle(12)
  calls.rejectAll(rejection)
  await turn()
  expect(settled).toEqual([12, rejection.message, rejection.message])
})
