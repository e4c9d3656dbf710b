/** Wrong options and requests are rejected by name before anything is sent, without showing a value. */
import { createSeededRandom } from '@brokerwire/core/testing'
import { describe, expect, test } from 'vitest'
import { createHttpClient, type HttpClientOptions, type HttpRequest, isHttpError } from './index.ts'
import { rejection, TOKEN, testOptions, testTokens } from './test/fixtures.ts'
import { startService } from './test/service.ts'

/** A value as long as a real secret. Messages about options with a fixed set of values show short strings. */
const SECRET = 'hunter2-hunter2-hunter2-hunter2'
const URL = 'https://service.example'

describe('options of the client', () => {
  const table: Readonly<Record<string, readonly [string, object]>> = {
    'no URL': ['baseUrl', { baseUrl: undefined }],
    'a URL in clear text': ['baseUrl', { baseUrl: `http://${SECRET}.example` }],
    'a URL with a path': ['baseUrl', { baseUrl: `https://a.example/${SECRET}` }],
    'no signer': ['signer', { signer: undefined }],
    'a signer that cannot sign': ['signer.sign', { signer: { appSecret: SECRET } }],
    'another version': ['apiVersion', { apiVersion: SECRET }],
    'another version of a prefix': ['apiVersions["/a"]', { apiVersions: { '/a': SECRET } }],
    'an invalid prefix': ['apiVersions', { apiVersions: { a: 'v3' } }],
    'versions that are no object': ['apiVersions', { apiVersions: [SECRET] }],
    'an invalid token provider': ['accessTokens.get', { accessTokens: { get: SECRET } }],
    'a clock without sync()': ['serverClock.sync', { serverClock: { now: Date.now } }],
    'no function': ['fetch', { fetch: SECRET }],
    'no number': ['timeoutMs', { timeoutMs: '5' }],
    'no time': ['timeoutMs', { timeoutMs: 0 }],
    'a fraction of a byte': ['maxResponseBytes', { maxResponseBytes: 0.5 }],
    'too many retries': ['maxRetries', { maxRetries: 11 }],
    'a negative wait': ['maxRetryDelayMs', { maxRetryDelayMs: -1 }],
    'a clock without timers': ['clock.setTimer', { clock: { now: Date.now } }],
    'an invalid observer': ['observer', { observer: null }],
    'an observer with an invalid function': [
      'observer.onHttpAttempt',
      { observer: { onHttpAttempt: SECRET } },
    ],
  }
  test.each(Object.entries(table))('%s', (_, [option, wrong]) => {
    let error: unknown
    try {
      createHttpClient({ ...testOptions(URL), ...wrong } as HttpClientOptions)
    } catch (caught) {
      error = caught
    }
    expect(isHttpError(error, 'HTTP_OPTION_INVALID') && error.details.option).toBe(option)
    expect(`${error} ${JSON.stringify(error)}`).not.toContain(SECRET)
  })
})

