/**
 * Failures of a service or a network: each has a typed error within its time limit, and the client stays usable.
 */
import type { FetchLike } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { describe, expect, test } from 'vitest'
import { createHttpClient, isHttpError } from './index.ts'
import { rejection, testOptions, testTokens } from './test/fixtures.ts'
import { DEAD_URL } from './test/service.ts'
import { failWith, setUp } from './test/set-up.ts'

/** Calls `then` when the headers of a response have arrived, while its body is read. */
function afterHeaders(then: () => void): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    setTimeout(then, 0)
    return response
  }
}

describe('responses that are missing or incomplete', () => {
  test('a service that never responds is HTTP_TIMEOUT', async () => {
    const { service, client, clock } = await setUp({ maxRetries: 0 })
    await service.reply({ steps: [] })
    const sent = rejection(client.request({ method: 'GET', path: '/x' }))
    await service.arrived(1)
    await clock.advance(29_999)
    expect(clock.pendingTimers).toBe(1)
    await clock.advance(1)
    const error = await sent
    expect(isHttpError(error, 'HTTP_TIMEOUT') && error.details).toEqual({
      method: 'GET',
      sentOnce: true,
      origin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      path: '/x',
      timeoutMs: 30_000,
      phase: 'headers',
    })
    expect(clock.pendingTimers).toBe(0)
  })

  test('a response that arrives byte by byte is limited as a whole', async () => {
    const clock = createVirtualClock()
    let chunks = 0
    // The clock advances by 100 ms for each chunk that arrives.
    const timed: FetchLike = async (url, init) => {
      const response = await fetch(url, init)
      const pieces = new TransformStream({
        async transform(piece, controller) {
          chunks += 1
          controller.enqueue(piece)
          await clock.advance(100)
        },
      })
      return new Response(response.body?.pipeThrough(pieces), response)
    }
    const { service, client } = await setUp({ clock, fetch: timed, maxRetries: 0, timeoutMs: 5000 })
    await service.reply({ steps: ['head', { dripEveryMs: 1 }] })
    const error = await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(isHttpError(error, 'HTTP_TIMEOUT') && error.details.phase).toBe('body')
    expect(chunks).toBe(50)
    expect((await service.received())[0]?.writes).toBeGreaterThanOrEqual(50)
    expect(clock.pendingTimers).toBe(0)
  })

  test('a connection closed before the response is HTTP_NO_RESPONSE', async () => {
    const error = await failWith({ steps: ['destroy'] })
    expect(error.code).toBe('HTTP_NO_RESPONSE')
    expect(error).toMatchObject({ retryable: true, details: { phase: 'headers' } })
  })

  test('a connection closed within the response is HTTP_NO_RESPONSE', async () => {
    const error = await failWith({
      headers: { 'content-length': '100' },
      steps: ['head', { write: '{"half":' }, 'destroy'],
    })
    expect(error.code).toBe('HTTP_NO_RESPONSE')
    expect(error).toMatchObject({ retryable: true, details: { phase: 'body' } })
  })

  test('after a 401 that breaks off the next attempt shows its code', async () => {
    const accessTokens = testTokens('old', 'new')
    const { service, client, ends } = await setUp({ accessTokens })
    const body = JSON.stringify({ error_code: 'INVALID_TOKEN' })
    const headers = { 'content-length': String(body.length) }
    const cutOff = { status: 401, headers, steps: ['head', { write: body.slice(0, 9) }, 'destroy'] } as const
    await service.reply(cutOff, { status: 401, text: body }, { json: {} })
    await client.request({ method: 'GET', path: '/x' })
    expect(accessTokens.rejections).toEqual([{ token: 'old', status: 401, code: 'INVALID_TOKEN' }])
    expect(ends.map(({ serviceCode }) => serviceCode)).toEqual([undefined, 'INVALID_TOKEN', undefined])
  })

  test('observers get status and request id of a response that breaks off', async () => {
    const { service, client, ends } = await setUp({ maxRetries: 0 })
    const headers = { 'content-length': '100', 'x-request-id': 'r-1' }
    await service.reply({ headers, steps: ['head', { write: '{' }, 'destroy'] })
    await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(ends).toMatchObject([{ errorCode: 'HTTP_NO_RESPONSE', status: 200, requestId: 'r-1' }])
  })

  test('a response of 10 MB exceeds the limit', async () => {
    const error = await failWith({ steps: ['head', { fill: 10_000_000 }, 'end'] })
    expect(error).toMatchObject({ code: 'HTTP_RESPONSE_TOO_LARGE', retryable: false })
    expect(error.details).toMatchObject({ maxResponseBytes: 8 * 1024 * 1024 })
  })

  test('an endless response exceeds the limit', async () => {
    const error = await failWith({ steps: ['head', 'pour'] })
    expect(error.code).toBe('HTTP_RESPONSE_TOO_LARGE')
  })

  test('a response of exactly the limit is accepted, and one byte more is not', async () => {
    const { service, client } = await setUp({ maxResponseBytes: 1000 })
    await service.reply({ text: 'x'.repeat(1000) })
    expect((await client.request({ method: 'GET', path: '/x' })).bytes).toHaveLength(1000)
    await service.reply({ text: 'x'.repeat(1001) })
    expect(
      isHttpError(await rejection(client.request({ method: 'GET', path: '/x' })), 'HTTP_RESPONSE_TOO_LARGE'),
    ).toBe(true)
  })

  test('a small response that decompresses to a large one exceeds the limit', async () => {
    const error = await failWith({
      headers: { 'content-encoding': 'gzip' },
      steps: ['head', { zip: 20_000_000 }, 'end'],
    })
    expect(error.code).toBe('HTTP_RESPONSE_TOO_LARGE')
  })

  test.each([
    ['is too large', { fill: 10_000_000 }],
    ['breaks off', { write: '<h' }],
  ])('an error page that %s keeps its status', async (_, step) => {
    const headers = { 'content-length': '20000000' }
    const error = await failWith({ status: 401, headers, steps: ['head', step, 'destroy'] })
    expect(error).toMatchObject({
      code: 'HTTP_UNAUTHORIZED',
      details: { status: 401, serviceCode: undefined },
    })
  })

  test('an error page that never ends keeps its status', async () => {
    const clock = createVirtualClock()
    const fetch = afterHeaders(() => void clock.advance(30_000))
    const { service, client } = await setUp({ clock, fetch, maxRetries: 0 })
    await service.reply({ status: 403, steps: ['head', { write: '<html>' }] })
    const error = await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(isHttpError(error, 'HTTP_FORBIDDEN') && error.details.serviceCode).toBe(undefined)
    expect(clock.pendingTimers).toBe(0)
  })

  test('a response whose body another reader has locked keeps its status', async () => {
    const taken: FetchLike = async (url, init) => {
      const response = await fetch(url, init)
      response.body?.getReader()
      return response
    }
    const { service, client } = await setUp({ fetch: taken, maxRetries: 0 })
    await service.reply({ status: 429, headers: { 'retry-after': '7' }, json: {} })
    const error = await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(isHttpError(error, 'HTTP_RATE_LIMITED') && error.details.retryAfterMs).toBe(7000)
    await service.reply({ json: {} })
    const unread = await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(isHttpError(unread, 'HTTP_NO_RESPONSE') && unread.details.phase).toBe('body')
  })
})

