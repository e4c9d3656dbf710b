/** The condition under which a sink counts as writable. */
import { expect, test } from 'vitest'
import { createMemoryStream } from '../sink/memory-sink.ts'
import { sinkUnavailable, writerFenced } from '../sink/sink-errors.ts'
import { SinkProbe } from './sink-probe.ts'

function setUp(probe?: () => Promise<object>) {
  const state = { isPending: false }
  const errors: unknown[] = []
  const limits: object[] = []
  const sink = createMemoryStream('s').open()
  const health = new SinkProbe({
    sink: probe === undefined ? sink : { ...sink, probe },
    isPending: () => state.isPending,
    onRetention: (retention) => limits.push(retention),
    onError: (error) => errors.push(error),
  })
  const seconds = async (count: number): Promise<void> => {
    for (let second = 0; second < count; second += 1) {
      health.tick()
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
  }
  return { health, state, errors, limits, seconds }
}
const away = () => Promise.reject(sinkUnavailable('s', 'of a test'))

test('is not confirmed before the first write, and then stays confirmed while probes succeed', async () => {
  const { health, seconds, limits } = setUp(async () => ({ maxBytes: 7 }))
  await seconds(100)
  expect(health.isConfirmed).toBe(false)
  expect(limits).toEqual([])
  health.confirmed()
  await seconds(100)
  expect(health.isConfirmed).toBe(true)
  expect(limits).toHaveLength(20)
})

test('stays confirmed for 15 seconds after the last success, and is confirmed again by a write', async () => {
  const { health, seconds, errors } = setUp(away)
  health.confirmed()
  await seconds(14)
  expect(health.isConfirmed).toBe(true)
  await seconds(1)
  expect(health.isConfirmed).toBe(false)
  expect(errors).toEqual([])
  health.confirmed()
  expect(health.isConfirmed).toBe(true)
})

test('is not confirmed by a probe while messages wait to be stored', async () => {
  const { health, state, seconds } = setUp(async () => ({}))
  health.confirmed()
  state.isPending = true
  await seconds(15)
  expect(health.isConfirmed).toBe(false)
})

test('sends no second probe before the first has ended', async () => {
  let probes = 0
  const { health, seconds } = setUp(() => {
    probes += 1
    return new Promise(() => {})
  })
  health.confirmed()
  await seconds(60)
  expect(health.isConfirmed).toBe(false)
  expect(probes).toBe(1)
})

test('confirms a sink without a probe while no message waits, and reports permanent errors', async () => {
  const without = setUp()
  without.health.confirmed()
  await without.seconds(60)
  expect(without.health.isConfirmed).toBe(true)
  const lost = setUp(() => Promise.reject(writerFenced('s', 1, undefined)))
  lost.health.confirmed()
  await lost.seconds(5)
  expect(lost.errors).toMatchObject([{ code: 'RELAY_FENCED' }])
})
