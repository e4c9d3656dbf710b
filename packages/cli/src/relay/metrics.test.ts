import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

test('contain the time of the next possible create request until a token is usable', () => {
  const metrics = createMetrics()
  metrics.observer.onRelayToken?.({ app: 'a', state: 'failed', nextCreateAtMs: 300_000 })
  expect(metrics.read().a).toMatchObject({ messages: 0, nextCreateAt: '1970-01-01T00:05:00.000Z' })
  metrics.observer.onRelayToken?.({ app: 'a', state: 'usable' })
  expect(metrics.read().a?.nextCreateAt).toBeUndefined()
})