describe('responses that are not HTTP', () => {
  test.each([
    ['sends no HTTP', 'hello?\r\n\r\n'],
    ['breaks off in the headers', 'HTTP/1.1 200 OK\r\nx-a: '],
    ['repeats content-length', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
  ])('if a service %s, whether the request took effect is unknown', async (_, raw) => {
    const error = await failWith({ steps: [{ raw }, 'destroy'] })
    expect(error.code).toBe('HTTP_NO_RESPONSE')
    expect(error).not.toHaveProperty('cause')
  })
})

describe('no service', () => {
  test('if no server listens, the request was not sent, or the host does not report it', async () => {
    const client = createHttpClient(testOptions(DEAD_URL, { maxRetries: 0 }))
    const error = await rejection(client.request({ method: 'GET', path: '/x' }))
    if (!isHttpError(error)) throw error
    const host = globalThis as { navigator?: { userAgent?: string } }
    const isWorkerd = host.navigator?.userAgent === 'Cloudflare-Workers'
    expect(error.code).toBe(isWorkerd ? 'HTTP_NO_RESPONSE' : 'HTTP_NOT_SENT')
    expect(error).toMatchObject({ retryable: true })
  })
})

describe('a caller that aborts', () => {
  test('before the request nothing is sent', async () => {
    const { service, client } = await setUp()
    const signal = AbortSignal.abort('enough')
    expect(await rejection(client.request({ method: 'GET', path: '/x', signal }))).toBe('enough')
    expect(await service.received()).toHaveLength(0)
  })

  test('while the body arrives the request is aborted', async () => {
    const controller = new AbortController()
    const { service, client, clock } = await setUp({ fetch: afterHeaders(() => controller.abort('enough')) })
    await service.reply({ steps: ['head', { write: '{' }] })
    expect(await rejection(client.request({ method: 'GET', path: '/x', signal: controller.signal }))).toBe(
      'enough',
    )
    expect(clock.pendingTimers).toBe(0)
  })

  test('while a retry waits no retry is sent', async () => {
    const controller = new AbortController()
    const { service, client, clock } = await setUp({
      observer: { onHttpAttemptEnd: () => setTimeout(() => controller.abort('enough'), 0) },
    })
    await service.reply({ status: 503 })
    expect(await rejection(client.request({ method: 'GET', path: '/x', signal: controller.signal }))).toBe(
      'enough',
    )
    expect(await service.received()).toHaveLength(1)
    expect(clock.pendingTimers).toBe(0)
  })
})
