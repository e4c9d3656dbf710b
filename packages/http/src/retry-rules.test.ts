/** Retries: the table of docs/guides/http-requests.md, over real connections. */
import { describe, expect, test } from 'vitest'
import { createHttpClient, type HttpRequest, isHttpError, type RetryRule } from './index.ts'
import { rejection, testOptions, testSigner, watchedClock } from './test/fixtures.ts'
import type { Reply } from './test/reply.ts'
import { startService } from './test/service.ts'

/** Number of requests that arrive if the service always sends this reply. */
async function attemptsOf(reply: Reply, request: Partial<HttpRequest>, maxRetries = 2) {
  const service = await startService()
  const { clock, observer, ends } = watchedClock()
  const client = createHttpClient(testOptions(service.url, { clock, observer, maxRetries }))
  await service.reply(reply)
  const error = await rejection(client.request({ method: 'POST', path: '/x', ...request }))
  return { count: (await service.received()).length, error, ends }
}

const REPLIES: Readonly<Record<string, Reply>> = {
  'no answer': { steps: ['destroy'] },
  '500': { status: 500 },
  '503': { status: 503 },
  '429 with Retry-After': { status: 429, headers: { 'retry-after': '3' } },
  '429 without': { status: 429 },
  '401': { status: 401 },
  '403': { status: 403 },
  '417': { status: 417 },
  redirect: { status: 302 },
}

const RETRIED: Readonly<Record<RetryRule, readonly string[]>> = {
  always: ['no answer', '500', '503', '429 with Retry-After', '429 without'],
  unsent: ['429 with Retry-After'],
  never: [],
}

describe.each(Object.entries(RETRIED))('retry: %s', (rule, retried) => {
  test.each(Object.entries(REPLIES))('after %s', async (name, reply) => {
    const { count } = await attemptsOf(reply, { retry: rule as RetryRule })
    expect(count).toBe(retried.includes(name) ? 3 : 1)
  })
})

test('each attempt is signed at the time at which it is sent', async () => {
  const { clock, observer } = watchedClock()
  const service = await startService({ nowMs: clock.now() })
  const signer = testSigner(clock.now)
  const client = createHttpClient(testOptions(service.url, { clock, observer, signer }))
  const sentMs = clock.now()
  await service.reply({ status: 429, headers: { 'retry-after': '3' } }, { json: {} })
  await client.request({ method: 'GET', path: '/x', retry: 'always' })
  const stamps = (await service.received()).map(({ headers }) => Date.parse(String(headers['x-timestamp'])))
  expect(stamps).toEqual([sentMs, clock.now()].map((ms) => ms - (ms % 1000)))
  expect(clock.now() - sentMs).toBeGreaterThanOrEqual(3000)
})

describe('a connection that was never made', () => {
  test.each([
    ['always', 3],
    ['unsent', 3],
    ['never', 1],
  ] as const)('retry: %s', async (retry, attempts) => {
    const { clock, observer, ends } = watchedClock()
    const refused = Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' }),
    })
    const fetch = async () => {
      throw refused
    }
    const client = createHttpClient(testOptions('http://127.0.0.1:9', { clock, observer, fetch }))
    const error = await rejection(client.request({ method: 'POST', path: '/x', retry }))
    expect(isHttpError(error, 'HTTP_NOT_SENT')).toBe(true)
    expect(ends).toHaveLength(attempts)
  })
})

describe('a connection that is not made after an attempt was sent', () => {
  test.each([
    ['always', { status: 503 }, 'HTTP_SERVER_ERROR'],
    ['unsent', { status: 429, headers: { 'retry-after': '3' } }, 'HTTP_RATE_LIMITED'],
  ] as const)('retry: %s reports the attempt that was sent', async (retry, reply, code) => {
    const service = await startService()
    const { clock, observer, ends } = watchedClock()
    const refused = Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' }),
    })
    let calls = 0
    const once = async (url: string, init: unknown) => {
      calls += 1
      if (calls > 1) throw refused
      return await fetch(url, init as never)
    }
    const sendsOnce = Object.assign(once, { sendsOnce: true })
    const client = createHttpClient(
      testOptions(service.url, { clock, observer, fetch: sendsOnce as never, maxRetries: 2 }),
    )
    await service.reply(reply)
    const error = await rejection(client.request({ method: 'POST', path: '/x', retry }))
    expect(error).toMatchObject({ code, retryable: true, message: expect.stringContaining('ECONNREFUSED') })
    expect(ends.map(({ errorCode }) => errorCode)).toEqual([code, 'HTTP_NOT_SENT', 'HTTP_NOT_SENT'])
  })
})

