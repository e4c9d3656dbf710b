/** The two rejections that the client handles itself: of an ended token, and of a timestamp. */
import { createServerClock, Secret } from '@brokerwire/core'
import { describe, expect, test } from 'vitest'
import { createHttpClient, isHttpError } from './index.ts'
import { rejection, TOKEN, testOptions, testSigner, testTokens, watchedClock } from './test/fixtures.ts'
import { startService } from './test/service.ts'
import { setUp } from './test/set-up.ts'

describe('the rejected token', () => {
  const rejected = { status: 401, json: { error_code: 'INVALID_TOKEN', message: 'token is invalid' } }

  test('a GET is sent again with the new token', async () => {
    const accessTokens = testTokens('old', 'new')
    const { service, client } = await setUp({ accessTokens })
    await service.reply(rejected, { json: {} })
    await client.request({ method: 'GET', path: '/x' })
    expect((await service.received()).map(({ headers }) => headers['x-access-token'])).toEqual(['old', 'new'])
    expect(accessTokens.rejections).toEqual([{ token: 'old', status: 401, code: 'INVALID_TOKEN' }])
  })

  test('a POST is not sent again, and the error states that it may be', async () => {
    const { service, client } = await setUp({ accessTokens: testTokens('old', 'new') })
    await service.reply(rejected)
    const error = await rejection(client.request({ method: 'POST', path: '/x', json: {} }))
    expect(isHttpError(error, 'HTTP_UNAUTHORIZED') && error.retryable).toBe(true)
    expect(await service.received()).toHaveLength(1)
  })

  test('a second rejection is reported and ends the retries', async () => {
    const accessTokens = testTokens('one', 'two', 'three')
    const { service, client } = await setUp({ accessTokens })
    await service.reply(rejected)
    const error = await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(isHttpError(error, 'HTTP_UNAUTHORIZED')).toBe(true)
    expect(accessTokens.rejections.map(({ token }) => token)).toEqual(['one', 'two'])
    expect(await service.received()).toHaveLength(2)
  })

  test('the provider receives the very token that it returned', async () => {
    const token = new Secret(TOKEN)
    const told: Secret[] = []
    const accessTokens = {
      get: async () => ({ token }),
      async reportRejected(rejected: Secret) {
        told.push(rejected)
        return { changed: false }
      },
    }
    const { service, client } = await setUp({ accessTokens })
    await service.reply(rejected)
    await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(told).toHaveLength(1)
    expect(told[0]).toBe(token)
  })

  test('nothing is retried if nothing changed', async () => {
    const { service, client } = await setUp({ accessTokens: testTokens('only') })
    await service.reply(rejected)
    const error = await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(isHttpError(error, 'HTTP_UNAUTHORIZED') && error.retryable).toBe(false)
    expect(await service.received()).toHaveLength(1)
  })

  test('errors of the token provider are passed on', async () => {
    const second = new Error('a second factor is needed')
    const reportRejected = async () => {
      throw second
    }
    const accessTokens = { ...testTokens(TOKEN), reportRejected }
    const { service, client, ends } = await setUp({ accessTokens })
    await service.reply(rejected)
    expect(await rejection(client.request({ method: 'GET', path: '/x' }))).toBe(second)
    expect(ends).toMatchObject([{ errorCode: 'HTTP_UNAUTHORIZED', serviceCode: 'INVALID_TOKEN' }])
  })

  test('a token of the request itself is not reported', async () => {
    const accessTokens = testTokens('old', 'new')
    const { service, client } = await setUp({ accessTokens })
    await service.reply(rejected)
    await rejection(client.request({ method: 'GET', path: '/x', accessToken: 'mine' }))
    expect(accessTokens.rejections).toEqual([])
  })
})

