/**
 * The token calls with the signed client and real connections: the received requests, and the result of each
 * response.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Secret, type Store } from '@brokerwire/core'
import { createHttpClient, type HttpErrorCode, isHttpError } from '@brokerwire/http'
import { createSigner, createVerifier } from '@brokerwire/signer'
import { createMemoryStore } from '@brokerwire/stores'
import { freePort } from '@brokerwire/testing/free-port'
import { PAIR, RECORD, TOKEN } from '@brokerwire/testing/token-responses'
import {
  createAccessTokens,
  createTokenEndpoints,
  createTokenRateLimiter,
  type TokenCallFailureKind,
  type TokenEndpoints,
} from '@brokerwire/tokens'
import { describe, expect, onTestFinished, test } from 'vitest'

const [APP_KEY, APP_SECRET] = ['app-key-1', 'app-secret-1']
interface Received {
  readonly method: string
  readonly target: string
  readonly headers: IncomingMessage['headers']
  readonly text: string
  readonly isSigned: boolean
}
type Answer = (received: Received, response: ServerResponse) => void

/** Starts a service with the responses of the test. */
async function startService(answer: Answer) {
  const received: Received[] = []
  const verifier = createVerifier({ secretFor: () => APP_SECRET })
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const { method = '', url: target = '', headers } = request
    const { ok } = await verifier.verify({
      host: headers.host ?? '',
      target,
      headers: headers as Record<string, string>,
      body,
    })
    const got = { method, target, headers, text: body.toString(), isSigned: ok }
    received.push(got)
    answer(got, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const signer = createSigner({ appKey: APP_KEY, appSecret: APP_SECRET })
  const options = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    signer,
    maxRetries: 0,
  }
  return { options, received, endpoints: createTokenEndpoints(createHttpClient(options)) }
}

const reply =
  (status: number, json: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) =>
    response.writeHead(status, headers).end(JSON.stringify(json))

const CALLS: readonly (readonly [
  name: string,
  call: (endpoints: TokenEndpoints) => Promise<unknown>,
  string,
  string,
])[] = [
  ['create', (endpoints) => endpoints.access.create({}, {}), '/auth/tokens/create', '{}'],
  [
    'create with the previous token',
    (endpoints) => endpoints.access.create({ previousToken: new Secret('old') }, {}),
    '/auth/tokens/create',
    '{"token":"old"}',
  ],
  [
    'check',
    (endpoints) => endpoints.access.check(new Secret('t'), {}),
    '/auth/tokens/check',
    '{"token":"t"}',
  ],
  [
    'client create',
    (endpoints) => endpoints.client.create('user <1>', {}),
    '/auth/client-tokens/create',
    '{"client_user_id":"user <1>"}',
  ],
  [
    'client refresh',
    (endpoints) => endpoints.client.refresh(new Secret('r'), {}),
    '/auth/client-tokens/refresh',
    '{"refresh_token":"r"}',
  ],
]

test.each(CALLS)(
  '%s: what arrives is signed, whole, and without an access token',
  async (name, call, target, body) => {
    const { endpoints, received } = await startService(reply(200, name.startsWith('client') ? PAIR : RECORD))
    expect(await call(endpoints)).toMatchObject({ ok: true })
    expect(received).toMatchObject([{ method: 'POST', target, text: body, isSigned: true }])
    expect(received[0]?.headers).not.toHaveProperty('x-access-token')
  },
)

test('a create is sent once, for every status', async () => {
  for (const status of [421, 408, 407, 401, 503]) {
    const { options, received } = await startService(reply(status, {}))
    const { access, client } = createTokenEndpoints(createHttpClient({ ...options, maxRetries: 2 }))
    expect(await access.create({}, {})).toMatchObject({ ok: false, failure: { status } })
    expect(await client.create('anna', {})).toMatchObject({ ok: false, failure: { status } })
    expect(received).toHaveLength(2)
  }
})

test('a renewal by the path that the public clients define carries no access token', async () => {
  const { options, received } = await startService(reply(200, RECORD))
  const { access } = createTokenEndpoints(createHttpClient(options), { renewal: 'refresh' })
  await access.create({ previousToken: new Secret('previous') }, {})
  expect(received).toMatchObject([
    { target: '/openapi/auth/token/refresh', text: '{"token":"previous"}', isSigned: true },
  ])
  expect(received[0]?.headers).not.toHaveProperty('x-access-token')
})