describe('waits', () => {
  test('GET is retried by default, POST is not', async () => {
    expect((await attemptsOf({ status: 503 }, { method: 'GET' })).count).toBe(3)
    expect((await attemptsOf({ status: 503 }, { method: 'DELETE' })).count).toBe(1)
    expect((await attemptsOf({ status: 503 }, { method: 'GET' }, 0)).count).toBe(1)
  })

  test('they grow, unless the service states a wait', async () => {
    const delays = async (reply: Reply) =>
      (await attemptsOf(reply, { method: 'GET' }, 4)).ends.map(({ retryDelayMs }) => retryDelayMs)
    expect(await delays({ status: 503 })).toEqual([125, 250, 500, 1000, undefined])
    expect(await delays({ status: 503, headers: { 'retry-after': '2' } })).toEqual([
      2000,
      2000,
      2000,
      2000,
      undefined,
    ])
  })

  test('until a date they are measured from the Date of the response, whatever the host\u2019s clock', async () => {
    const date = 'Tue, 01 Jan 2030 00:00:00 GMT'
    const headers = { date, 'retry-after': 'Tue, 01 Jan 2030 00:00:06 GMT' }
    const { ends } = await attemptsOf({ status: 429, headers }, { method: 'GET' }, 1)
    expect(ends.map(({ retryDelayMs }) => retryDelayMs)).toEqual([6000, undefined])
  })

  test('a longer one than allowed ends the request, and the caller decides', async () => {
    const { count, error } = await attemptsOf(
      { status: 429, headers: { 'retry-after': '31' } },
      { method: 'GET' },
    )
    expect(count).toBe(1)
    expect(isHttpError(error, 'HTTP_RATE_LIMITED') && error.details.retryAfterMs).toBe(31_000)
  })

  test('a wait for the token comes before beforeAttempt, and the signature after it', async () => {
    const service = await startService()
    const { clock, observer } = watchedClock()
    const steps: string[] = []
    const signer = testSigner(clock.now)
    const client = createHttpClient(
      testOptions(service.url, {
        clock,
        observer: { ...observer, onHttpAttempt: () => steps.push('send') },
        accessTokens: {
          async get() {
            await clock.advance(60_000)
            steps.push('token')
            return undefined
          },
          reportRejected: async () => ({ changed: false }),
        },
        signer: {
          sign(input) {
            steps.push('sign')
            return signer.sign(input)
          },
        },
      }),
    )
    let recordedMs = 0
    const beforeAttempt = async (): Promise<void> => {
      await clock.advance(5000)
      steps.push('beforeAttempt')
      recordedMs = clock.now()
    }
    await service.reply({ json: {} })
    await client.request({ method: 'POST', path: '/x', beforeAttempt })
    expect(steps).toEqual(['token', 'beforeAttempt', 'sign', 'send'])
    const [received] = await service.received()
    expect(Date.parse(String(received?.headers['x-timestamp']))).toBe(recordedMs - (recordedMs % 1000))
  })

  test('beforeAttempt is awaited before each attempt, and gets the error of the attempt before', async () => {
    const codes: (string | undefined)[] = []
    const beforeAttempt: HttpRequest['beforeAttempt'] = async ({ lastError }) => {
      codes.push(lastError?.code)
    }
    await attemptsOf({ status: 503 }, { method: 'GET', beforeAttempt })
    expect(codes).toEqual([undefined, 'HTTP_SERVER_ERROR', 'HTTP_SERVER_ERROR'])
  })
})
