import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, test } from 'vitest'
import { diagnosticsObserver } from './diagnostics.ts'
import { createHttpClient } from './index.ts'
import { testOptions } from './test/fixtures.ts'
import { startService } from './test/service.ts'

test('attempts are published to their channels, without a subscriber too', async () => {
  const service = await startService()
  const client = createHttpClient(testOptions(service.url, { observer: diagnosticsObserver() }))
  const seen: unknown[] = []
  const listener = (message: unknown, name: string | symbol) => seen.push([name, message])
  const names = ['brokerwire:http:attempt', 'brokerwire:http:attempt-end']
  await client.request({ method: 'GET', path: '/first' })
  for (const name of names) subscribe(name, listener)
  await client.request({ method: 'GET', path: '/second' })
  for (const name of names) unsubscribe(name, listener)
  await client.request({ method: 'GET', path: '/third' })
  expect(seen).toMatchObject([
    [names[0], { path: '/second', attempt: 1 }],
    [names[1], { path: '/second', attempt: 1, status: 200 }],
  ])
})
