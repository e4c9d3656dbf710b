/** The edge entry on Node and in workerd, with a small service as `fetch`. */
import type { FetchLike } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createVerifier } from '@brokerwire/signer'
import { createMemoryStore } from '@brokerwire/stores'
import { isTokensError } from '@brokerwire/tokens'
import { describe, expect, test } from 'vitest'
import * as edge from './index.ts'

const APP_KEY = 'app-key'
const APP_SECRET = 'app-secret'
const HOST = 'service.example'
const DAY_MS = 86_400_000

/** A service that checks signatures. Its tokens have states, and its clock determines all times. */
function scriptedService(status: 'NORMAL' | 'PENDING') {
  const clock = createVirtualClock()
  const verifier = createVerifier({
    secretFor: (key) => (key === APP_KEY ? APP_SECRET : undefined),
    now: clock.now,
  })
  const service = {
    clock,
    status: status as string,
    /** Method and path of the received requests, and the code of a rejection. */
    arrived: [] as string[],
    issued: 0,
    redirects: [] as unknown[],
  }
  const token = () => service.issued.toString(16).padStart(32, '0')
  const answer = (httpStatus: number, json: object): Response =>
    Response.json(json, { status: httpStatus, headers: { date: new Date(clock.now()).toUTCString() } })
  const fetch: FetchLike = async (url, init) => {
    const request = new Request(url, init as RequestInit)
    const { pathname, search } = new URL(url)
    service.redirects.push(init?.redirect)
    const body = new Uint8Array(await request.arrayBuffer())
    const verdict = await verifier.verify({
      host: HOST,
      target: pathname + search,
      headers: Object.fromEntries(request.headers),
      body: body.length === 0 ? undefined : body,
    })
    const refused = verdict.ok ? '' : ` ${verdict.rule}`
    service.arrived.push(`${request.method} ${pathname}${refused}`)
    if (!verdict.ok) {
      const code = verdict.rule === 'timestamp' ? 'ILLEGAL_TIMESTAMP' : 'INVALID_SIGNATURE'
      return answer(401, { error_code: code, message: verdict.rule })
    }
    if (pathname === '/auth/tokens/create') service.issued += 1
    if (pathname.startsWith('/auth/tokens/'))
      return answer(200, { token: token(), expires_at: clock.now() + 15 * DAY_MS, status: service.status })
    if (pathname === '/auth/client-tokens/create')
      return answer(200, {
        access_token: 'client-access',
        expires_at: clock.now() + DAY_MS,
        refresh_token: 'client-refresh',
        refresh_expires_at: clock.now() + 15 * DAY_MS,
      })
    if (request.headers.get('x-access-token') !== token() || service.status !== 'NORMAL')
      return answer(401, { error_code: 'INVALID_TOKEN', message: 'no' })
    return answer(200, { text: new TextDecoder().decode(body) })
  }
  return { service, fetch }
}

function optionsOf(fetch: FetchLike, more: Partial<edge.EdgeBrokerageOptions>): edge.EdgeBrokerageOptions {
  return {
    region: 'us',
    environment: 'sandbox',
    appKey: APP_KEY,
    appSecret: APP_SECRET,
    overrides: { baseUrl: `https://${HOST}` },
    ...more,
    http: { fetch, random: () => 0, ...more.http },
  }
}

const open = (fetch: FetchLike, more: Partial<edge.EdgeBrokerageOptions>) =>
  edge.createBrokerage(optionsOf(fetch, more))

test('the entry exports the composition and its plugins', () => {
  expect(Object.keys(edge).sort()).toEqual([
    'clientTokens',
    'createBrokerage',
    'operationRateLimiter',
    'rateLimiter',
  ])
})

