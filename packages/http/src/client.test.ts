import { Secret } from '@brokerwire/core'
import { PATHS_WITHOUT_TOKEN } from '@brokerwire/core/endpoints'
import { describe, expect, test } from 'vitest'
import { createHttpClient, type HttpAttempt, type HttpRequest, isHttpError } from './index.ts'
import { APP_KEY, APP_SECRET } from './test/credentials.ts'
import { rejection, TOKEN, testOptions, testTokens } from './test/fixtures.ts'
import { last, setUp } from './test/set-up.ts'

describe('the client sends exactly the signed request', () => {
  const requests: Readonly<Record<string, HttpRequest>> = {
    'a GET without query': { method: 'GET', path: '/orders' },
    'a GET with a query in any order': {
      method: 'GET',
      path: '/orders/a%20b',
      query: [
        ['z', '1'],
        ['a', 'x y&=+/?\u00e9\u{1f4c8}'],
        ['a', ''],
        ["quote'", '(!*)'],
        ['host', 'h'],
      ],
    },
    'a POST with JSON': { method: 'POST', path: '/orders', json: { side: 'BUY', note: '<a & b>' } },
    'a POST with an empty object': { method: 'POST', path: '/orders', json: {} },
    'a POST without body': { method: 'POST', path: '/orders' },
    'a PUT with text': { method: 'PUT', path: '/notes', body: 'Gr\u00fc\u00dfe' },
    'a PATCH with bytes': { method: 'PATCH', path: '/notes', body: new Uint8Array([0, 255, 10, 13]) },
    'a DELETE': { method: 'DELETE', path: '/orders/1' },
    'a HEAD': { method: 'HEAD', path: '/orders' },
  }
  for (const [name, request] of Object.entries(requests)) {
    test(name, async () => {
      const { service, client } = await setUp()
      await client.request(request)
      expect((await last(service)).verdict).toEqual({ ok: true, appKey: APP_KEY })
      expect((await last(service)).method).toBe(request.method)
    })
  }

  test('JSON is compact, and <, > and & are not escaped', async () => {
    const { service, client } = await setUp()
    await client.request({ method: 'POST', path: '/orders', json: { b: ['<>&', '\u2028'], a: 1 } })
    expect((await last(service)).text).toBe('{"b":["<>&","\u2028"],"a":1}')
    expect((await last(service)).headers['content-type']).toBe('application/json')
  })

  test('a secret in JSON is sent as its string, at any depth', async () => {
    const { service, client } = await setUp()
    await client.request({
      method: 'POST',
      path: '/x',
      json: { token: new Secret('s1'), deep: [new Secret('s2')] },
    })
    expect((await last(service)).text).toBe('{"token":"s1","deep":["s2"]}')
  })

  test('a secret that toJSON returns is sent as its string, too', async () => {
    const { service, client } = await setUp()
    const wrapped = { toJSON: () => new Secret('hunter2') }
    await client.request({ method: 'POST', path: '/x', json: { wrapped, list: [wrapped] } })
    expect((await last(service)).text).toBe('{"wrapped":"hunter2","list":["hunter2"]}')
  })

  test('a buffer that the caller changes later does not change the request', async () => {
    const { service, client } = await setUp({ accessTokens: undefined })
    const body = new Uint8Array([1, 2, 3])
    const sent = client.request({ method: 'POST', path: '/x', body, authenticated: false })
    body.fill(9)
    await sent
    expect([...(await last(service)).body]).toEqual([1, 2, 3])
    expect((await last(service)).verdict.ok).toBe(true)
  })

  test('each attempt has its own signature', async () => {
    const { service, client } = await setUp()
    await service.reply({ status: 503 }, { json: {} })
    await client.request({ method: 'GET', path: '/orders' })
    const nonces = (await service.received()).map(({ headers }) => headers['x-signature-nonce'])
    expect(new Set(nonces).size).toBe(2)
    expect((await service.received()).map(({ verdict }) => verdict.ok)).toEqual([true, true])
  })
})

