/** Tokens and requests of a brokerage against the local service, over real connections. */
import { Secret, systemClock } from '@brokerwire/core'
import { createHttpClient, isHttpError } from '@brokerwire/http'
import { createMemoryStore } from '@brokerwire/stores'
import { startHttpServer } from '@brokerwire/testing/http-server'
import { isTokensError } from '@brokerwire/tokens'
import { describe, expect, onTestFinished, test } from 'vitest'
import { rejection, startSetUp } from './test/set-up.ts'

const CREATE = '/auth/tokens/create'
const CHECK = '/auth/tokens/check'
const ECHO = '/openapi/simulator/echo'

describe('a renewal by the refresh of the public clients', () => {
  const REFRESH = '/openapi/auth/token/refresh'

  test('uses the refresh endpoint if service and brokerage have it enabled', async () => {
    const setUp = await startSetUp({ environment: 'sandbox', tokenRefresh: true })
    const { accessTokens } = setUp.open({ tokens: { renewal: 'refresh' } })
    const before = await accessTokens.get()
    const after = await accessTokens.renew({ wait: false })
    expect(after?.token.reveal()).not.toBe(before?.token.reveal())
    expect(setUp.paths().filter((path) => path !== CHECK)).toEqual([CREATE, REFRESH])
  })

  test('fails if the service has no refresh endpoint, and keeps the earlier token', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    const { accessTokens } = setUp.open({ tokens: { renewal: 'refresh' } })
    const before = await accessTokens.get()
    const error = await rejection(accessTokens.renew())
    expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.details).toMatchObject({ status: 404 })
    expect((await accessTokens.get())?.token.reveal()).toBe(before?.token.reveal())
  })
})

describe('another host with the same app key and store', () => {
  test('receives no token, and its rejection does not end one', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    const brokerage = setUp.open()
    const token = (await brokerage.accessTokens.get())?.token.reveal() ?? ''
    const received: string[] = []
    const other = await startHttpServer((request, response) => {
      received.push(String(request.headers['x-access-token'] ?? 'none'))
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end('{"error_code":"INVALID_TOKEN"}')
    })
    onTestFinished(() => other.close())
    const stranger = setUp.open({ overrides: { baseUrl: other.url } })
    await rejection(stranger.http.request({ method: 'GET', path: '/anything' }))
    await rejection(stranger.clientTokens.get('anna', { renew: 'create' }))
    expect(received.length).toBeGreaterThan(0)
    expect(received).not.toContain(token)
    expect((await setUp.open().accessTokens.peek())?.token.reveal()).toBe(token)
    expect(setUp.paths()).toEqual([CREATE])
  })

  test('is rejected if the caller passes the tokens of the first host', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    const { accessTokens, signer } = setUp.open()
    expect(() => createHttpClient({ baseUrl: 'https://elsewhere.example', signer, accessTokens })).toThrow(
      `baseUrl must be ${setUp.simulator.baseUrl}, the origin of accessTokens; received https://elsewhere.example`,
    )
  })
})

