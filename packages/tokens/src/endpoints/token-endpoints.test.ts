/** The calls over a scripted port: the requests that they send, and the results of its responses and failures. */
import { BrokerwireError, Secret } from '@brokerwire/core'
import { throwIfAborted } from '@brokerwire/core/internal'
import { PAIR, RECORD, TOKEN } from '@brokerwire/testing/token-responses'
import { describe, expect, test } from 'vitest'
import { isTokensError } from '../tokens-error.ts'
import { createTokenEndpoints, type TokenEndpoints, type TokenEndpointsOptions } from './token-endpoints.ts'
import { FAILURE_KINDS, type TokenCallLimiter, type TokenRequest } from './token-requests.ts'

/** An error like those of the client of `@brokerwire/http`, also of another copy of that package. */
class PortError extends BrokerwireError {
  override readonly name = 'HttpError'

  constructor(code: string, details: Readonly<Record<string, unknown>> = {}) {
    super('http', code, code, { details })
  }
}

type Reply = { readonly json: unknown } | { readonly throws: unknown }

function setUp(replies: readonly Reply[], options: TokenEndpointsOptions = {}) {
  const requests: TokenRequest[] = []
  const port = {
    async request(request: TokenRequest) {
      requests.push(request)
      throwIfAborted(request.signal)
      await request.beforeAttempt()
      const reply = replies[requests.length - 1] ?? { throws: new Error('the script has no more replies') }
      if ('throws' in reply) throw reply.throws
      return { status: 200, json: () => reply.json }
    },
  }
  return { requests, endpoints: createTokenEndpoints(port, options) }
}

type Call = (endpoints: TokenEndpoints, options?: object) => Promise<unknown>
/** Each call, with the body and the path of its request. */
const CALLS: readonly (readonly [string, Call, object, string])[] = [
  ['create', (endpoints, options = {}) => endpoints.access.create({}, options), {}, '/auth/tokens/create'],
  [
    'create with the previous token',
    (endpoints, options = {}) => endpoints.access.create({ previousToken: new Secret('old') }, options),
    { token: 'old' },
    '/auth/tokens/create',
  ],
  [
    'check',
    (endpoints, options = {}) => endpoints.access.check(new Secret('t'), options),
    { token: 't' },
    '/auth/tokens/check',
  ],
  [
    'client create',
    (endpoints, options = {}) => endpoints.client.create('user <1>', options),
    { client_user_id: 'user <1>' },
    '/auth/client-tokens/create',
  ],
  [
    'client refresh',
    (endpoints, options = {}) => endpoints.client.refresh(new Secret('r'), options),
    { refresh_token: 'r' },
    '/auth/client-tokens/refresh',
  ],
]
const responseTo = (name: string): Reply => ({ json: name.startsWith('client') ? PAIR : RECORD })
/** The body as the port sends it: a `Secret` becomes its string. */
const sent = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json, (_key, value) => (value instanceof Secret ? value.reveal() : value)))

describe('requests', () => {
  test.each(CALLS)('%s', async (name, call, body, path) => {
    const { requests, endpoints } = setUp([responseTo(name)])
    expect(await call(endpoints)).toMatchObject({ ok: true })
    const [request] = requests
    // These requests carry no access token, and their responses are small.
    expect(request).toMatchObject({ method: 'POST', path, authenticated: false, maxResponseBytes: 65_536 })
    const revealed = Object.fromEntries(
      Object.entries((request?.json ?? {}) as object).map(([field, value]) => [
        field,
        value instanceof Secret ? value.reveal() : value,
      ]),
    )
    expect(sent(revealed)).toEqual(body)
    // A check changes nothing, so it is always retried. The others are retried only if they certainly had no effect.
    expect(request?.retry).toBe(name === 'check' ? 'always' : 'unsent')
  })

  test('paths: openapi uses the second form of the access-token paths', async () => {
    const { requests, endpoints } = setUp([{ json: RECORD }, { json: RECORD }, { json: PAIR }], {
      paths: 'openapi',
    })
    await endpoints.access.create({}, {})
    await endpoints.access.check(new Secret('t'), {})
    await endpoints.client.create('user', {})
    expect(requests.map(({ path }) => path)).toEqual([
      '/openapi/auth/token/create',
      '/openapi/auth/token/check',
      '/auth/client-tokens/create',
    ])
  })

  test('renewal: refresh sends the request to the path that the public clients define', async () => {
    const { requests, endpoints } = setUp([{ json: RECORD }, { json: RECORD }], { renewal: 'refresh' })
    await endpoints.access.create({}, {})
    await endpoints.access.create({ previousToken: new Secret('previous') }, {})
    expect(requests.map(({ path }) => path)).toEqual(['/auth/tokens/create', '/openapi/auth/token/refresh'])
    expect(requests[1]).toMatchObject({ method: 'POST', authenticated: false, retry: 'unsent' })
  })

  test('config returns whether the service requires a token', async () => {
    const { requests, endpoints } = setUp([
      { json: { token_check_enabled: false } },
      { json: { token_check_enabled: 'yes' } },
      { json: [] },
    ])
    expect(await endpoints.access.config({})).toEqual({ ok: true, value: { tokenCheckEnabled: false } })
    expect(requests[0]).toMatchObject({ method: 'GET', path: '/openapi/config', authenticated: false })
    for (let call = 0; call < 2; call += 1)
      expect(await endpoints.access.config({})).toMatchObject({
        ok: false,
        failure: { kind: 'invalid-response', status: 200 },
      })
  })

  test.each([
    ['paths', { request: async () => {} }, { paths: 'other' }],
    ['renewal', { request: async () => {} }, { renewal: 'other' }],
    ['limiter.acquire', { request: async () => {} }, { limiter: {} }],
    ['options', { request: async () => {} }, null],
    ['requests.request', {}, {}],
  ])('a wrong option is named: %s', (option, port, options) => {
    let error: unknown
    try {
      createTokenEndpoints(port as never, options as never)
    } catch (caught) {
      error = caught
    }
    expect(isTokensError(error, 'TOKEN_OPTION_INVALID') && error.details.option).toBe(option)
  })
})

