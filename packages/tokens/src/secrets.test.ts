/** No error, notice, report or printed value contains a secret. Only the store does. */
import { Secret } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import { readAll } from '@brokerwire/testing/read-all'
import { expect, test } from 'vitest'
import { createAccessTokens } from './access/access-tokens.ts'
import { createClientTokens } from './client/client-tokens.ts'
import { createTestClientService, createTestService, failure } from './test/service.ts'

const identity = { environment: 'production', region: 'us', appKey: 'app-1', baseUrl: 'https://api.test' }

test('no secret appears in errors, notices and observers, whatever fails', async () => {
  const clock = createVirtualClock()
  const heard: unknown[] = []
  const hear = (item: unknown): void => {
    heard.push(item)
  }
  const listeners = {
    onSecondFactor: hear,
    onExpiring: hear,
    observer: {
      onTokenCall: hear,
      onTokenResponseIssue: hear,
      onTokenState: hear,
      onTokenSecondFactor: hear,
      onTokenWait: hear,
    },
  }
  const attempt = async (promise: Promise<unknown>): Promise<void> => {
    const settled = promise.then(hear, hear)
    await clock.advance(400_000)
    await settled
  }

  const store = createFailingStore()
  const service = createTestService(clock)
  const tokens = createAccessTokens({ endpoints: service.endpoints, store, identity, clock, ...listeners })
  for (const kind of [
    'not-sent',
    'no-response',
    'rejected',
    'server-error',
    'rate-limited',
    'invalid-response',
  ] as const) {
    service.next.create.push(failure(kind))
    await attempt(tokens.get({ wait: false }))
    await clock.advance(300_000)
  }
  for (const operation of ['get', 'compareAndSet'] as const) {
    store.failures.push(operation)
    await attempt(tokens.get({ wait: false }))
  }
  await attempt(tokens.get())
  await clock.advance(300_000)
  const renewToken = tokens.renew()
  await clock.settle()
  service.approve()
  await attempt(renewToken)
  const secret = new Secret(service.last().text)
  service.last().status = 'INVALID'
  await attempt(tokens.reportRejected(secret, { status: 401, code: 'INVALID_TOKEN' }))
  store.entries.set(
    'access-token/production/us/app-1/https%3A%2F%2Fapi.test',
    '{"format":1,"current":{"token":"secret-x",',
  )
  await attempt(tokens.get())

  const clients = createTestClientService(clock)
  const customers = createClientTokens({
    endpoints: clients.endpoints,
    store,
    identity,
    clock,
    observer: listeners.observer,
  })
  clients.next.create.push(failure('invalid-response'))
  await attempt(customers.get('anna'))
  await attempt(customers.get('anna'))
  await clock.advance(7_000_000)
  clients.next.refresh.push(failure('not-sent'), failure('server-error'))
  await attempt(customers.get('anna'))
  store.failures.push('compareAndSet')
  await attempt(customers.get('anna'))
  store.entries.set(
    'client-token/production/us/app-1/https%3A%2F%2Fapi.test/bert',
    '{"format":1,"refreshToken":"secret-y"',
  )
  await attempt(customers.get('bert'))

  expect(heard.length).toBeGreaterThan(30)
  expect(heard.filter((item) => item instanceof Error).length).toBeGreaterThan(12)
  for (const item of heard) expect(readAll(item)).not.toMatch(/secret-/)
  expect(store.entries.get('client-token/production/us/app-1/https%3A%2F%2Fapi.test/anna')).toMatch(
    /secret-refresh-/,
  )
})