describe('requests', () => {
  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic
  const table: Readonly<Record<string, readonly [string, object]>> = {
    'no method': ['method', { method: undefined }],
    'a method in lower case': ['method', { method: 'get' }],
    'no path': ['path', { path: undefined }],
    'an empty path': ['path', { path: '' }],
    'a path without a slash': ['path', { path: SECRET }],
    'another host': ['path', { path: `//${SECRET}.example/` }],
    'a URL': ['path', { path: `https://${SECRET}.example/` }],
    'a path with a query': ['path', { path: `/x?token=${SECRET}` }],
    'a path with an empty query': ['path', { path: '/x?' }],
    'a path with a fragment': ['path', { path: `/x#${SECRET}` }],
    'a path with dot segments': ['path', { path: `/a/../${SECRET}` }],
    'a path with hidden dot segments': ['path', { path: `/a/%2e%2e/${SECRET}` }],
    'a path with a space': ['path', { path: `/${SECRET} x` }],
    'a path with a letter beyond ASCII': ['path', { path: `/${SECRET}\u00e9` }],
    'a path with a backslash': ['path', { path: `/a\\${SECRET}` }],
    'a path that hides a broken host': ['path', { path: `/\\[${SECRET}` }],
    'a path that hides a broken port': ['path', { path: `/\t/${SECRET}:99999` }],
    'a query as a text': ['query', { query: `a=${SECRET}` }],
    'a record of other values': ['query', { query: { [SECRET]: 5 } }],
    'a query of other values': ['query', { query: [['a', 5]] }],
    'a query of single names': ['query', { query: [[SECRET]] }],
    'a body with GET': ['json', { method: 'GET', json: { a: SECRET } }],
    'two bodies': ['body', { json: {}, body: SECRET }],
    'a body that is null': ['body', { body: null }],
    'a body of numbers': ['body', { body: [1, 2] }],
    'JSON with a cycle': ['json.self', { json: cyclic }],
    'JSON with a bigint': ['json.a', { json: { a: 5n } }],
    'JSON that is a function': ['json', { json: () => SECRET }],
    'headers as a list': ['headers', { headers: [['a', SECRET]] }],
    'headers of the host': ['headers', { headers: new Headers({ a: SECRET }) }],
    'headers in a Map': ['headers', { headers: new Map([['a', SECRET]]) }],
    'an invalid signal': ['signal', { signal: SECRET }],
    'a signal that is null': ['signal', { signal: null }],
    'a signal without listeners': ['signal', { signal: { aborted: false } }],
    'two names of one header': ['headers.x-a', { headers: { 'X-A': '1', 'x-a': SECRET } }],
    'an invalid header name': ['headers', { headers: { [`a ${SECRET}`]: 'x' } }],
    'a header with a line break': ['headers.x-a', { headers: { 'X-A': `a\r\nx-b: ${SECRET}` } }],
    'a header beyond ASCII': ['headers.x-a', { headers: { 'X-A': `${SECRET}\u00e9` } }],
    'a header that is a number': ['headers.x-a', { headers: { 'X-A': 5 } }],
    'another version': ['apiVersion', { apiVersion: SECRET }],
    'another rule': ['retry', { retry: SECRET }],
    'a token that is not sent': ['accessToken', { accessToken: SECRET, authenticated: false }],
    'a token for an endpoint that takes none': [
      'accessToken',
      { path: '/openapi/auth/token/create', accessToken: SECRET },
    ],
    'an empty token': ['accessToken', { accessToken: '' }],
    'a token that no header can carry': ['accessToken', { accessToken: `${SECRET}\n` }],
    'an invalid time': ['timeoutMs', { timeoutMs: Number.NaN }],
    'an invalid limit': ['maxResponseBytes', { maxResponseBytes: -1 }],
    'an invalid hook': ['beforeAttempt', { beforeAttempt: SECRET }],
    'an invalid function for onAttemptEnd': ['onAttemptEnd', { onAttemptEnd: SECRET }],
  }
  let sent = 0
  const fetch = async (): Promise<Response> => {
    sent += 1
    return new Response('{}')
  }
  test.each(Object.entries(table))('%s', async (_, [option, wrong]) => {
    const client = createHttpClient(testOptions(URL, { fetch }))
    const error = await rejection(client.request({ method: 'POST', path: '/x', ...wrong } as HttpRequest))
    expect(isHttpError(error, 'HTTP_OPTION_INVALID') && error.details.option).toBe(option)
    expect(`${error} ${JSON.stringify(error)}`).not.toContain(SECRET)
    expect(error).not.toHaveProperty('cause')
    expect(sent).toBe(0)
  })

  test.each([
    'x-app-secret',
    'X-App-Secret',
    'x-app-key',
    'x-signature',
    'x-timestamp',
    'x-access-token',
    'x-version',
    'Host',
    'content-length',
    'Expect',
    'upgrade',
    'keep-alive',
    'te',
  ])('the header %s is rejected', async (name) => {
    const client = createHttpClient(testOptions(URL, { fetch }))
    const error = await rejection(client.request({ method: 'GET', path: '/x', headers: { [name]: SECRET } }))
    expect(isHttpError(error, 'HTTP_HEADER_FORBIDDEN') && error.details.header).toBe(name.toLowerCase())
    expect(`${error} ${JSON.stringify(error)}`).not.toContain(SECRET)
    expect(sent).toBe(0)
  })

  test('an authenticated request without a token provider is rejected', async () => {
    const client = createHttpClient(testOptions(URL, { fetch, accessTokens: undefined }))
    const error = await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(isHttpError(error, 'HTTP_OPTION_INVALID') && error.details.option).toBe('accessTokens')
  })

  test('a request that is not an object is rejected', async () => {
    const client = createHttpClient(testOptions(URL, { fetch }))
    expect(isHttpError(await rejection(client.request(undefined as never)), 'HTTP_OPTION_INVALID')).toBe(true)
  })
})