describe('headers', () => {
  test('only the documented headers are sent, without secrets', async () => {
    const { service, client } = await setUp()
    await client.request({ method: 'GET', path: '/orders', headers: { 'X-Trace': 'abc' } })
    const { headers } = await last(service)
    expect(headers).toMatchObject({
      accept: 'application/json',
      'x-version': 'v2',
      'x-access-token': TOKEN,
      'x-trace': 'abc',
      'x-signature-version': '1.0',
      'x-signature-algorithm': 'HMAC-SHA1',
    })
    expect(headers['x-app-secret']).toBeUndefined()
    expect(JSON.stringify(headers)).not.toContain(APP_SECRET)
  })

  test('x-version is v2 by default, and v3 for a client, a path prefix or a request', async () => {
    const { service, client } = await setUp({ apiVersions: { '/v3': 'v3', '/v3/old': 'v2' } })
    const versionOf = async (request: Partial<HttpRequest>) => {
      await client.request({ method: 'GET', path: '/', ...request })
      return (await last(service)).headers['x-version']
    }
    expect(await versionOf({ path: '/orders' })).toBe('v2')
    expect(await versionOf({ path: '/v3/orders' })).toBe('v3')
    expect(await versionOf({ path: '/v3' })).toBe('v3')
    expect(await versionOf({ path: '/v3x' })).toBe('v2')
    expect(await versionOf({ path: '/v3/old/orders' })).toBe('v2')
    expect(await versionOf({ path: '/orders', apiVersion: 'v3' })).toBe('v3')
    const other = createHttpClient(testOptions(service.url, { apiVersion: 'v3' }))
    await other.request({ method: 'GET', path: '/orders' })
    expect((await last(service)).headers['x-version']).toBe('v3')
  })

  test.each([
    '/auth/tokens/create',
    '/auth/tokens/check',
    '/openapi/auth/token/create',
    '/openapi/auth/token/check',
    '/auth/client-tokens/create',
    '/auth/client-tokens/refresh',
    '/openapi/auth/client/token/create',
    '/openapi/auth/client/token/refresh',
  ])(
    '%s is called without a token, even if authenticated is true, and a token of the request is rejected',
    async (path) => {
      const { service, client } = await setUp()
      const request = { method: 'POST', path, json: {}, authenticated: true } as const
      expect(await rejection(client.request({ ...request, accessToken: TOKEN }))).toMatchObject({
        code: 'HTTP_OPTION_INVALID',
        details: { option: 'accessToken' },
      })
      await client.request(request)
      expect(PATHS_WITHOUT_TOKEN).toContain(path)
      expect((await last(service)).headers).not.toHaveProperty('x-access-token')
    },
  )

  test('a request can carry its own token, or none', async () => {
    const { service, client } = await setUp()
    await client.request({ method: 'GET', path: '/x', accessToken: new Secret('client-token') })
    expect((await last(service)).headers['x-access-token']).toBe('client-token')
    await client.request({ method: 'GET', path: '/x', authenticated: false })
    expect((await last(service)).headers).not.toHaveProperty('x-access-token')
  })

  test('no token is sent if the service requires none', async () => {
    const accessTokens = { ...testTokens(), get: async () => undefined }
    const { service, client } = await setUp({ accessTokens })
    await client.request({ method: 'GET', path: '/x' })
    expect((await last(service)).headers).not.toHaveProperty('x-access-token')
  })
})

