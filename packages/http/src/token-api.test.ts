import { Secret } from '@brokerwire/core'
import { describe, expect, test } from 'vitest'
import {
  createHttpClient,
  createTokenApi,
  type HttpClientOptions,
  type TokenApiOptions,
  type TokenCallLimiter,
} from './index.ts'
import { TOKEN, testOptions } from './test/fixtures.ts'
import type { Reply } from './test/reply.ts'
import { setUp as setUpClient } from './test/set-up.ts'

const RECORD = { token: TOKEN, expires_at: 1_900_000_000_000, status: 'NORMAL' }
const PAIR = {
  access_token: 'access-token-1',
  expires_at: 1_900_000_000_000,
  refresh_token: 'refresh-token-1',
  refresh_expires_at: 1_900_900_000_000,
}

async function setUp(more: Partial<HttpClientOptions> = {}, options: TokenApiOptions = {}) {
  const { service, client } = await setUpClient(more)
  return { service, api: createTokenApi(client, options) }
}

type Api = Awaited<ReturnType<typeof setUp>>['api']

/** Every call, with what is sent. */
const CALLS: readonly (readonly [
  string,
  (api: Api, signal?: AbortSignal) => Promise<unknown>,
  string,
  string,
])[] = [
  ['create', (api, signal) => api.access.create({}, { signal }), '/auth/tokens/create', '{}'],
  [
    'create with the previous token',
    (api, signal) => api.access.create({ previousToken: new Secret('old') }, { signal }),
    '/auth/tokens/create',
    '{"token":"old"}',
  ],
  [
    'check',
    (api, signal) => api.access.check(new Secret('t'), { signal }),
    '/auth/tokens/check',
    '{"token":"t"}',
  ],
  [
    'client create',
    (api, signal) => api.client.create('user <1>', { signal }),
    '/auth/client-tokens/create',
    '{"client_user_id":"user <1>"}',
  ],
  [
    'client refresh',
    (api, signal) => api.client.refresh(new Secret('r'), { signal }),
    '/auth/client-tokens/refresh',
    '{"refresh_token":"r"}',
  ],
]

describe('requests', () => {
  test.each(CALLS)('%s', async (name, call, target, body) => {
    const { service, api } = await setUp()
    await service.reply({ json: name.startsWith('client') ? PAIR : RECORD })
    expect(await call(api)).toMatchObject({ ok: true })
    const [received] = await service.received()
    expect(received).toMatchObject({ method: 'POST', target, verdict: { ok: true } })
    expect(received?.text).toBe(body)
    expect(received?.headers).not.toHaveProperty('x-access-token')
    expect(received?.headers['x-version']).toBe('v2')
  })

  test('the second form of the access-token paths', async () => {
    const { service, api } = await setUp({}, { paths: 'openapi' })
    await service.reply({ json: RECORD })
    await api.access.create({}, {})
    await api.access.check(new Secret('t'), {})
    await service.reply({ json: PAIR })
    await api.client.create('user', {})
    expect((await service.received()).map(({ target }) => target)).toEqual([
      '/openapi/auth/token/create',
      '/openapi/auth/token/check',
      '/auth/client-tokens/create',
    ])
  })

  test('a renewal by the path that the public clients define, where that is asked for', async () => {
    const { service, api } = await setUp({}, { renewal: 'refresh' })
    await service.reply({ json: RECORD })
    await api.access.create({}, {})
    await api.access.create({ previousToken: new Secret('previous') }, {})
    const received = await service.received()
    expect(received.map(({ target, text }) => [target, text])).toEqual([
      ['/auth/tokens/create', '{}'],
      ['/openapi/auth/token/refresh', '{"token":"previous"}'],
    ])
    expect(received[1]).toMatchObject({ method: 'POST', verdict: { ok: true } })
    expect(received[1]?.headers).not.toHaveProperty('x-access-token')
  })

  test('whether a token is wanted', async () => {
    const { service, api } = await setUp()
    await service.reply({ json: { token_check_enabled: false } })
    expect(await api.access.config({})).toEqual({ ok: true, value: { tokenCheckEnabled: false } })
    expect((await service.received())[0]).toMatchObject({ method: 'GET', target: '/openapi/config' })
    expect((await service.received())[0]?.headers).not.toHaveProperty('x-access-token')
    await service.reply({ json: { token_check_enabled: 'yes' } })
    expect(await api.access.config({})).toMatchObject({
      ok: false,
      failure: { kind: 'bad-answer', status: 200 },
    })
  })

  test('a wrong option is named', async () => {
    const client = createHttpClient(testOptions('http://127.0.0.1:9'))
    expect(() => createTokenApi(client, { paths: 'other' as never })).toThrow(
      "paths: expected one of 'auth', 'openapi'",
    )
    expect(() => createTokenApi(client, { renewal: 'other' as never })).toThrow(
      "renewal: expected one of 'create', 'refresh'",
    )
  })
})