describe('the fetch port', () => {
  test('it receives the signed URL, and redirects are not followed', async () => {
    const calls: { url: string; redirect: string; headers: Record<string, string> }[] = []
    const fetch = async (
      url: string,
      { redirect, headers }: { redirect: string; headers: Record<string, string> },
    ) => {
      calls.push({ url, redirect, headers })
      return new Response('{"a":1}', { headers: { 'x-request-id': 'r-1' } })
    }
    const client = createHttpClient(testOptions('https://Service.example:443', { fetch }))
    const query = [
      ['b', '2 3'],
      ['a', '1'],
    ] as const
    const response = await client.request({ method: 'GET', path: '/x', query })
    expect(calls).toMatchObject([{ url: 'https://service.example/x?a=1&b=2%203', redirect: 'manual' }])
    expect(calls[0]?.headers).toMatchObject({ 'x-access-token': TOKEN, 'x-version': 'v2' })
    expect(response).toMatchObject({ status: 200, requestId: 'r-1' })
    expect(response.json()).toEqual({ a: 1 })
  })

  const queries: Readonly<Record<string, HttpRequest['query']>> = {
    'a record': { b: '2 3', a: ['1', '0'], left: undefined, out: null },
    pairs: [
      ['b', '2 3'],
      ['a', '1'],
      ['a', '0'],
    ],
    'a URLSearchParams': new URLSearchParams('b=2+3&a=1&a=0'),
  }
  for (const [form, query] of Object.entries(queries)) {
    test(`a query that is ${form}, as the signer takes it`, async () => {
      const urls: string[] = []
      const fetch = async (url: string): Promise<Response> => {
        urls.push(url)
        return new Response('{}')
      }
      const client = createHttpClient(testOptions('https://service.example', { fetch }))
      await client.request({ method: 'GET', path: '/x', query })
      expect(urls).toEqual(['https://service.example/x?a=0&a=1&b=2%203'])
    })
  }

  test('a body in chunks of any size is joined', async () => {
    const random = createSeededRandom(7)
    const whole = Uint8Array.from({ length: 5000 }, () => Math.floor(random() * 256))
    const fetch = async (): Promise<Response> => {
      let at = 0
      const body = new ReadableStream({
        pull(controller) {
          const end = at + 1 + Math.floor(random() * 700)
          controller.enqueue(whole.slice(at, end))
          at = end
          if (at >= whole.length) controller.close()
        },
      })
      return new Response(body)
    }
    const response = await createHttpClient(testOptions(URL, { fetch })).request({
      method: 'GET',
      path: '/x',
    })
    expect(response.bytes).toEqual(whole)
  })

  test('its errors are never kept, because they may quote a header', async () => {
    const fetch = async (): Promise<Response> => {
      throw new TypeError(`invalid header value ${SECRET}`, { cause: new Error(SECRET) })
    }
    const client = createHttpClient(testOptions(URL, { fetch, maxRetries: 0 }))
    const error = await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(isHttpError(error, 'HTTP_NO_RESPONSE') && error.details.reason).toBe('TypeError')
    expect(`${(error as Error).stack} ${JSON.stringify(error)}`).not.toContain(SECRET)
    expect(error).not.toHaveProperty('cause')
  })

  test.each([
    ['the token in lower case', TOKEN, TOKEN],
    ['a token that looks like a code', 'ABCDEF_0123456789', 'ABCDEF_0123456789'],
    ['another token', TOKEN, 'fedcba98765432100123456789abcdef'],
  ])('its code is not shown if it is %s', async (_, accessToken, code) => {
    for (const syscall of ['connect', 'read']) {
      const fetch = async (): Promise<Response> => {
        throw Object.assign(new Error('failed'), { code, syscall })
      }
      const client = createHttpClient(testOptions(URL, { fetch, maxRetries: 0 }))
      const error = await rejection(client.request({ method: 'GET', path: '/x', accessToken }))
      if (!isHttpError(error)) throw error
      expect(error.code).toBe(syscall === 'connect' ? 'HTTP_NOT_SENT' : 'HTTP_NO_RESPONSE')
      expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(code)
    }
  })

  test.each([
    ['null', null],
    ['no headers', { status: 200, body: null }],
    ['no body', { status: 200, headers: new Headers() }],
  ])('an invalid response object is an error: %s', async (_, answer) => {
    const fetch = async () => answer as never
    const client = createHttpClient(testOptions(URL, { fetch, maxRetries: 0 }))
    const error = await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(isHttpError(error, 'HTTP_NO_RESPONSE') && error.details.reason).toBe('TypeError')
  })

  test('a body of endless empty chunks is cancelled', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array()) })
    const fetch = async () => new Response(body)
    const client = createHttpClient(testOptions(URL, { fetch, maxRetries: 0 }))
    const error = await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(isHttpError(error, 'HTTP_NO_RESPONSE') && error.details.phase).toBe('body')
  })

  test('redirects hidden behind status 0, as in browsers, are recognized', async () => {
    const hidden = { status: 0, headers: new Headers(), body: null }
    const client = createHttpClient(testOptions(URL, { fetch: async () => hidden }))
    expect(isHttpError(await rejection(client.request({ method: 'GET', path: '/x' })), 'HTTP_REDIRECT')).toBe(
      true,
    )
  })
})