describe('responses', () => {
  test('an access token and a pair are returned, and their strings appear nowhere else', async () => {
    const { endpoints } = setUp([{ json: { ...RECORD, status: 'PENDING' } }, { json: PAIR }])
    const created = await endpoints.access.create({}, {})
    if (!created.ok) throw created.failure.error
    expect(created.value).toMatchObject({ status: 'PENDING', expiresAtMs: 1_900_000_000_000 })
    expect(created.value.token.reveal()).toBe(TOKEN)
    const refreshed = await endpoints.client.refresh(new Secret('r'), {})
    if (!refreshed.ok) throw refreshed.failure.error
    expect(refreshed.value.refreshToken.reveal()).toBe('refresh-token-1')
    expect(JSON.stringify([created, refreshed])).not.toMatch(/token-1|0123456789abcdef/)
  })

  const unusable: Readonly<Record<string, unknown>> = {
    'an array': [RECORD],
    'no token': { ...RECORD, token: undefined },
    'an empty token': { ...RECORD, token: '' },
    'a token that no header can carry': { ...RECORD, token: `${TOKEN}\r\nx-evil: 1` },
    'a token that is a number': { ...RECORD, token: 12 },
    'a status that is no text': { ...RECORD, status: 7 },
    'a negative expiry': { ...RECORD, expires_at: -1 },
    'an absurd expiry': { ...RECORD, expires_at: 1e300 },
  }
  test.each(Object.entries(unusable))(
    '%s is an invalid response, which is reported without its content',
    async (_, json) => {
      const { endpoints } = setUp([{ json }])
      const result = await endpoints.access.create({}, {})
      expect(result).toMatchObject({ ok: false, failure: { kind: 'invalid-response', status: 200 } })
      if (result.ok) throw new Error('expected a failure')
      const { error } = result.failure
      expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(TOKEN)
    },
  )
})

describe('failures', () => {
  test.each(Object.entries(FAILURE_KINDS))('%s: %s', async (code, kind) => {
    const details = { status: 418, serviceCode: 'ODD', retryAfterMs: 1000 }
    for (const [, call] of CALLS) {
      const error = new PortError(code, details)
      expect(await call(setUp([{ throws: error }]).endpoints)).toEqual({
        ok: false,
        failure: { kind, status: 418, code: 'ODD', retryAfterMs: 1000, error },
      })
    }
  })

  test('after a gateway\u2019s 408 or an unknown code the outcome is unknown', async () => {
    for (const error of [new PortError('HTTP_CLIENT_ERROR', { status: 408 }), new PortError('HTTP_NEW')])
      expect(await setUp([{ throws: error }]).endpoints.access.create({}, {})).toMatchObject({
        failure: { kind: 'no-response' },
      })
  })

  test('after an error of another port the outcome is unknown', async () => {
    for (const throws of [new Error('foreign'), 'text', undefined]) {
      const result = await setUp([{ throws }]).endpoints.access.create({}, {})
      expect(result).toMatchObject({ ok: false, failure: { kind: 'no-response', error: expect.any(Error) } })
    }
  })

  test('a port that rejects before it calls beforeAttempt has sent nothing', async () => {
    const endpoints = createTokenEndpoints({ request: () => Promise.reject(new Error('no connection')) })
    expect(await endpoints.access.create({}, {})).toMatchObject({ failure: { kind: 'not-sent' } })
  })

  test('after another error of the toolkit the outcome is unknown, because the request may have been sent', async () => {
    for (const name of ['stores', 'core', 'tokens']) {
      const failed = Object.assign(new Error('no store'), { [Symbol.for('@brokerwire/error')]: name })
      expect(await setUp([{ throws: failed }]).endpoints.access.create({}, {})).toMatchObject({
        failure: { kind: 'no-response', error: failed },
      })
    }
  })

  test('a signature that cannot be created means that nothing was sent', async () => {
    const failed = Object.assign(new Error('no signature'), { [Symbol.for('@brokerwire/error')]: 'signer' })
    expect(await setUp([{ throws: failed }]).endpoints.access.create({}, {})).toMatchObject({
      failure: { kind: 'not-sent', error: failed },
    })
  })
})

