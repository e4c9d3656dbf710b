/** The edge entry against the simulator, over real connections, on Node and in workerd. */

import type { FetchLike } from '@brokerwire/core'
import {
  clientTokens,
  createBrokerage,
  type EdgeBrokerageOptions,
  type EdgeBrokerageWithClientTokens,
  rateLimiter,
} from '@brokerwire/edge'
import { isHttpError } from '@brokerwire/http'
import { createMemoryStore } from '@brokerwire/stores'
import { isTokensError } from '@brokerwire/tokens'
import { describe, expect, onTestFinished, test } from 'vitest'
import { holdLimits } from './test/held-limits.ts'
import { type RemoteSimulator, startRemoteSimulator } from './test/remote-simulator.ts'

const CREATE = '/auth/tokens/create'
const ECHO = '/openapi/simulator/echo'
/** Time limit of an attempt. No test waits for it: see `held-limits.ts`. */
const LIMIT_MS = 19_999

declare const fetch: FetchLike
declare const setTimeout: (callback: () => void, delayMs: number) => unknown

function open(
  simulator: RemoteSimulator,
  more: Partial<EdgeBrokerageOptions> = {},
): EdgeBrokerageWithClientTokens {
  const brokerage = createBrokerage({
    ...simulator.options,
    tokens: { pollIntervalMs: 10 },
    ...more,
    plugins: [clientTokens(), rateLimiter({ limit: 10_000 })],
  })
  onTestFinished(() => brokerage.close())
  return brokerage
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise
  } catch (error) {
    return error
  }
}

test('creates a token at once, sends it with signed requests, and creates another when the service ends it', async () => {
  const simulator = await startRemoteSimulator('sandbox')
  const { http } = open(simulator)
  const query = [['b', 'x y&=+é'] as const, ['a', ''] as const]
  const response = await http.request({ method: 'POST', path: ECHO, query, json: { text: '<&>' } })
  expect(response.status).toBe(200)
  await simulator.endAccessTokens()
  expect((await http.request({ method: 'GET', path: ECHO })).status).toBe(200)
  const requests = await simulator.requests()
  expect(requests.filter(({ path }) => path === CREATE)).toHaveLength(2)
})

test('in production a token is approved once, and a later isolate over the same store asks for no code', async () => {
  const simulator = await startRemoteSimulator('production')
  const store = createMemoryStore()
  const { accessTokens } = open(simulator, { store })
  const pending = await rejection(accessTokens.get({ wait: false }))
  expect(isTokensError(pending, 'TOKEN_PENDING')).toBe(true)
  const waiting = accessTokens.get()
  await simulator.approveSecondFactor()
  const token = await waiting
  const later = await open(simulator, { store }).accessTokens.get({ wait: false })
  expect(later?.token.reveal()).toBe(token?.token.reveal())
  const requests = await simulator.requests()
  expect(requests.filter(({ path }) => path === CREATE)).toHaveLength(1)
})

test('two isolates share the client token of a customer', async () => {
  const simulator = await startRemoteSimulator('sandbox')
  const store = createMemoryStore()
  const [one, other] = [open(simulator, { store }), open(simulator, { store })]
  const tokens = await Promise.all([one.clientTokens.get('anna'), other.clientTokens.get('anna')])
  expect(new Set(tokens.map(({ accessToken }) => accessToken.reveal())).size).toBe(1)
  expect((await simulator.requests()).map(({ path }) => path)).toEqual(['/auth/client-tokens/create'])
})

describe('a fault of the service is a typed error in time, and the next request succeeds', () => {
  const http = { maxRetries: 0, maxResponseBytes: 100_000 }
  test.each([
    ['headers', { kind: 'hang' }],
    ['body', { kind: 'drip', intervalMs: 40 }],
  ] as const)('HTTP_TIMEOUT while it waits for the %s: %j', async (phase, fault) => {
    const simulator = await startRemoteSimulator('sandbox')
    const limits = holdLimits(LIMIT_MS)
    const calling: FetchLike = async (url, init) => {
      const response = await fetch(url, init)
      if (isStalled) setTimeout(limits.end, 0)
      return response
    }
    let isStalled = false
    const brokerage = open(simulator, { http: { ...http, fetch: calling }, clock: limits.clock })
    await brokerage.accessTokens.get()
    await simulator.fault(ECHO, fault)
    isStalled = true
    const request = { method: 'POST', path: ECHO, json: {}, timeoutMs: LIMIT_MS } as const
    const failing = rejection(brokerage.http.request(request))
    const hasArrived = async (): Promise<boolean> =>
      (await simulator.requests()).some(({ path }) => path === ECHO)
    while (!(await hasArrived())) {}
    if (phase === 'headers') limits.end()
    const error = await failing
    expect(isHttpError(error, 'HTTP_TIMEOUT') && error.details.phase).toBe(phase)
    isStalled = false
    const response = await brokerage.http.request({ method: 'GET', path: ECHO })
    expect(response.status).toBe(200)
  })

  test.each([
    ['HTTP_NO_RESPONSE', { kind: 'close' }],
    ['HTTP_NO_RESPONSE', { kind: 'truncate' }],
    ['HTTP_RESPONSE_TOO_LARGE', { kind: 'flood', bytes: 10_000_000 }],
    ['HTTP_REDIRECT', { kind: 'respond', status: 302, headers: { location: '/elsewhere' } }],
    ['HTTP_SERVER_ERROR', { kind: 'respond', status: 500, body: '<html>' }],
    ['HTTP_BUSINESS_ERROR', { kind: 'respond', status: 417, body: '' }],
  ] as const)('%s: %j', async (code, fault) => {
    const simulator = await startRemoteSimulator('sandbox')
    const brokerage = open(simulator, { http })
    await brokerage.accessTokens.get()
    await simulator.fault(ECHO, fault)
    const error = await rejection(brokerage.http.request({ method: 'POST', path: ECHO, json: {} }))
    expect(isHttpError(error) && error.code).toBe(code)
    const response = await brokerage.http.request({ method: 'GET', path: ECHO })
    expect(response.status).toBe(200)
  })
})