describe('sandbox', () => {
  test('a token is created at once, and every request carries it', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    const { http } = setUp.open()
    const answer = await http.request({ method: 'POST', path: ECHO, json: { text: '<&>' } })
    expect(answer.json()).toMatchObject({ body: '{"text":"<&>"}' })
    expect(setUp.paths()).toEqual([CREATE, ECHO])
    const [create, echo] = setUp.simulator.requests()
    expect(create?.headerNames).not.toContain('x-access-token')
    expect(echo?.headerNames).toContain('x-access-token')
    for (const { headerNames } of setUp.simulator.requests())
      expect(headerNames).not.toContain('x-app-secret')
  })

  test('concurrent callers share one create, and a later process over the same store sends none', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    const tokens = await Promise.all(
      [setUp.open(), setUp.open()].flatMap(({ accessTokens }) => [accessTokens.get(), accessTokens.get()]),
    )
    expect(new Set(tokens.map((token) => token?.token.reveal())).size).toBe(1)
    await setUp.open().http.request({ method: 'GET', path: ECHO })
    expect(setUp.paths()).toEqual([CREATE, ECHO])
  })

  test('a rejected token is replaced by one create; a GET is sent again, and a POST fails as retryable', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    const { http, accessTokens } = setUp.open()
    const before = await accessTokens.get()
    setUp.simulator.endAccessTokens()
    expect((await http.request({ method: 'GET', path: ECHO })).status).toBe(200)
    expect(setUp.paths()).toEqual([CREATE, ECHO, CHECK, CREATE, ECHO])
    expect((await accessTokens.get())?.token.reveal()).not.toBe(before?.token.reveal())

    setUp.simulator.endAccessTokens()
    const error = await rejection(http.request({ method: 'POST', path: ECHO, json: {} }))
    expect(isHttpError(error, 'HTTP_UNAUTHORIZED') && error.retryable).toBe(true)
    expect(setUp.paths().slice(5)).toEqual([ECHO, CHECK, CREATE])
    expect((await http.request({ method: 'POST', path: ECHO, json: {} })).status).toBe(200)
  })

  test('a 401 for another reason does not change the token', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    const { http, accessTokens } = setUp.open()
    const before = await accessTokens.get()
    const body = JSON.stringify({ error_code: 'UNAUTHORIZED', message: 'no' })
    setUp.simulator.faults.nextHttp({ kind: 'respond', status: 401, body }, { path: ECHO })
    const error = await rejection(http.request({ method: 'GET', path: ECHO }))
    expect(isHttpError(error, 'HTTP_UNAUTHORIZED') && error.details.serviceCode).toBe('UNAUTHORIZED')
    expect(setUp.paths()).toEqual([CREATE, ECHO])
    expect((await accessTokens.get())?.token.reveal()).toBe(before?.token.reveal())
  })
})

describe('production', () => {
  test('a PENDING token becomes NORMAL after onSecondFactor was called and the person approved', async () => {
    const setUp = await startSetUp()
    const { http } = setUp.open({
      tokens: {
        pollIntervalMs: 5,
        onSecondFactor: () => setUp.simulator.approveSecondFactor(),
      },
    })
    expect((await http.request({ method: 'GET', path: ECHO })).status).toBe(200)
    expect(setUp.paths()).toEqual([CREATE, CHECK, ECHO])
  })

  test('wait: false fails with the deadline, and the token is usable after the second factor', async () => {
    const setUp = await startSetUp()
    const { accessTokens } = setUp.open({ tokens: { pollIntervalMs: 1 } })
    const startMs = Date.now()
    const error = await rejection(accessTokens.get({ wait: false }))
    if (!isTokensError(error, 'TOKEN_PENDING')) throw error
    expect(error.retryable).toBe(true)
    expect(error.details.deadlineMs - startMs).toBeGreaterThanOrEqual(300_000)
    expect(setUp.simulator.approveSecondFactor()).toBe(1)
    expect(await accessTokens.get()).toMatchObject({ token: expect.any(Secret) })
    expect(setUp.paths().filter((path) => path === CREATE)).toHaveLength(1)
  })

  test('a rejected token fails the call at once, without a second factor', async () => {
    const setUp = await startSetUp({ secondFactor: 'automatic' })
    const { http, accessTokens } = setUp.open()
    await accessTokens.get()
    setUp.simulator.endAccessTokens()
    const before = setUp.paths().length
    for (const method of ['GET', 'POST'] as const) {
      const error = await rejection(http.request({ method, path: ECHO }))
      expect(isTokensError(error, 'TOKEN_SECOND_FACTOR_REQUIRED')).toBe(true)
    }
    expect(setUp.paths().slice(before)).toEqual([ECHO, CHECK])
    expect(await accessTokens.peek()).toBeUndefined()
  })

  test('a renewal leaves the old token in use until the new one is verified', async () => {
    const setUp = await startSetUp()
    const { http, accessTokens } = setUp.open({ tokens: { pollIntervalMs: 5 } })
    const first = rejection(accessTokens.get({ wait: false }))
    await first
    setUp.simulator.approveSecondFactor()
    const old = await accessTokens.get()
    // For a process whose clock is five minutes ahead, the next create is allowed.
    const later = setUp.open({
      clock: { now: () => Date.now() + 300_000, setTimer: systemClock.setTimer },
    })
    const error = await rejection(later.accessTokens.renew({ wait: false }))
    expect(isTokensError(error, 'TOKEN_PENDING')).toBe(true)
    expect((await accessTokens.get())?.token.reveal()).toBe(old?.token.reveal())
    expect((await http.request({ method: 'GET', path: ECHO })).status).toBe(200)
    setUp.simulator.approveSecondFactor()
    const next = await later.accessTokens.renew()
    expect(next?.token.reveal()).not.toBe(old?.token.reveal())
    expect((await accessTokens.get())?.token.reveal()).toBe(next?.token.reveal())
  })
})

