/** Each option goes to the package that knows it, and a wrong one gets that package's error: named, never shown. */
import { isBrokerwireError } from '@brokerwire/core'
import { createBrokerage as createEdgeBrokerage, type EdgeBrokerageOptions } from '@brokerwire/edge'
import { createTokenRateLimiter } from '@brokerwire/tokens'
import { describe, expect, test } from 'vitest'
import { createBrokerage } from './index.ts'

const HIDDEN = 'hidden-value'
const good = { region: 'us', environment: 'sandbox', appKey: 'app-key', appSecret: 'app-secret' }

/** What both entries refuse: code, option, change. */
const SHARED: readonly (readonly [string, string, object])[] = [
  ['ENDPOINT_INVALID', 'region', { region: HIDDEN }],
  ['ENDPOINT_INVALID', 'region', { region: undefined }],
  ['ENDPOINT_INVALID', 'environment', { environment: undefined }],
  ['ENDPOINT_INVALID', 'overrides.httpUrl', { overrides: { httpUrl: `ftp://${HIDDEN}` } }],
  ['SIGNER_OPTION_INVALID', 'appKey', { appKey: '' }],
  ['SIGNER_OPTION_INVALID', 'appSecret', { appSecret: 7 }],
  ['SIGNER_OPTION_INVALID', 'nameOrder', { signing: { nameOrder: HIDDEN } }],
  ['HTTP_OPTION_INVALID', 'timeoutMs', { http: { timeoutMs: HIDDEN } }],
  ['HTTP_OPTION_INVALID', 'apiVersion', { http: { apiVersion: HIDDEN } }],
  ['TOKEN_OPTION_INVALID', 'pollIntervalMs', { tokens: { pollIntervalMs: HIDDEN } }],
  ['TOKEN_OPTION_INVALID', 'limit', { tokens: { rateLimit: { limit: HIDDEN } } }],
  ['TOKEN_OPTION_INVALID', 'store', { store: HIDDEN }],
  ['TOKEN_OPTION_INVALID', 'clock.now', { clock: {} }],
  ['TOKEN_OPTION_INVALID', 'clock', { clock: HIDDEN }],
  ['TOKEN_OPTION_INVALID', 'paths', { tokens: { paths: HIDDEN } }],
  ['TOKEN_OPTION_INVALID', 'renewal', { tokens: { renewal: HIDDEN } }],
  ['OPTION_INVALID', 'clientTokens', { clientTokens: HIDDEN }],
  ['OPTION_INVALID', 'rateLimiter', { rateLimiter: HIDDEN }],
  ['TOKEN_OPTION_INVALID', 'limiter', { rateLimiter: () => HIDDEN }],
  ['OPTION_INVALID', 'appKye', { appKye: HIDDEN }],
  ['OPTION_INVALID', 'tokens.secondFactr', { tokens: { secondFactr: HIDDEN } }],
  ['OPTION_INVALID', 'tokens.rateLimit.share', { tokens: { rateLimit: { share: HIDDEN } } }],
  // Set by the composition: it would be lost without a word.
  ['OPTION_INVALID', 'http.baseUrl', { http: { baseUrl: HIDDEN } }],
  ['OPTION_INVALID', 'signing.now', { signing: { now: HIDDEN } }],
]

function refusal(create: (options: never) => unknown, change: object): unknown {
  try {
    return create({ ...good, ...change } as never)
  } catch (error) {
    return error
  }
}

describe.each([
  ['client', createBrokerage],
  [
    'edge',
    (options: EdgeBrokerageOptions) =>
      createEdgeBrokerage({ rateLimiter: createTokenRateLimiter, ...options }),
  ],
] as const)('%s', (_name, create) => {
  test.each(SHARED)('%s %s: %o', (code, option, change) => {
    const error = refusal(create, change)
    if (!isBrokerwireError(error)) throw error
    expect(error.code).toBe(code)
    expect(Object.values(error.details)).toContain(option)
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(HIDDEN)
  })

  test.each([[undefined], [null]])('no options: %o', (options) => {
    let error: unknown
    try {
      create(options as never)
    } catch (caught) {
      error = caught
    }
    if (!isBrokerwireError(error)) throw error
    expect([error.code, error.details]).toEqual([
      'ENDPOINT_INVALID',
      expect.objectContaining({ option: 'region' }),
    ])
  })

  test.each(['signing', 'http', 'tokens'])('%s: null is none', async (group) => {
    await create({ ...good, [group]: null } as never).close()
    await create({ ...good, tokens: { rateLimit: null } } as never).close()
  })

  test('options are read once', () => {
    const options = { ...good } as Parameters<typeof create>[0] & { region: string }
    const { endpoint } = create(options)
    options.region = 'hk'
    expect(endpoint.region).toBe('us')
  })
})

test('streams: null is none, and no option of edge', async () => {
  await createBrokerage({ ...good, streams: null } as never).close()
  const error = refusal(createEdgeBrokerage, { streams: {} })
  expect(isBrokerwireError(error) && [error.code, error.details.option]).toEqual([
    'OPTION_INVALID',
    'streams',
  ])
})

test.each([
  ['STREAM_OPTION_INVALID', 'accessToken', { streams: { accessToken: HIDDEN } }],
  ['STREAM_OPTION_INVALID', 'random', { streams: { random: HIDDEN } }],
])('streams: %s %s', (code, option, change) => {
  const error = refusal(createBrokerage, change)
  if (!isBrokerwireError(error)) throw error
  expect(error.code).toBe(code)
  expect(Object.values(error.details)).toContain(option)
})

test('nothing is sent, no timer is set and no random value is drawn before the first call', async () => {
  const touched: string[] = []
  const touch = (what: string) => (): never => {
    touched.push(what)
    throw new Error(what)
  }
  const options = {
    ...good,
    clock: { now: () => 0, setTimer: touch('setTimer') },
    http: { fetch: touch('fetch'), random: touch('random') },
  } as unknown as Parameters<typeof createBrokerage>[0]
  for (const create of [createBrokerage, createEdgeBrokerage]) await create(options).close()
  expect(touched).toEqual([])
})