describe('responses', () => {
  test('a response has status, headers, request id, bytes, text and JSON', async () => {
    const { service, client } = await setUp()
    await service.reply({ status: 201, headers: { 'x-request-id': 'r-1' }, json: { big: 1, text: '\u00e9' } })
    const response = await client.request({ method: 'GET', path: '/x' })
    expect(response).toMatchObject({ status: 201, requestId: 'r-1' })
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(response.text()).toBe('{"big":1,"text":"\u00e9"}')
    expect(response.json()).toEqual({ big: 1, text: '\u00e9' })
    expect(response.bytes).toHaveLength(21)
  })

  test.each([
    ['', 'an empty body'],
    ['<html>hunter2</html>', 'text that is not JSON'],
    ['{"a":"hunter2"', 'text that is not JSON'],
  ])('a response that is not JSON is an error only in json(): %j', async (text, received) => {
    const { service, client } = await setUp()
    await service.reply({ text })
    const response = await client.request({ method: 'GET', path: '/x' })
    expect(response.text()).toBe(text)
    const error = await rejection((async () => response.json())())
    expect(isHttpError(error, 'HTTP_INVALID_RESPONSE') && error.details).toMatchObject({
      received,
      status: 200,
    })
    expect(`${error} ${JSON.stringify(error)}`).not.toContain('hunter2')
  })

  test('a byte order mark is removed from JSON and kept in the text', async () => {
    const { service, client } = await setUp()
    await service.reply({ text: '\ufeff{"a":1}' })
    const response = await client.request({ method: 'GET', path: '/x' })
    expect(response.json()).toEqual({ a: 1 })
    expect(response.text()).toBe('\ufeff{"a":1}')
  })

  test('bytes that are not UTF-8 stay available as bytes', async () => {
    const { service, client } = await setUp()
    await service.reply({ steps: ['head', { writeBase64: '//4=' }, 'end'] })
    const response = await client.request({ method: 'GET', path: '/x' })
    expect([...response.bytes]).toEqual([0xff, 0xfe])
    expect(() => response.text()).toThrow('the response must be text in UTF-8')
  })
})

describe('observers', () => {
  test('they see every attempt, without a secret', async () => {
    const { service, client, attempts, ends, clock } = await setUp({ clientId: 'main' })
    await service.reply(
      { status: 503, json: { error_code: 'BUSY' } },
      { json: {}, headers: { 'x-request-id': 'r-2' } },
    )
    const start = clock.now()
    await client.request({ method: 'GET', path: '/orders', query: [['q', 'hunter2']] })
    const attempt = {
      clientId: 'main',
      request: 1,
      origin: client.origin,
      operation: undefined,
      method: 'GET',
      path: '/orders',
      apiVersion: 'v2',
      authenticated: true,
    }
    expect(attempts).toEqual([
      { ...attempt, attempt: 1 },
      { ...attempt, attempt: 2 },
    ])
    expect(ends).toMatchObject([
      { attempt: 1, status: 503, errorCode: 'HTTP_SERVER_ERROR', serviceCode: 'BUSY', retryDelayMs: 125 },
      { attempt: 2, status: 200, requestId: 'r-2', errorCode: undefined, retryDelayMs: undefined },
    ])
    expect(clock.now() - start).toBe(125)
    const told = JSON.stringify([attempts, ends])
    for (const secret of ['hunter2', TOKEN, String((await last(service)).headers['x-signature'])]) {
      expect(told).not.toContain(secret)
    }
  })

  test('their exceptions change nothing', async () => {
    const fail = (): never => {
      throw new Error('broken observer')
    }
    const { client } = await setUp({ observer: { onHttpAttempt: fail, onHttpAttemptEnd: fail } })
    expect((await client.request({ method: 'GET', path: '/x' })).status).toBe(200)
  })

  test('their rejections change nothing', async () => {
    const fail = async (): Promise<never> => {
      throw new Error('broken observer')
    }
    const { client } = await setUp({ observer: { onHttpAttempt: fail, onHttpAttemptEnd: fail } })
    // An unhandled rejection would fail the run.
    const { status } = await client.request({ method: 'GET', path: '/x', onAttemptEnd: fail })
    expect(status).toBe(200)
  })

  test('they get a different name for each client', async () => {
    const watched = await setUp()
    const other = await setUp({ observer: watched.observer })
    for (const client of [watched.client, other.client]) await client.request({ method: 'GET', path: '/x' })
    const [first, second] = watched.ends.map(({ clientId }) => clientId)
    expect(first).toMatch(/^http-\d+$/)
    expect(second).toMatch(/^http-\d+$/)
    expect(second).not.toBe(first)
  })

  test('they get the name of the operation', async () => {
    const { client, ends } = await setUp()
    await client.request({ method: 'GET', path: '/orders/123', operation: 'orders.get' })
    expect(ends).toMatchObject([{ operation: 'orders.get', path: '/orders/123' }])
  })

  test('they may be instances of a class', async () => {
    class Counter {
      attempts = 0
      ends = 0
      onHttpAttempt(): void {
        this.attempts += 1
      }
      onHttpAttemptEnd(): void {
        this.ends += 1
      }
    }
    const observer = new Counter()
    const { client } = await setUp({ observer })
    await client.request({ method: 'GET', path: '/x' })
    expect(observer).toEqual({ attempts: 1, ends: 1 })
  })

  test('they see an attempt that the caller aborted', async () => {
    const { service, client, ends } = await setUp()
    await service.reply({ steps: [] })
    const controller = new AbortController()
    const sent = rejection(client.request({ method: 'GET', path: '/x', signal: controller.signal }))
    await service.arrived(1)
    controller.abort('enough')
    expect(await sent).toBe('enough')
    expect(ends).toMatchObject([{ errorCode: 'ABORTED', status: undefined }])
  })
})