describe('a rejected timestamp', () => {
  const illegal = (date: string) => ({
    status: 401,
    headers: { date },
    json: { error_code: 'ILLEGAL_TIMESTAMP', message: 'timestamp is illegal' },
  })
  const HOUR_MS = 3_600_000

  async function setUpSlow() {
    const trueNow = Date.UTC(2026, 5, 1)
    const service = await startService({ nowMs: trueNow })
    const serverClock = createServerClock(() => trueNow - HOUR_MS)
    const watched = watchedClock()
    const { clock, observer } = watched
    const signer = testSigner(() => serverClock.now())
    const client = createHttpClient(testOptions(service.url, { signer, serverClock, clock, observer }))
    return { service, client, serverClock, date: new Date(trueNow).toUTCString(), ...watched }
  }

  test('the clock is set from the response, and the request is sent once more, a POST as well', async () => {
    const { service, client, serverClock, date, ends } = await setUpSlow()
    await service.reply({ json: {}, ifSignatureInvalid: illegal(date) })
    await client.request({ method: 'POST', path: '/x', json: {} })
    expect((await service.received()).map(({ verdict }) => verdict.ok)).toEqual([false, true])
    expect(serverClock.offsetMs).toBe(HOUR_MS)
    expect(ends.map(({ retryDelayMs }) => retryDelayMs)).toEqual([0, undefined])
    await client.request({ method: 'GET', path: '/x' })
    expect(await service.received()).toHaveLength(3)
  })

  test('the clock is set once for concurrent requests', async () => {
    const { service, client, date } = await setUpSlow()
    await service.reply({ json: {}, ifSignatureInvalid: illegal(date) })
    await Promise.all(Array.from({ length: 4 }, () => client.request({ method: 'GET', path: '/x' })))
    expect((await service.received()).filter(({ verdict }) => verdict.ok)).toHaveLength(4)
  })

  test('a second rejection is final', async () => {
    const { service, client, date } = await setUpSlow()
    await service.reply(illegal(date), illegal(new Date(Date.UTC(2030, 0, 1)).toUTCString()))
    const error = await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(isHttpError(error, 'HTTP_UNAUTHORIZED') && error.details.serviceCode).toBe('ILLEGAL_TIMESTAMP')
    expect(await service.received()).toHaveLength(2)
  })

  test.each(['', 'yesterday', '99999'])('an unreadable Date does not set the clock: %j', async (date) => {
    const { service, client, serverClock } = await setUpSlow()
    const { headers, ...reply } = illegal(date)
    await service.reply(date === '' ? { ...reply, withoutDate: true } : { ...reply, headers })
    const error = await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(isHttpError(error, 'HTTP_UNAUTHORIZED')).toBe(true)
    expect(await service.received()).toHaveLength(1)
    expect(serverClock.offsetMs).toBe(0)
  })

  test.each([
    'Thu, 01 Jan 1970 00:00:00 GMT',
    'Thu, 01 Jan 2099 00:00:00 GMT',
    'Fri, 31 Dec 9999 23:59:59 GMT',
  ])('an implausible Date does not set the clock, and the error names the clock: %j', async (date) => {
    const { service, client, serverClock } = await setUpSlow()
    await service.reply(illegal(date))
    const error = await rejection(client.request({ method: 'POST', path: '/x', json: {} }))
    if (!isHttpError(error, 'HTTP_CLOCK_IMPLAUSIBLE')) throw error
    expect(error.details).toMatchObject({
      status: 401,
      serviceCode: 'ILLEGAL_TIMESTAMP',
      serverNowMs: Date.parse(date),
      maxClockOffsetMs: 24 * HOUR_MS,
    })
    expect(error.message).toContain(`received ${new Date(date).toISOString()}. Correct the wrong clock`)
    expect(error.retryable).toBe(false)
    expect(serverClock.offsetMs).toBe(0)
    expect(await service.received()).toHaveLength(1)
  })

  test('an offset from a wrong date is reverted by the next response with a plausible one', async () => {
    const { service, client, serverClock, date } = await setUpSlow()
    const late = new Date(Date.parse(date) + 20 * HOUR_MS).toUTCString()
    const right = { json: {}, headers: { date } }
    await service.reply(illegal(late), right, right)
    await client.request({ method: 'GET', path: '/x' })
    // The clock offset is reset by the response to the retry that it caused.
    expect(serverClock.offsetMs).toBe(HOUR_MS)
    await client.request({ method: 'GET', path: '/x' })
    expect((await service.received()).map(({ verdict }) => verdict.ok)).toEqual([false, false, true])
  })

  test('without a server clock the clock is not set and nothing is retried', async () => {
    const { service, client } = await setUp()
    await service.reply(illegal(new Date(0).toUTCString()))
    await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(await service.received()).toHaveLength(1)
  })
})
