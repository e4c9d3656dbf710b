import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, test } from 'vitest'
import { diagnosticsObserver } from './diagnostics.ts'
import { createReporter } from './observer.ts'

test('reports reach the channel of their kind, and nobody needs to listen', () => {
  const report = createReporter(diagnosticsObserver(), 'trade')
  report('onAttempt', { attempt: 1 })
  const seen: unknown[] = []
  const listener = (message: unknown) => seen.push(message)
  subscribe('brokerwire:streams:attempt', listener)
  report('onAttempt', { attempt: 2 })
  report('onRepeat', {})
  unsubscribe('brokerwire:streams:attempt', listener)
  report('onAttempt', { attempt: 3 })
  expect(seen).toEqual([{ stream: 'trade', attempt: 2 }])
})