describe('failures', () => {
  const table: Readonly<Record<string, readonly [Answer, object]>> = {
    401: [
      reply(401, { error_code: 'UNAUTHORIZED' }),
      { kind: 'rejected', status: 401, code: 'UNAUTHORIZED' },
    ],
    403: [reply(403, {}), { kind: 'rejected', status: 403 }],
    408: [reply(408, {}), { kind: 'no-response', status: 408 }],
    409: [reply(409, {}), { kind: 'rejected', status: 409 }],
    417: [
      reply(417, { error_code: 'INVALID_PARAMETER' }),
      { kind: 'rejected', status: 417, code: 'INVALID_PARAMETER' },
    ],
    429: [
      reply(429, {}, { 'retry-after': '60' }),
      { kind: 'rate-limited', status: 429, retryAfterMs: 60_000 },
    ],
    500: [reply(500, {}), { kind: 'server-error', status: 500 }],
    'a redirect': [reply(302, {}, { location: '/elsewhere' }), { kind: 'invalid-response', status: 302 }],
    'no answer': [(_, response) => response.destroy(), { kind: 'no-response' }],
    'malformed JSON': [(_, response) => response.end(`{"token":"${TOKEN}"`), { kind: 'invalid-response' }],
    'an empty body': [(_, response) => response.end(), { kind: 'invalid-response' }],
    'more than 64 KiB': [reply(200, { ...RECORD, more: 'x'.repeat(70_000) }), { kind: 'invalid-response' }],
  }
  test.each(Object.entries(table))('%s', async (_, [answer, failure]) => {
    for (const [, call] of CALLS) {
      const { endpoints } = await startService(answer)
      const result = (await call(endpoints)) as { readonly failure: { readonly error: Error } }
      expect(result).toMatchObject({ ok: false, failure })
      expect(`${result.failure.error.stack} ${JSON.stringify(result.failure.error)}`).not.toContain(TOKEN)
    }
  })

  test('a refused connection means that nothing was sent', async () => {
    const signer = createSigner({ appKey: APP_KEY, appSecret: APP_SECRET })
    const endpoints = createTokenEndpoints(
      createHttpClient({ baseUrl: `http://127.0.0.1:${await freePort()}`, signer, maxRetries: 0 }),
    )
    for (const [, call] of CALLS)
      expect(await call(endpoints)).toMatchObject({ ok: false, failure: { kind: 'not-sent' } })
  })

  test('each error code of the HTTP client states whether the request was sent', async () => {
    // Compiles only if every code is listed.
    const kinds: Readonly<Record<HttpErrorCode, TokenCallFailureKind>> = {
      HTTP_OPTION_INVALID: 'not-sent',
      HTTP_HEADER_FORBIDDEN: 'not-sent',
      HTTP_NOT_SENT: 'not-sent',
      HTTP_NO_RESPONSE: 'no-response',
      HTTP_TIMEOUT: 'no-response',
      HTTP_UNAUTHORIZED: 'rejected',
      HTTP_CLOCK_IMPLAUSIBLE: 'rejected',
      HTTP_FORBIDDEN: 'rejected',
      HTTP_BUSINESS_ERROR: 'rejected',
      HTTP_CLIENT_ERROR: 'rejected',
      HTTP_RATE_LIMITED: 'rate-limited',
      HTTP_SERVER_ERROR: 'server-error',
      HTTP_REDIRECT: 'invalid-response',
      HTTP_RESPONSE_TOO_LARGE: 'invalid-response',
      HTTP_INVALID_RESPONSE: 'invalid-response',
    }
    const brand = { [Symbol.for('@brokerwire/error')]: 'http', details: {} }
    for (const [code, kind] of Object.entries(kinds)) {
      const failed = Object.assign(new Error(code), brand, { code })
      const endpoints = createTokenEndpoints({ request: () => Promise.reject(failed) })
      expect(await endpoints.access.create({}, {})).toMatchObject({ failure: { kind } })
    }
  })
})

test('a token is created once, used, and replaced when the service ends it', async () => {
  let count = 0
  let valid = ''
  const { options, received } = await startService(({ target, headers, isSigned }, response) => {
    const answer = (status: number, json: object) => response.writeHead(status).end(JSON.stringify(json))
    if (!isSigned) return answer(401, { error_code: 'INVALID_SIGNATURE' })
    if (target === '/auth/tokens/create') {
      count += 1
      valid = count.toString(16).padStart(32, '0')
    }
    if (target.startsWith('/auth/tokens/')) {
      const status = valid === '' ? 'INVALID' : 'NORMAL'
      return answer(200, { token: valid || '0'.repeat(32), expires_at: Date.now() + 86_400_000, status })
    }
    if (headers['x-access-token'] !== valid || valid === '')
      return answer(401, { error_code: 'INVALID_TOKEN' })
    return answer(200, { served: headers['x-access-token'] })
  })
  const store: Store = createMemoryStore()
  const endpoints = createTokenEndpoints(createHttpClient(options), { limiter: createTokenRateLimiter() })
  const identity = { environment: 'sandbox', region: 'us', appKey: APP_KEY, baseUrl: options.baseUrl }
  const accessTokens = createAccessTokens({ endpoints: endpoints.access, store, identity })
  onTestFinished(() => accessTokens.close())
  const http = createHttpClient({ ...options, accessTokens })

  const answers = await Promise.all([1, 2, 3].map(() => http.request({ method: 'GET', path: '/orders' })))
  expect(answers.map((answer) => answer.json())).toEqual(Array(3).fill({ served: `${'0'.repeat(31)}1` }))
  valid = ''
  const after = await http.request({ method: 'GET', path: '/orders' })
  expect(after.json()).toEqual({ served: `${'0'.repeat(31)}2` })
  valid = ''
  const error = await http
    .request({ method: 'POST', path: '/orders', json: {} })
    .catch((caught: unknown) => caught)
  expect(isHttpError(error, 'HTTP_UNAUTHORIZED') && error.retryable).toBe(true)
  const again = await http.request({ method: 'POST', path: '/orders', json: {} })
  expect(again.json()).toEqual({ served: `${'0'.repeat(31)}3` })
  expect(received.filter(({ target }) => target === '/auth/tokens/create')).toHaveLength(3)
})
