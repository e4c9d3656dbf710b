import { createVirtualClock } from '@brokerwire/core/testing'
import { describe, expect, test } from 'vitest'
import { RelayError } from '../relay-error.ts'
import { streamTruncated } from '../sink/sink-errors.ts'
import { RestartWaits, restartWaitMs } from './restart-waits.ts'

const refusal = new RelayError('RELAY_CLOSED', 'of a test', { details: { stream: 'x' } })
const transient = new Error('of a test')
const truncated = streamTruncated('x', 3, 0)

test.each([
  ['a refusal', refusal, 1000, [5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]],
  ['a failure that may pass', transient, 1000, [1000, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000]],
  ['a truncated stream', truncated, 10_000, [500, 10_000, 20_000, 40_000]],
  ['a refusal, with a long heartbeat interval', refusal, 30_000, [30_000, 30_000, 30_000, 40_000, 80_000]],
  [
    'a failure that may pass, with a long heartbeat interval',
    transient,
    120_000,
    [120_000, 120_000, 120_000],
  ],
] as const)('grow with the number of failures after %s', (_, error, minMs, waits) => {
  expect(waits.map((_wait, index) => restartWaitMs(index + 1, error, minMs))).toEqual(waits)
})

describe('an app', () => {
  const create = () => {
    const clock = createVirtualClock(0)
    return { clock, waits: new RestartWaits(clock, 1000, () => {}) }
  }
  /** The time until the next start. */
  const waitMs = async ({ clock, waits }: ReturnType<typeof create>): Promise<number> => {
    const startMs = clock.now()
    while (waits.isWaiting('desk')) await clock.advance(500)
    return clock.now() - startMs
  }

  test('waits longer after each failure, until it has run for a minute', async () => {
    const made = create()
    const { clock, waits } = made
    const found: number[] = []
    for (const ranMs of [0, 59_999, 0, 60_000, 0]) {
      waits.started('desk')
      await clock.advance(ranMs)
      waits.failed('desk', refusal)
      found.push(await waitMs(made))
    }
    expect(found).toEqual([5000, 10_000, 20_000, 5000, 10_000])
  })

  test('does not count a released run as a success', async () => {
    const made = create()
    const { clock, waits } = made
    waits.failed('desk', refusal)
    await waitMs(made)
    waits.started('desk')
    waits.ended('desk')
    await clock.advance(3_600_000)
    waits.failed('desk', refusal)
    expect(await waitMs(made)).toBe(10_000)
  })

  test('waits for the shortest time after another writer took its stream, without a failure', async () => {
    const made = create()
    made.waits.fenced('desk')
    expect(await waitMs(made)).toBe(1000)
    made.waits.failed('desk', refusal)
    expect(await waitMs(made)).toBe(5000)
  })

  test('sets no timer after it was closed', () => {
    const { clock, waits } = create()
    waits.failed('desk', refusal)
    waits.close()
    waits.failed('other', refusal)
    waits.started('other')
    expect(clock.pendingTimers).toBe(0)
  })
})