describe('options that the composition passes to other packages', () => {
  test('tokens.paths selects the other form of the paths', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    await setUp.open({ tokens: { paths: 'openapi' } }).accessTokens.get()
    expect(setUp.paths()).toEqual(['/openapi/auth/token/create'])
  })

  test('tokenMode auto sends no token if the service requires none', async () => {
    const setUp = await startSetUp({ environment: 'sandbox', tokenCheckEnabled: false })
    const { http, accessTokens } = setUp.open({ tokens: { tokenMode: 'auto' } })
    expect(await accessTokens.get()).toBeUndefined()
    expect((await http.request({ method: 'GET', path: ECHO })).status).toBe(200)
    expect(setUp.paths()).toEqual(['/openapi/config', ECHO])
    expect(setUp.simulator.requests().at(-1)?.headerNames).not.toContain('x-access-token')
  })

  test('the HTTP client gets its options, with the API version by path', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    const { http } = setUp.open({ http: { apiVersions: { '/openapi': 'v3' } } })
    expect((await http.request({ method: 'GET', path: ECHO })).json()).toMatchObject({ api_version: 'v3' })
    expect(setUp.simulator.requests().map(({ apiVersion }) => apiVersion)).toEqual(['v2', 'v3'])
  })

  test('app keys of other environments and regions have separate tokens and limits in one store', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    for (const region of ['us', 'hk'] as const) await setUp.open({ region }).accessTokens.get()
    expect(new Set(setUp.store.written.map(({ key }) => key))).toEqual(
      new Set(
        ['us', 'hk'].flatMap((region) => {
          const { credentials, baseUrl } = setUp.simulator
          const identity = `sandbox/${region}/${credentials.appKey}/${encodeURIComponent(baseUrl)}`
          return [`access-token/${identity}`, `rate-limit/${identity}/app-key`]
        }),
      ),
    )
    expect(setUp.paths()).toEqual([CREATE, CREATE])
  })

  test('without a store the token lives as long as the process', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    for (const store of [createMemoryStore(), undefined])
      await setUp.open({ store }).http.request({ method: 'GET', path: ECHO })
    expect(setUp.paths()).toEqual([CREATE, ECHO, CREATE, ECHO])
    expect(setUp.store.written).toEqual([])
  })

  test('a call that waits fails with TOKEN_CLOSED when the brokerage is disposed', async () => {
    const setUp = await startSetUp()
    const brokerage = setUp.open()
    const waiting = rejection(brokerage.accessTokens.get())
    for await (const change of brokerage.accessTokens.watch()) if (change.type === 'pending') break
    await brokerage.close()
    expect(isTokensError(await waiting, 'TOKEN_CLOSED')).toBe(true)
    expect(isTokensError(await rejection(brokerage.http.request({ method: 'GET', path: ECHO })))).toBe(true)
  })
})
