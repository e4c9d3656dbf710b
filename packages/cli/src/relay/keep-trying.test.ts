import { createVirtualClock } from '@brokerwire/core/testing'
import { expect, test } from 'vitest'
import { keepTrying, type Trying } from './keep-trying.ts'

function setUp(more: Partial<Trying> = {}) {
  const clock = createVirtualClock()
  const stop = new AbortController()
  const said: number[] = []
  let isThere = false
  let attempts = 0
  const attempt = async (): Promise<string> => {
    attempts += 1
    if (isThere) return 'there'
    throw new Error('away')
  }
  const trying: Trying = {
    clock,
    signal: stop.signal,
    refuse: () => {},
    say: (_, waitedMs) => said.push(waitedMs),
    ...more,
  }
  const done = keepTrying(attempt, trying)
  done.catch(() => {})
  const come = (): void => {
    isThere = true
  }
  return { clock, stop, said, done, come, attempts: () => attempts }
}

test('a wait is logged once a minute, and ends when the operation succeeds: it used to be logged only once', async () => {
  const { clock, said, done, come, attempts } = setUp()
  for (let second = 0; second < 3 * 60 + 10; second += 1) await clock.advance(1000)
  expect(said).toHaveLength(4)
  expect(said[0]).toBe(0)
  for (const [at, waitedMs] of said.entries()) {
    expect(waitedMs).toBeGreaterThanOrEqual(at * 60_000)
    expect(waitedMs).toBeLessThan(at * 60_000 + 6000 * at + 1)
  }
  expect(attempts()).toBeGreaterThan(36)
  come()
  await clock.advance(5000)
  expect(await done).toBe('there')
  expect(clock.pendingTimers).toBe(0)
})

test('a final error ends the retries, and so does the signal', async () => {
  const refused = setUp({
    refuse: () => {
      throw new Error('refused')
    },
  })
  await expect(refused.done).rejects.toThrow('refused')
  const stopped = setUp()
  await stopped.clock.advance(1000)
  stopped.stop.abort(new Error('stop'))
  await expect(stopped.done).rejects.toThrow('stop')
  expect(stopped.clock.pendingTimers).toBe(0)
})
