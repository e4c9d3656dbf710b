/** The client of stored tokens on Node and in workerd, with a small service as `fetch`. */
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
import * as entry from './stored-token.ts'

const APP_SECRET = 'app-secret'
const verifier = createVerifier({ secretFor: () => APP_SECRET })

/** A service that accepts one token, and the tokens that it received. */
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
  accessToken: entry.StoredTokenOptions['accessToken'],
  more: Partial<entry.StoredTokenOptions> = {},
) {
  return entry.createStoredTokenClient({
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

test('the entry exports one function', () => {
  expect(Object.keys(entry)).toEqual(['createStoredTokenClient'])
})

test.each<[string, SecretInput]>([
  ['a string', 'stored'],
  ['a Secret', new Secret('stored')],
])('sends %s', async (_what, token) => {
  const { service, fetch } = serviceFor('stored')
  const { http, endpoint } = open(fetch, async () => token)
  expect((await http.request(GET)).status).toBe(200)
  expect(service.tokens).toEqual(['stored'])
  expect(endpoint).toMatchObject({ region: 'us', environment: 'sandbox' })
})

test('no token is sent if none is stored, or if the request is not authenticated', async () => {
  const { service, fetch } = serviceFor('stored')
  await open(fetch, async () => undefined)
    .http.request(GET)
    .catch(() => {})
  const { http } = open(fetch, async () => 'stored')
  await http.request({ ...GET, authenticated: false }).catch(() => {})
  expect(service.tokens).toEqual([null, null])
})

test('a rejected token is read again, and the request is sent once more if the token has changed', async () => {
  const { service, fetch } = serviceFor('new')
  const stored = ['old', 'new', 'new']
  const { http } = open(fetch, async () => stored.shift())
  expect((await http.request(GET)).status).toBe(200)
  expect(service.tokens).toEqual(['old', 'new'])
})

test('a rejected token that has not changed is an error after one attempt', async () => {
  const { service, fetch } = serviceFor('new')
  const { http } = open(fetch, async () => 'hidden-token')
  const error = await http.request(GET).catch((caught: unknown) => caught)
  expect(isHttpError(error, 'HTTP_UNAUTHORIZED') && !error.retryable).toBe(true)
  expect(JSON.stringify(error)).not.toContain('hidden-token')
  expect(service.tokens).toEqual(['hidden-token'])
})

test('an order with a rejected token is not sent again, and is retryable if the token has changed', async () => {
  const { service, fetch } = serviceFor('new')
  const stored = ['old', 'new']
  const { http } = open(fetch, async () => stored.shift())
  const error = await http.request({ method: 'POST', path: '/x' }).catch((caught: unknown) => caught)
  expect(isHttpError(error, 'HTTP_UNAUTHORIZED') && error.retryable).toBe(true)
  expect(service.tokens).toEqual(['old'])
})

describe('a host whose clock is wrong', () => {
  const late = { ...systemClock, now: () => Date.now() - 3_600_000 }
  const POST = { method: 'POST', path: '/x' } as const

  test('with a server clock, the first rejected timestamp corrects it and the POST is sent again', async () => {
    const { service, fetch } = serviceFor('stored')
    const serverClock = createServerClock(late.now)
    const { http } = open(fetch, async () => 'stored', { clock: late, serverClock })
    expect((await http.request(POST)).status).toBe(200)
    expect((await http.request(POST)).status).toBe(200)
    expect(service.tokens).toHaveLength(3)
  })

  test('without one, a rejected timestamp is an error after one attempt, and the token is not read again', async () => {
    const { service, fetch } = serviceFor('stored')
    const read = vi.fn(async () => 'stored')
    const { http } = open(fetch, read, { clock: late })
    const error = await http.request(GET).catch((caught: unknown) => caught)
    if (!isHttpError(error, 'HTTP_UNAUTHORIZED')) throw error
    expect(error.message).toBe('GET /x: status 401, ILLEGAL_TIMESTAMP')
    expect(error.details.serviceCode).toBe('ILLEGAL_TIMESTAMP')
    expect(error.retryable).toBe(false)
    expect(service.tokens).toHaveLength(1)
    expect(read).toHaveBeenCalledTimes(1)
  })

  test('signs with the server clock alone, so that one in sync needs no second attempt', async () => {
    const { service, fetch } = serviceFor('stored')
    const serverClock = createServerClock(late.now)
    serverClock.sync(Date.now())
    const { http } = open(fetch, async () => 'stored', { serverClock })
    expect((await http.request(GET)).status).toBe(200)
    expect(service.tokens).toHaveLength(1)
  })
})

test('the request fails without being sent if accessToken() rejects', async () => {
  const { service, fetch } = serviceFor('stored')
  const failed = new Error('the store is unavailable')
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
])('an invalid option is an error that names it: %o', (change, option) => {
  const good = { region: 'us', environment: 'sandbox', appKey: 'app-key', appSecret: APP_SECRET }
  let error: unknown
  try {
    entry.createStoredTokenClient({ ...good, accessToken: async () => 'stored', ...change } as never)
  } catch (caught) {
    error = caught
  }
  if (!isBrokerwireError(error)) throw error
  expect(error.details).toMatchObject({ option })
  expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain('hidden-token')
})

test('reports requests by the name of the client', async () => {
  const { fetch } = serviceFor('stored')
  const seen: unknown[] = []
  const observer = { onHttpAttemptEnd: (end: unknown) => seen.push(end) }
  const { http } = open(fetch, async () => 'stored', { clientId: 'worker', observer })
  await http.request({ ...GET, operation: 'x.get' })
  expect(seen).toMatchObject([{ clientId: 'worker', operation: 'x.get', origin: http.origin, status: 200 }])
})
