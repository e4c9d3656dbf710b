/** Which calls of `publish` a stored message settles. */
import { expect, test } from 'vitest'
import { sinkUnavailable } from '../sink/sink-errors.ts'
import { PublishCalls } from './publish-calls.ts'

const refusal = sinkUnavailable('stream', 'an event is too long')

/** Calls with so many messages each, after message 10; the last may be refused. @returns Their outcomes, as they come. */
function callsOf(counts: readonly number[], refused?: typeof refusal) {
  const calls = new PublishCalls()
  calls.begin(10)
  const settled: (number | string)[] = []
  for (const [at, count] of counts.entries())
    calls
      .add(count, at === counts.length - 1 ? refused : undefined)
      .then(({ sequence }) => settled.push(sequence))
      .catch((error: Error) => settled.push(error.message))
  return { calls, settled }
}
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

test.each([
  ['none before its last message', [3, 2], [12], []],
  ['each with its own last message', [3, 2], [13, 15], [13, 15]],
  ['all with one message that is later', [3, 2, 1], [16], [13, 15, 16]],
  ['an empty one with the message before it', [3, 0], [13], [13, 13]],
  ['an empty one at once, if nothing is on its way', [0], [10], [10]],
])('%s', async (_, counts, stored, expected) => {
  const { calls, settled } = callsOf(counts)
  for (const sequence of stored) expect(calls.settle(sequence)).toBeUndefined()
  await turn()
  expect(settled).toEqual(expected)
  expect(calls.storedSequence).toBe(stored.at(-1))
})

test('ends publishing at a rejected message after the messages before it are stored', async () => {
  const { calls, settled } = callsOf([2, 1], refusal)
  expect(calls.settle(12)).toBeUndefined()
  expect(calls.settle(13)).toBe(refusal)
  await turn()
  expect(settled).toEqual([12, refusal.message])
})

test('rejects all pending calls at the end of the pipeline', async () => {
  const { calls, settled } = callsOf([2, 1, 4])
  calls.settle(12)
  calls.rejectAll(refusal)
  await turn()
  expect(settled).toEqual([12, refusal.message, refusal.message])
})