test.each([true, false])(
  'no listener remains on the caller\u2019s signal (a limiter: %s)',
  async (limited) => {
    const limiter: TokenCallLimiter | undefined = limited ? { acquire: async () => {} } : undefined
    const { endpoints } = setUp([{ json: RECORD }, { json: RECORD }], { limiter })
    const { signal } = new AbortController()
    let listeners = 0
    const counted = (change: number, method: 'addEventListener' | 'removeEventListener'): void => {
      const inner = signal[method].bind(signal) as (...values: unknown[]) => void
      Object.assign(signal, {
        [method](...values: unknown[]) {
          listeners += change
          inner(...values)
        },
      })
    }
    counted(1, 'addEventListener')
    counted(-1, 'removeEventListener')
    await endpoints.access.check(new Secret('t'), { signal })
    await endpoints.access.check(new Secret('t'), { signal })
    expect(listeners).toBe(0)
  },
)

describe('the limiter', () => {
  test('it is awaited before each attempt, and informed of a 429', async () => {
    const asked: string[] = []
    const rateLimited: unknown[] = []
    const limiter: TokenCallLimiter = {
      acquire: async (call) => void asked.push(call),
      backOff: (delayMs, call) => void rateLimited.push([delayMs, call]),
    }
    const { endpoints } = setUp(
      [
        { json: RECORD },
        { throws: new PortError('HTTP_RATE_LIMITED', { status: 429, retryAfterMs: 40_000 }) },
      ],
      { limiter },
    )
    await endpoints.access.check(new Secret('t'), {})
    await endpoints.client.refresh(new Secret('r'), {})
    expect(asked).toEqual(['check', 'client-refresh'])
    expect(rateLimited).toEqual([[40_000, 'client-refresh']])
  })

  test('a call whose time ends in the limiter was not sent, and the error names the limiter and the wait', async () => {
    const timeout = new AbortController()
    const limiter: TokenCallLimiter = {
      acquire: (_, { signal, onWaitChange }) =>
        new Promise((_resolve, reject) => {
          onWaitChange?.(45_000)
          signal?.addEventListener('abort', () => reject(signal.reason))
          timeout.abort(new Error('the time was over'))
        }),
    }
    const { endpoints } = setUp([], { limiter })
    const result = await endpoints.client.create('anna', { signal: timeout.signal })
    expect(result).toMatchObject({
      failure: {
        kind: 'not-sent',
        retryAfterMs: 45_000,
        error: {
          code: 'TOKEN_RATE_LIMITED',
          message: 'the client-create call was stopped while it waited in the rate limiter, for 45 s or more',
        },
      },
    })
  })

  test('unsentSignal ends a call that still waits, and not one that was sent', async () => {
    const before = new AbortController()
    const limiter: TokenCallLimiter = {
      acquire: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason))
          before.abort('no caller waits')
        }),
    }
    const { endpoints } = setUp([], { limiter })
    const options = { unsentSignal: before.signal }
    for (const result of [
      await endpoints.access.create({}, options),
      await endpoints.client.refresh(new Secret('r'), options),
    ])
      expect(result).toMatchObject({ ok: false, failure: { kind: 'not-sent' } })

    const after = new AbortController()
    const late = { acquire: async () => {} }
    const sending = setUp([{ json: RECORD }], { limiter: late })
    const created = sending.endpoints.access.create({}, { unsentSignal: after.signal })
    await Promise.resolve()
    await Promise.resolve()
    after.abort('no caller waits')
    expect(await created).toMatchObject({ ok: true })
  })

  test('a limiter that fails, as a shared one does with its store, sends nothing', async () => {
    const failed = Object.assign(new Error('no store'), { [Symbol.for('@brokerwire/error')]: 'tokens' })
    const { endpoints } = setUp([], { limiter: { acquire: () => Promise.reject(failed) } })
    expect(await endpoints.access.create({}, {})).toMatchObject({
      failure: { kind: 'not-sent', error: failed },
    })
  })

  test('a call aborted while it waits for a retry had no effect, and one in flight may have arrived', async () => {
    for (const [retriedAfterMs, kind] of [
      [5000, 'not-sent'],
      [undefined, 'no-response'],
    ] as const) {
      const rateLimited: number[] = []
      const limiter = {
        acquire: async () => {},
        backOff: (delayMs: number) => void rateLimited.push(delayMs),
      }
      const controller = new AbortController()
      const port = {
        async request(request: TokenRequest): Promise<never> {
          await request.beforeAttempt()
          request.onAttemptEnd({ errorCode: 'HTTP_RATE_LIMITED', retryDelayMs: retriedAfterMs })
          controller.abort(new Error('enough'))
          throw controller.signal.reason
        },
      }
      const result = await createTokenEndpoints(port, { limiter }).access.create(
        {},
        { signal: controller.signal },
      )
      expect(result).toMatchObject({ ok: false, failure: { kind, error: { message: 'enough' } } })
      expect(rateLimited).toEqual(retriedAfterMs === undefined ? [] : [5000])
    }
  })
})
