/** The lifecycles of both kinds of tokens over days, with virtual time in the client and in the local service. */
import { createVirtualClock } from '@brokerwire/core/testing'
import type { SimulatorOptions } from '@brokerwire/simulator'
import { isTokensError, type TokenLifecycle } from '@brokerwire/tokens'
import { expect, test } from 'vitest'
import { rateLimiter } from './index.ts'
import { passTime, startSetUp } from './test/set-up.ts'

const CREATE = '/auth/tokens/create'
const CHECK = '/auth/tokens/check'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

async function startVirtual(options: SimulatorOptions = {}) {
  const clock = createVirtualClock()
  const setUp = await startSetUp({ clock, rateLimit: { requests: 10, windowMs: 30_000 }, ...options })
  return { clock, setUp, pass: <T>(promise: Promise<T>) => passTime(setUp, clock, promise) }
}

test('a second factor that is not entered expires, and no person is asked again', async () => {
  const { clock, setUp, pass } = await startVirtual()
  const { accessTokens } = setUp.open({ tokens: { pollTimeoutMs: 400_000 } })
  const startMs = clock.now()
  const error = await pass(accessTokens.get())
  expect(isTokensError(error, 'TOKEN_VERIFICATION_EXPIRED')).toBe(true)
  expect(clock.now() - startMs).toBe(300_000)
  const again = await pass(accessTokens.get())
  expect(isTokensError(again, 'TOKEN_SECOND_FACTOR_REQUIRED')).toBe(true)
  expect(setUp.paths().filter((path) => path === CREATE)).toHaveLength(1)
  expect(setUp.simulator.requests().every(({ status }) => status === 200)).toBe(true)
})

test('after the poll timeout the token is still pending, and a later call can return it', async () => {
  const { clock, setUp, pass } = await startVirtual()
  const { accessTokens } = setUp.open({ tokens: { pollTimeoutMs: 60_000 } })
  const startMs = clock.now()
  expect(isTokensError(await pass(accessTokens.get()), 'TOKEN_POLL_TIMEOUT')).toBe(true)
  expect(clock.now() - startMs).toBe(60_000)
  // One poll every 5 s; the last one is at the end.
  expect(setUp.paths().filter((path) => path === CHECK).length).toBeGreaterThanOrEqual(11)
  setUp.simulator.approveSecondFactor()
  expect(await pass(accessTokens.get())).toMatchObject({ expiresAtMs: startMs + 15 * DAY_MS })
  expect(setUp.paths().filter((path) => path === CREATE)).toHaveLength(1)
})

test('in production three expiry warnings are sent, and no renewal starts by itself', async () => {
  const { clock, setUp, pass } = await startVirtual({ secondFactor: 'automatic' })
  const { accessTokens } = setUp.open({ tokens: { storePollIntervalMs: HOUR_MS } })
  await pass(accessTokens.get())
  const seen: TokenLifecycle[] = []
  const watching = (async () => {
    for await (const change of accessTokens.watch()) {
      seen.push(change)
      if (change.type === 'ended') break
    }
  })()
  for (let hour = 0; hour < 15 * 24 + 1; hour += 1) await clock.advance(HOUR_MS)
  await watching
  const hours = seen.map((change) => [
    change.type,
    'remainingMs' in change ? Math.round((change.remainingMs ?? 0) / HOUR_MS) : 0,
  ])
  expect(hours).toEqual([
    ['normal', 360],
    ['expiring', 72],
    ['expiring', 24],
    ['expiring', 1],
    ['ended', 0],
  ])
  const error = await pass(accessTokens.get())
  expect(isTokensError(error, 'TOKEN_SECOND_FACTOR_REQUIRED')).toBe(true)
  expect(setUp.paths().filter((path) => path === CREATE)).toHaveLength(1)
})

test('renew() returns the same token if the service has extended it', async () => {
  const { clock, setUp, pass } = await startVirtual({ secondFactor: 'automatic' })
  const { accessTokens } = setUp.open()
  const token = (await pass(accessTokens.get())) as { token: { reveal(): string }; expiresAtMs: number }
  await clock.advance(HOUR_MS)
  setUp.simulator.setAccessTokenExpiry(token.token.reveal(), token.expiresAtMs + DAY_MS)
  expect(await pass(accessTokens.renew())).toMatchObject({ expiresAtMs: token.expiresAtMs + DAY_MS })
  expect(setUp.paths().filter((path) => path === CREATE)).toHaveLength(1)
})