describe('composition', () => {
  test('token, signed request, both from one clock', async () => {
    const { service, fetch } = scriptedService('NORMAL')
    await using brokerage = open(fetch, { clock: service.clock })
    const answer = await brokerage.http.request({
      method: 'POST',
      path: '/openapi/thing',
      query: [
        ['b', '2 3'],
        ['a', '&é'],
      ],
      json: { text: '<&>' },
    })
    expect(answer.json()).toEqual({ text: '{"text":"<&>"}' })
    expect(service.arrived).toEqual(['POST /auth/tokens/create', 'POST /openapi/thing'])
    expect(service.redirects).toEqual(['manual', 'manual'])
    expect(brokerage.endpoint).toMatchObject({ region: 'us', environment: 'sandbox' })
  })

  test('the clock is set right by the first refusal', async () => {
    const { service, fetch } = scriptedService('NORMAL')
    const clock = { ...service.clock, now: () => service.clock.now() + 3_600_000 }
    await using brokerage = open(fetch, { clock })
    expect((await brokerage.http.request({ method: 'GET', path: '/x' })).status).toBe(200)
    expect(service.arrived).toEqual([
      'POST /auth/tokens/create timestamp',
      'POST /auth/tokens/create',
      'GET /x',
    ])
  })

  test('production: never waits in a request, and finds out later', async () => {
    const { service, fetch } = scriptedService('PENDING')
    const store = createMemoryStore()
    const options = { environment: 'production', store, clock: service.clock } as const
    {
      await using brokerage = open(fetch, options)
      const error = await brokerage.accessTokens.get({ wait: false }).catch((caught: unknown) => caught)
      expect(isTokensError(error, 'TOKEN_PENDING') && error.details.deadlineMs).toBe(
        service.clock.now() + 300_000,
      )
    }
    service.status = 'NORMAL'
    await service.clock.advance(5000)
    await using later = open(fetch, options)
    expect(await later.accessTokens.get({ wait: false })).toBeDefined()
    expect(service.issued).toBe(1)
    expect(service.clock.pendingTimers).toBe(0)
  })

  test('a rejected token in the sandbox: one new one, one repeat', async () => {
    const { service, fetch } = scriptedService('NORMAL')
    const healing: FetchLike = (url, init) => {
      if (url.endsWith('/create')) service.status = 'NORMAL'
      return fetch(url, init)
    }
    await using brokerage = open(healing, { clock: service.clock })
    await brokerage.accessTokens.get()
    service.status = 'INVALID'
    expect((await brokerage.http.request({ method: 'GET', path: '/x' })).status).toBe(200)
    expect(service.issued).toBe(2)
  })

  test('client tokens exist if their plugin is passed', async () => {
    const { service, fetch } = scriptedService('NORMAL')
    await using brokerage = open(fetch, { clock: service.clock })
    expect(brokerage).not.toHaveProperty('clientTokens')
    await using asked = edge.createBrokerage({
      ...optionsOf(fetch, { clock: service.clock }),
      plugins: [edge.clientTokens()],
    })
    const token = await asked.clientTokens.get('anna')
    expect(token.accessToken.reveal()).toBe('client-access')
    expect(token).not.toHaveProperty('refreshToken')
    expect(JSON.stringify(token)).not.toContain('client-')
    await asked.close()
    expect(isTokensError(await asked.clientTokens.get('anna').catch((error) => error), 'TOKEN_CLOSED')).toBe(
      true,
    )
  })

  test('the rate limiter is created over the clock, the store and the identity of the composition', async () => {
    const { service, fetch } = scriptedService('NORMAL')
    const { clock } = service
    const store = createMemoryStore()
    const received: edge.RateLimiterParts[] = []
    const calls: string[] = []
    const recording: edge.RateLimiterPlugin = {
      name: 'rateLimiter',
      create(parts) {
        received.push(parts)
        return { acquire: async (call: string) => void calls.push(call) }
      },
    }
    await using one = open(fetch, { clock, store, plugins: [recording] })
    await using _other = open(fetch, { clock, plugins: [recording] })
    await one.accessTokens.get()
    const identity = { environment: 'sandbox', region: 'us', appKey: APP_KEY }
    expect(received).toMatchObject([
      { clock, store, identity },
      { clock, identity },
    ])
    expect(received[1]?.store).toBeUndefined()
    expect(calls).toEqual(['create'])
  })

  test.each([
    { shared: undefined, calls: 1 },
    { shared: false, calls: 2 },
  ])(
    'processes with the same store share the limit unless `shared` is false: %j',
    async ({ shared, calls }) => {
      const { service, fetch } = scriptedService('NORMAL')
      const { clock } = service
      const options = {
        clock,
        store: createMemoryStore(),
        plugins: [edge.clientTokens(), edge.rateLimiter({ clientLimit: 1, maxWaitMs: 0, shared })],
      } as const
      await using one = edge.createBrokerage({ ...optionsOf(fetch, {}), ...options })
      await using other = edge.createBrokerage({ ...optionsOf(fetch, {}), ...options })
      await Promise.allSettled([one.clientTokens.get('anna'), other.clientTokens.get('berta')])
      expect(service.arrived).toHaveLength(calls)
    },
  )

  test('an invalid option of the rate limiter is an error that names it', () => {
    const create = () => edge.rateLimiter({ limit: 0 })
    expect(create).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
    expect(create).toThrow('rateLimiter.limit must be')
  })
})
