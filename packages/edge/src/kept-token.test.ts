/** Requests with a token that somebody else keeps, on Node and in workerd, with a service of a few lines as `fetch`. */
import {
  createServerClock,
  type FetchLike,
  isBrokerwireError,
  Secret,
  type SecretInput,
  systemClock,
} from '@brokerwire/core'
import { isHttpError } from '@brokerwire/http'
import { createVerifier } from '@brokerwire/signer'
import { describe, expect, test, vi } from 'vitest'
import * as entry from './kept-token.ts'

const APP_SECRET = 'app-secret'
const verifier = createVerifier({ secretFor: () => APP_SECRET })

/** A service that takes one token, and what it was sent. */
function serviceFor(good: string) {
  const service = { tokens: [] as (string | null)[] }
  const fetch: FetchLike = async (url, init) => {
    const { headers } = new Request(url, init as RequestInit)
    const { host, pathname, search } = new URL(url)
    const date = new Date().toUTCString()
    const answer = (status: number, code?: string) =>
      Response.json({ error_code: code }, { status, headers: { date } })
    service.tokens.push(headers.get('x-access-token'))
    const verdict = await verifier.verify({
      host,
      target: pathname + search,
      headers: Object.fromEntries(headers),
    })
    if (!verdict.ok)
      return answer(401, verdict.rule === 'timestamp' ? 'ILLEGAL_TIMESTAMP' : 'INVALID_SIGNATURE')
    return headers.get('x-access-token') === good ? answer(200) : answer(401, 'INVALID_TOKEN')
  }
  return { service, fetch }
}

function open(
  fetch: FetchLike,
  accessToken: entry.KeptTokenOptions['accessToken'],
  more: Partial<entry.KeptTokenOptions> = {},
) {
  return entry.createKeptTokenClient({
    region: 'us',
    environment: 'sandbox',
    appKey: 'app-key',
    appSecret: APP_SECRET,
    http: { fetch, random: () => 0 },
    accessToken,
    ...more,
  })
}

const GET = { method: 'GET', path: '/x' } as const

test('it offers one function', () => {
  expect(Object.keys(entry)).toEqual(['createKeptTokenClient'])
})

test.each<[string, SecretInput]>([
  ['a text', 'kept'],
  ['a Secret', new Secret('kept')],
])('%s is sent', async (_what, token) => {
  const { service, fetch } = serviceFor('kept')
  const { http, endpoint } = open(fetch, async () => token)
  expect((await http.request(GET)).status).toBe(200)
  expect(service.tokens).toEqual(['kept'])
  expect(endpoint).toMatchObject({ region: 'us', environment: 'sandbox' })
})

test('no token is sent if none is stored, or if the request is not authenticated', async () => {
  const { service, fetch } = serviceFor('kept')
  await open(fetch, async () => undefined)
    .http.request(GET)
    .catch(() => {})
  const { http } = open(fetch, async () => 'kept')
  await http.request({ ...GET, authenticated: false }).catch(() => {})
  expect(service.tokens).toEqual([null, null])
})

test('a rejected token is read again, and the request is sent once more if the token has changed', async () => {
  const { service, fetch } = serviceFor('new')
  const kept = ['old', 'new', 'new']
  const { http } = open(fetch, async () => kept.shift())
  expect((await http.request(GET)).status).toBe(200)
  expect(service.tokens).toEqual(['old', 'new'])
})

test('refused, and still the same one: an error, after one attempt', async () => {
  const { service, fetch } = serviceFor('new')
  const { http } = open(fetch, async () => 'hidden-token')
  const error = await http.request(GET).catch((caught: unknown) => caught)
  expect(isHttpError(error, 'HTTP_UNAUTHORIZED') && !error.retryable).toBe(true)
  expect(JSON.stringify(error)).not.toContain('hidden-token')
  expect(service.tokens).toEqual(['hidden-token'])
})

test('an order with a rejected token is not sent again, and is retryable if the token has changed', async () => {
  const { service, fetch } = serviceFor('new')
  const kept = ['old', 'new']
  const { http } = open(fetch, async () => kept.shift())
  const error = await http.request({ method: 'POST', path: '/x' }).catch((caught: unknown) => caught)
  expect(isHttpError(error, 'HTTP_UNAUTHORIZED') && error.retryable).toBe(true)
  expect(service.tokens).toEqual(['old'])
})

describe('a host whose clock is wrong', () => {
  const late = { ...systemClock, now: () => Date.now() - 3_600_000 }
  const POST = { method: 'POST', path: '/x' } as const

  test('with the service’s clock: corrected by the first refusal, a POST as well', async () => {
    const { service, fetch } = serviceFor('kept')
    const serverClock = createServerClock(late.now)
    const { http } = open(fetch, async () => 'kept', { clock: late, serverClock })
    expect((await http.request(POST)).status).toBe(200)
    expect((await http.request(POST)).status).toBe(200)
    expect(service.tokens).toHaveLength(3)
  })

  test('without it: an error that names the cause, after one attempt, and the token is not asked for again', async () => {
    const { service, fetch } = serviceFor('kept')
    const read = vi.fn(async () => 'kept')
    const { http } = open(fetch, read, { clock: late })
    const error = await http.request(GET).catch((caught: unknown) => caught)
    if (!isHttpError(error, 'HTTP_UNAUTHORIZED')) throw error
    expect(error.message).toBe('GET /x: status 401, ILLEGAL_TIMESTAMP')
    expect([error.details.serviceCode, error.retryable]).toEqual(['ILLEGAL_TIMESTAMP', false])
    expect([service.tokens.length, read.mock.calls.length]).toEqual([1, 1])
  })

  test('signs by it alone: a clock that was taught before is right at once', async () => {
    const { service, fetch } = serviceFor('kept')
    const serverClock = createServerClock(late.now)
    serverClock.sync(Date.now())
    const { http } = open(fetch, async () => 'kept', { serverClock })
    expect((await http.request(GET)).status).toBe(200)
    expect(service.tokens).toHaveLength(1)
  })
})

test('the request fails without being sent if accessToken() rejects', async () => {
  const { service, fetch } = serviceFor('kept')
  const failed = new Error('the store is away')
  await expect(open(fetch, () => Promise.reject(failed)).http.request(GET)).rejects.toBe(failed)
  expect(service.tokens).toEqual([])
})

test.each([
  [{ accessToken: undefined }, 'accessToken'],
  [{ accessToken: 'hidden-token' }, 'accessToken'],
  [{ accesToken: 'hidden-token' }, 'accesToken'],
  [{ store: {} }, 'store'],
  [{ serverClock: createServerClock }, 'serverClock.now'],
  [{ serverClock: 'hidden-token' }, 'serverClock'],
  [{ maxClockOffsetMs: 1 }, 'maxClockOffsetMs'],
  [{ region: undefined }, 'region'],
  [{ http: { baseUrl: 'hidden-token' } }, 'http.baseUrl'],
])('refused by name: %o', (change, option) => {
  const good = { region: 'us', environment: 'sandbox', appKey: 'app-key', appSecret: APP_SECRET }
  let error: unknown
  try {
    entry.createKeptTokenClient({ ...good, accessToken: async () => 'kept', ...change } as never)
  } catch (caught) {
    error = caught
  }
  if (!isBrokerwireError(error)) throw error
  expect(error.details).toMatchObject({ option })
  expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain('hidden-token')
})