/** A low limit of the service for client tokens, and the same limit in the rate limiter. */
const FEW = { clientRequests: 10, clientWindowMs: 30_000 }
const KNOWN = { clientLimit: 10, clientWindowMs: 30_000 }

test('twelve customers at once cause no 429, and the access token does not wait for them', async () => {
  const { clock, setUp, pass } = await startVirtual({ rateLimit: FEW })
  const { accessTokens, clientTokens } = setUp.open({ plugins: [rateLimiter(KNOWN)] })
  const startMs = clock.now()
  const customers = Array.from({ length: 12 }, (_, index) => clientTokens.get(`customer ${index}`))
  const person = accessTokens.get()
  await clock.settle()
  const all = pass(Promise.all(customers))
  const changes = accessTokens.watch()
  for await (const change of changes) if (change.type === 'pending') break
  setUp.simulator.approveSecondFactor()
  expect(await pass(person)).toMatchObject({ expiresAtMs: expect.any(Number) })
  expect(setUp.paths().indexOf(CREATE)).toBeLessThan(11)
  const got = (await all) as { replacedAllSessions: boolean }[]
  expect(got.map(({ replacedAllSessions }) => replacedAllSessions)).toEqual(Array(12).fill(false))
  expect(setUp.simulator.requests().map(({ status }) => status)).toEqual(Array(14).fill(200))
  expect(clock.now() - startMs).toBeGreaterThanOrEqual(30_000)
})

test('three servers on one store stay within the limit together, without a 429', async () => {
  const { clock, setUp, pass } = await startVirtual({ rateLimit: FEW })
  const options = {
    plugins: [rateLimiter({ ...KNOWN, maxWaitMs: 300_000 })],
    tokens: { callTimeoutMs: 300_000 },
  }
  const servers = [setUp.open(options), setUp.open(options), setUp.open(options)]
  const startMs = clock.now()
  const customers = Array.from({ length: 24 }, (_, index) =>
    servers[index % 3]?.clientTokens.get(`customer ${index}`),
  )
  const got = (await pass(Promise.all(customers))) as { replacedAllSessions: boolean }[]
  expect(got).toHaveLength(24)
  expect(setUp.simulator.requests().map(({ status }) => status)).toEqual(Array(24).fill(200))
  expect(clock.now() - startMs).toBeGreaterThanOrEqual(60_000)
})

test('servers with separate limits receive a 429, and all their calls succeed in the end', async () => {
  const { setUp, pass } = await startVirtual({ rateLimit: FEW })
  const options = { plugins: [rateLimiter({ ...KNOWN, shared: false })] }
  const servers = [setUp.open(options), setUp.open(options), setUp.open(options)]
  const customers = Array.from({ length: 12 }, (_, index) =>
    servers[index % 3]?.clientTokens.get(`customer ${index}`),
  )
  const got = (await pass(Promise.all(customers))) as { replacedAllSessions: boolean }[]
  expect(got).toHaveLength(12)
  expect(setUp.simulator.requests().map(({ status }) => status)).toContain(429)
})

test('a client token is refreshed after 80 % of its lifetime, and created again only after a rejection', async () => {
  const { clock, setUp, pass } = await startVirtual()
  const { clientTokens } = setUp.open()
  const get = async () => {
    const token = await pass(clientTokens.get('anna'))
    if (token instanceof Error) throw token
    return token as Awaited<ReturnType<typeof clientTokens.get>>
  }
  const first = await get()
  await clock.advance(0.79 * 2 * HOUR_MS)
  expect((await get()).accessToken.reveal()).toBe(first.accessToken.reveal())
  await clock.advance(0.02 * 2 * HOUR_MS)
  const second = await get()
  expect(second).toMatchObject({ replacedAllSessions: false })
  expect(setUp.simulator.isClientTokenLive(first.accessToken.reveal())).toBe(false)
  expect(setUp.simulator.isClientTokenLive(second.accessToken.reveal())).toBe(true)

  // The response of a refresh is lost, and the same refresh token is rejected afterwards. Only then a pair is created.
  await clock.advance(1.7 * HOUR_MS)
  setUp.simulator.faults.nextHttp({ kind: 'close', processed: true }, { path: '/auth/client-tokens/refresh' })
  expect(await get()).toMatchObject({ replacedAllSessions: true })
  expect(setUp.paths()).toEqual([
    '/auth/client-tokens/create',
    '/auth/client-tokens/refresh',
    '/auth/client-tokens/refresh',
    '/auth/client-tokens/refresh',
    '/auth/client-tokens/create',
  ])
})
