/** Invalid options of both entries: errors name them with the path of their group, and never show the value. */
import { isBrokerwireError } from '@brokerwire/core'
import {
  clientTokens,
  createBrokerage as createEdgeBrokerage,
  type EdgeBrokerageOptions,
  rateLimiter,
} from '@brokerwire/edge'
import { describe, expect, test } from 'vitest'
import { createBrokerage } from './index.ts'

/** A value as long as a real secret, because messages about a fixed set of values show short strings. */
const HIDDEN = 'hidden-value-hidden-value-hidden'
const good = { region: 'us', environment: 'sandbox', appKey: 'app-key', appSecret: 'app-secret' }

/** Options that both entries reject: code, option, change. */
const SHARED: readonly (readonly [string, string, object])[] = [
  ['ENDPOINT_INVALID', 'region', { region: HIDDEN }],
  ['OPTION_INVALID', 'region', { region: undefined }],
  ['OPTION_INVALID', 'environment', { environment: undefined }],
  ['OPTION_INVALID', 'overrides.baseUrl', { overrides: { baseUrl: `ftp://${HIDDEN}` } }],
  ['OPTION_INVALID', 'appKey', { appKey: '' }],
  ['OPTION_INVALID', 'appSecret', { appSecret: 7 }],
  ['OPTION_INVALID', 'signing.nameOrder', { signing: { nameOrder: HIDDEN } }],
  ['OPTION_INVALID', 'http.timeoutMs', { http: { timeoutMs: HIDDEN } }],
  ['OPTION_INVALID', 'http.apiVersion', { http: { apiVersion: HIDDEN } }],
  ['OPTION_INVALID', 'tokens.pollIntervalMs', { tokens: { pollIntervalMs: HIDDEN } }],
  ['OPTION_INVALID', 'store', { store: HIDDEN }],
  ['OPTION_INVALID', 'clock.now', { clock: {} }],
  ['OPTION_INVALID', 'clock', { clock: HIDDEN }],
  ['OPTION_INVALID', 'tokens.paths', { tokens: { paths: HIDDEN } }],
  ['OPTION_INVALID', 'tokens.renewal', { tokens: { renewal: HIDDEN } }],
  ['OPTION_INVALID', 'plugins', { plugins: HIDDEN }],
  ['OPTION_INVALID', 'plugins', { plugins: [rateLimiter(), clientTokens(), rateLimiter()] }],
  ['OPTION_INVALID', 'plugins[0]', { plugins: [clientTokens] }],
  ['OPTION_INVALID', 'plugins[1]', { plugins: [clientTokens(), { name: HIDDEN, create: () => HIDDEN }] }],
  ['TOKEN_OPTION_INVALID', 'limiter', { plugins: [{ name: 'rateLimiter', create: () => HIDDEN }] }],
  ['OPTION_INVALID', 'appKye', { appKye: HIDDEN }],
  ['OPTION_INVALID', 'tokens.secondFactr', { tokens: { secondFactr: HIDDEN } }],
  // The composition sets these, so a value of the caller would be ignored.
  ['OPTION_INVALID', 'http.baseUrl', { http: { baseUrl: HIDDEN } }],
  ['OPTION_INVALID', 'signing.now', { signing: { now: HIDDEN } }],
]

function errorOf(create: (options: never) => unknown, change: object): unknown {
  try {
    return create({ ...good, ...change } as never)
  } catch (error) {
    return error
  }
}

describe.each([
  ['client', createBrokerage],
  ['edge', (options: EdgeBrokerageOptions) => createEdgeBrokerage(options)],
] as const)('%s', (_name, create) => {
  test.each(SHARED)('%s %s: %o', (code, option, change) => {
    const error = errorOf(create, change)
    if (!isBrokerwireError(error)) throw error
    expect(error.code).toBe(code)
    expect(Object.values(error.details)).toContain(option)
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(HIDDEN)
  })

  test.each([[undefined], [null]])('%o instead of options is an error', (options) => {
    let error: unknown
    try {
      create(options as never)
    } catch (caught) {
      error = caught
    }
    if (!isBrokerwireError(error)) throw error
    expect(error).toMatchObject({
      code: 'OPTION_INVALID',
      details: { option: expect.stringMatching(/^(?:options|region)$/) },
    })
  })

  test.each(['signing', 'http', 'tokens'])('%s may be null', async (group) => {
    await create({ ...good, [group]: null } as never).close()
  })

  test('options are read once', () => {
    const options = { ...good } as Parameters<typeof create>[0] & { region: string }
    const { endpoint } = create(options)
    options.region = 'hk'
    expect(endpoint.region).toBe('us')
  })
})

test('streams may be null, and is not an option of edge', async () => {
  await createBrokerage({ ...good, streams: null } as never).close()
  const error = errorOf(createEdgeBrokerage, { streams: {} })
  expect(error).toMatchObject({ code: 'OPTION_INVALID', details: { option: 'streams' } })
})

test.each([
  ['OPTION_INVALID', 'streams.accessTokens', { streams: { accessTokens: HIDDEN } }],
  ['OPTION_INVALID', 'streams.random', { streams: { random: HIDDEN } }],
  ['OPTION_INVALID', 'streams.buffer.maxItems', { streams: { buffer: { maxItems: 0 } } }],
  ['OPTION_INVALID', 'streams.signer', { streams: { signer: {} } }],
])('an invalid stream option is an error: %s %s', (code, option, change) => {
  const error = errorOf(createBrokerage, change)
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
  await createBrokerage(options).close()
  await createEdgeBrokerage(options).close()
  expect(touched).toEqual([])
})