describe('answers', () => {
  test('an access token', async () => {
    const { service, api } = await setUp()
    await service.reply({ json: { ...RECORD, status: 'PENDING' } })
    const result = await api.access.create({}, {})
    if (!result.ok) throw result.failure.error
    expect(result.value).toMatchObject({ status: 'PENDING', expiresAtMs: 1_900_000_000_000 })
    expect(result.value.token.reveal()).toBe(TOKEN)
    expect(JSON.stringify(result)).not.toContain(TOKEN)
  })

  test('a client pair', async () => {
    const { service, api } = await setUp()
    await service.reply({ json: PAIR })
    const result = await api.client.refresh(new Secret('r'), {})
    if (!result.ok) throw result.failure.error
    expect(result.value.refreshToken.reveal()).toBe('refresh-token-1')
    expect(result.value.refreshExpiresAtMs).toBe(1_900_900_000_000)
  })

  const unusable: Readonly<Record<string, Reply>> = {
    'malformed JSON': { text: `{"token":"${TOKEN}"` },
    'an empty body': { text: '' },
    'an array': { json: [RECORD] },
    'no token': { json: { ...RECORD, token: undefined } },
    'an empty token': { json: { ...RECORD, token: '' } },
    'a token that no header can carry': { json: { ...RECORD, token: `${TOKEN}\r\nx-evil: 1` } },
    'a token that is a number': { json: { ...RECORD, token: 12 } },
    'a status that is no text': { json: { ...RECORD, status: 7 } },
    'a negative expiry': { json: { ...RECORD, expires_at: -1 } },
    'an absurd expiry': { json: { ...RECORD, expires_at: 1e300 } },
    'more than 64 KiB': { json: { ...RECORD, more: 'x'.repeat(70_000) } },
    'a redirect': { status: 302, headers: { location: '/elsewhere' } },
  }
  test.each(Object.entries(unusable))('%s is a bad answer, without its text', async (_, reply) => {
    const { service, api } = await setUp()
    await service.reply(reply)
    const result = await api.access.create({}, {})
    expect(result).toMatchObject({ ok: false, failure: { kind: 'bad-answer' } })
    if (result.ok) throw new Error('expected a failure')
    const { error } = result.failure
    expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(TOKEN)
    expect(await service.received()).toHaveLength(1)
    await service.reply({ json: RECORD })
    expect(await api.access.create({}, {})).toMatchObject({ ok: true })
  })
})

describe('failures', () => {
  const table: Readonly<Record<string, readonly [Reply, object]>> = {
    401: [
      { status: 401, json: { error_code: 'UNAUTHORIZED' } },
      { kind: 'refused', status: 401, code: 'UNAUTHORIZED' },
    ],
    403: [{ status: 403 }, { kind: 'refused', status: 403 }],
    408: [{ status: 408 }, { kind: 'no-answer', status: 408 }],
    409: [{ status: 409 }, { kind: 'refused', status: 409 }],
    417: [
      { status: 417, json: { error_code: 'INVALID_PARAMETER' } },
      { kind: 'refused', status: 417, code: 'INVALID_PARAMETER' },
    ],
    429: [
      { status: 429, headers: { 'retry-after': '60' } },
      { kind: 'rate-limited', status: 429, retryAfterMs: 60_000 },
    ],
    500: [{ status: 500 }, { kind: 'server-error', status: 500 }],
    'no answer': [{ steps: ['destroy'] }, { kind: 'no-answer' }],
  }
  test.each(Object.entries(table))('%s', async (_, [reply, failure]) => {
    for (const [, call] of CALLS) {
      const { service, api } = await setUp({ maxRepeats: 0 })
      await service.reply(reply)
      expect(await call(api)).toMatchObject({ ok: false, failure })
    }
  })

  test('a signature that cannot be made: nothing was sent', async () => {
    const failed = Object.assign(new Error('no signature'), { [Symbol.for('@brokerwire/error')]: 'signer' })
    const sign = async () => {
      throw failed
    }
    const { api } = await setUp({ signer: { sign } })
    expect(await api.access.create({}, {})).toEqual({
      ok: false,
      failure: { kind: 'not-sent', error: failed },
    })
  })

  test.each(CALLS)('%s is repeated as its rule says', async (name, call) => {
    const { service, api } = await setUp()
    await service.reply({ status: 503 }, { json: name.startsWith('client') ? PAIR : RECORD })
    expect(await call(api)).toMatchObject({ ok: name === 'check' })
    expect(await service.received()).toHaveLength(name === 'check' ? 2 : 1)
    await service.reply(
      { status: 429, headers: { 'retry-after': '2' } },
      { json: name.startsWith('client') ? PAIR : RECORD },
    )
    expect(await call(api)).toMatchObject({ ok: true })
  })
})