describe('ports that never respond', () => {
  const never = (): Promise<never> => new Promise(() => {})
  const tokens = testTokens(TOKEN)
  const refusal = async () =>
    new Response('{"error_code":"INVALID_TOKEN"}', {
      status: 401,
      headers: { 'content-type': 'application/json' },
    })
  const table: Readonly<Record<string, readonly [Partial<HttpClientOptions>, Partial<HttpRequest>]>> = {
    beforeAttempt: [{}, { beforeAttempt: never }],
    'accessTokens.get': [{ accessTokens: { ...tokens, get: never } }, {}],
    'accessTokens.reportRejected': [
      { accessTokens: { ...tokens, reportRejected: never }, fetch: refusal },
      {},
    ],
    'signer.sign': [{ signer: { sign: never } }, {}],
    fetch: [{ fetch: never }, {}],
  }
  test.each(Object.entries(table))('%s: the caller can abort', async (_, [options, request]) => {
    const controller = new AbortController()
    const client = createHttpClient(testOptions(URL, options))
    const { signal } = controller
    const waiting = rejection(client.request({ method: 'GET', path: '/x', signal, ...request }))
    await new Promise((resolve) => setTimeout(resolve, 0))
    controller.abort('enough')
    expect(await waiting).toBe('enough')
  })
})

describe('Object.prototype', () => {
  test('it enables neither retries, nor the token, nor plain HTTP', async () => {
    const service = await startService()
    await service.reply({ status: 503 })
    const odd = { retry: 'always', authenticated: false, maxRetries: 5, allowInsecure: true }
    Object.assign(Object.prototype, odd)
    try {
      const client = createHttpClient(testOptions(service.url))
      await rejection(client.request({ method: 'POST', path: '/x' }))
      expect(() => createHttpClient(testOptions('http://proxy.internal'))).toThrow('allowInsecure')
    } finally {
      for (const name of Object.keys(odd)) Reflect.deleteProperty(Object.prototype, name)
    }
    const received = await service.received()
    expect(received.map(({ headers }) => headers['x-access-token'])).toEqual([TOKEN])
  })

  test('allowInsecure permits plain HTTP to any host', () => {
    const insecure = testOptions('http://proxy.internal', { allowInsecure: true })
    expect(() => createHttpClient(insecure)).not.toThrow()
    expect(() => createHttpClient({ ...insecure, allowInsecure: 'yes' as never })).toThrow('allowInsecure')
  })
})