describe('the option headers', () => {
  test('adds headers to each attempt, which are not signed', async () => {
    const seen: HttpAttempt[] = []
    const { service, client, attempts } = await setUp({
      headers: (attempt) => {
        seen.push(attempt)
        return { Traceparent: `00-trace-${attempt.attempt}`, accept: 'text/plain' }
      },
    })
    await service.reply({ status: 503 }, { json: {} })
    await client.request({ method: 'GET', path: '/x' })
    const received = await service.received()
    expect(received.map(({ headers }) => headers.traceparent)).toEqual(['00-trace-1', '00-trace-2'])
    // The client's own header replaces it.
    expect(received[0]?.headers.accept).toBe('application/json')
    expect(seen).toEqual(attempts)
  })

  test.each([
    ['X-Signature', 'the client sets it'],
    ['x-app-secret', 'the app secret is never sent'],
    ['x-access-token', 'set the option accessToken'],
    ['x-version', 'set the option apiVersion'],
    ['connection', 'the client sets it'],
    ['host', 'it follows from baseUrl'],
  ])('must not return %s', async (name, reason) => {
    const { service, client, ends } = await setUp({ headers: () => ({ [name]: 'hidden-value' }) })
    const header = name.toLowerCase()
    expect(await rejection(client.request({ method: 'GET', path: '/x' }))).toMatchObject({
      code: 'HTTP_HEADER_FORBIDDEN',
      details: { header, reason },
      message: `headers().${header} must not be set: ${reason}`,
    })
    expect(await service.received()).toEqual([])
    expect(ends).toMatchObject([
      { errorCode: 'HTTP_HEADER_FORBIDDEN', durationMs: 0, retryDelayMs: undefined },
    ])
  })

  test.each([
    ['no object', 7],
    ['a line break', { 'x-a': 'a\r\nx-b: b' }],
    ['a number', { 'x-a': 7 }],
  ])('must not return %s', async (_name, value) => {
    const { service, client } = await setUp({ headers: () => value as never })
    expect(await rejection(client.request({ method: 'GET', path: '/x' }))).toMatchObject({
      code: 'HTTP_OPTION_INVALID',
    })
    expect(await service.received()).toEqual([])
  })

  test('never hide that an earlier attempt was sent', async () => {
    const { service, client } = await setUp({
      headers: ({ attempt }): Record<string, string> => (attempt === 1 ? {} : { host: 'x' }),
    })
    await service.reply({ status: 503 })
    expect(await rejection(client.request({ method: 'GET', path: '/x' }))).toMatchObject({
      code: 'HTTP_SERVER_ERROR',
      message: expect.stringContaining('headers().host must not be set'),
    })
    expect(await service.received()).toHaveLength(1)
  })

  test('may throw: the request rejects with its error and is not sent', async () => {
    const { service, client, ends } = await setUp({
      headers: () => {
        throw new Error('no trace')
      },
    })
    await expect(client.request({ method: 'GET', path: '/x' })).rejects.toThrow('no trace')
    expect(await service.received()).toEqual([])
    expect(ends).toMatchObject([{ errorCode: 'ABORTED', durationMs: undefined }])
  })
})