describe('the limiter', () => {
  test('is asked before each attempt, and told of a refusal', async () => {
    const asked: string[] = []
    const heldOff: number[] = []
    const limiter = {
      acquire: async (call: string) => void asked.push(call),
      holdOff: (delayMs: number) => void heldOff.push(delayMs),
    }
    const { service, api } = await setUp({}, { limiter })
    await service.reply({ status: 503 }, { json: RECORD })
    await api.access.check(new Secret('t'), {})
    await service.reply({ status: 429, headers: { 'retry-after': '40' } })
    await api.client.refresh(new Secret('r'), {})
    expect(asked).toEqual(['check', 'check', 'client-refresh'])
    expect(heldOff).toEqual([40_000])
  })

  test('unsentSignal ends a call that still waits, and none that has left', async () => {
    const before = new AbortController()
    const waiting: TokenCallLimiter = {
      acquire: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason))
          before.abort('nobody waits')
        }),
    }
    const first = await setUp({}, { limiter: waiting })
    const options = { unsentSignal: before.signal }
    const notSent = { ok: false, failure: { kind: 'not-sent' } }
    expect(await first.api.access.create({}, options)).toMatchObject(notSent)
    expect(await first.api.client.refresh(new Secret('r'), options)).toMatchObject(notSent)
    expect(await first.service.received()).toHaveLength(0)

    const after = new AbortController()
    const onAttempt = (): void => after.abort('nobody waits')
    const second = await setUp({ observer: { onAttempt } }, { limiter: { acquire: async () => {} } })
    await second.service.reply({ json: RECORD })
    expect(await second.api.access.create({}, { unsentSignal: after.signal })).toMatchObject({ ok: true })
    expect(after.signal.aborted).toBe(true)
  })

  test('a wait that is aborted sent nothing', async () => {
    const controller = new AbortController()
    const limiter: TokenCallLimiter = {
      async acquire(_, { signal }) {
        controller.abort('enough')
        throw signal?.reason
      },
    }
    const { service, api } = await setUp({}, { limiter })
    expect(await api.access.create({}, { signal: controller.signal })).toMatchObject({
      ok: false,
      failure: { kind: 'not-sent' },
    })
    expect(await service.received()).toHaveLength(0)
  })

  test('one that fails, as a shared one does with its store: nothing was sent', async () => {
    const failed = Object.assign(new Error('no store'), { [Symbol.for('@brokerwire/error')]: 'tokens' })
    const acquire = async () => {
      throw failed
    }
    const { service, api } = await setUp({}, { limiter: { acquire } })
    expect(await api.access.create({}, {})).toEqual({
      ok: false,
      failure: { kind: 'not-sent', error: failed },
    })
    expect(await service.received()).toHaveLength(0)
  })

  test('a call that was aborted while it waited for a repeat had no effect', async () => {
    const heldOff: number[] = []
    const limiter: TokenCallLimiter = { acquire: async () => {}, holdOff: (delayMs) => heldOff.push(delayMs) }
    const controller = new AbortController()
    const observer = { onAttemptEnd: () => setTimeout(() => controller.abort(new Error('enough')), 0) }
    const { service, api } = await setUp({ observer }, { limiter })
    await service.reply({ status: 429, headers: { 'retry-after': '5' } })
    expect(await api.access.create({}, { signal: controller.signal })).toMatchObject({
      ok: false,
      failure: { kind: 'not-sent', error: { message: 'enough' } },
    })
    expect(heldOff).toEqual([5000])
    expect(await service.received()).toHaveLength(1)
  })

  test('a call that was aborted on its way may have arrived', async () => {
    const { service, api } = await setUp()
    await service.reply({ steps: [] })
    const controller = new AbortController()
    const created = api.access.create({}, { signal: controller.signal })
    await service.arrived(1)
    controller.abort(new Error('enough'))
    expect(await created).toMatchObject({
      ok: false,
      failure: { kind: 'no-answer', error: { message: 'enough' } },
    })
  })
})
