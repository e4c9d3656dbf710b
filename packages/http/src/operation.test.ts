/** Requests of operations: path family, limiter and errors. */
import type { Operation, OperationRequest, RateLimits } from '@brokerwire/core'
import { describe, expect, test } from 'vitest'
import type { OperationRateLimiter } from './index.ts'
import { rejection } from './test/fixtures.ts'
import { last, setUp } from './test/set-up.ts'

const LIMITS: RateLimits = { us: { limit: 2, windowMs: 1000 } }

/** An operation whose data is the body of the response as a string. */
const readThing: Operation<{ readonly id: string }, string> = {
  name: 'things.read',
  createRequest({ id }, { pathFamily, allowGuessed = false }): OperationRequest {
    return {
      method: 'POST',
      pathFamily,
      path: pathFamily === 'current' ? '/things/read' : '/openapi/things',
      apiVersion: pathFamily === 'current' ? 'v3' : 'v2',
      query: [],
      json: { id, guessed: allowGuessed },
      headers: { category: 'US_EQUITY' },
      authenticated: false,
      retry: 'always',
      rateLimits: LIMITS,
    }
  },
  readResponse: (response) => ({ data: response.text(), issues: [] }),
}

function recordingLimiter() {
  const calls: unknown[] = []
  const limiter: OperationRateLimiter = {
    acquire: (operation, limits) => {
      calls.push({ acquire: operation, limits })
      return Promise.resolve()
    },
    backOff: (operation, _limits, delayMs) => {
      calls.push({ backOff: operation, delayMs })
    },
  }
  return { calls, limiter }
}

describe('the request of an operation', () => {
  test('has its path, version, headers and body, and the response has the data', async () => {
    const { service, client } = await setUp()
    await service.reply({ text: 'found', headers: { 'x-request-id': 'r-1' } })
    const response = await client.request(readThing, { id: '7' })
    expect(response).toMatchObject({ data: 'found', issues: [], status: 200, requestId: 'r-1' })
    expect(response.text()).toBe('found')
    const received = await last(service)
    expect(received.target).toBe('/things/read')
    expect(received.headers).toMatchObject({ 'x-version': 'v3', category: 'US_EQUITY' })
    expect(new TextDecoder().decode(received.body)).toBe('{"id":"7","guessed":false}')
  })

  test('is of the family of the client, or of the call', async () => {
    const { service, client } = await setUp({ pathFamily: 'openapi' })
    await service.reply({ json: {} })
    await client.request(readThing, { id: '7' })
    expect((await last(service)).target).toBe('/openapi/things')
    await client.request(readThing, { id: '7' }, { pathFamily: 'current', allowGuessed: true })
    const received = await last(service)
    expect(received.target).toBe('/things/read')
    expect(new TextDecoder().decode(received.body)).toBe('{"id":"7","guessed":true}')
  })

  test('is sent again as the operation allows, if the option "retry" is undefined', async () => {
    const { service, client } = await setUp()
    await service.reply({ status: 503, json: {} }, { text: 'found' })
    expect(await client.request(readThing, { id: '7' }, { retry: undefined })).toMatchObject({
      data: 'found',
    })
    await service.reply({ status: 503, json: {} }, { text: 'found' })
    const error = await rejection(client.request(readThing, { id: '7' }, { retry: 'never' }))
    expect(error).toMatchObject({ code: 'HTTP_SERVER_ERROR' })
  })

  test('has the headers of the call, which replace those of the operation in any case', async () => {
    const { service, client } = await setUp()
    await service.reply({ json: {} })
    await client.request(readThing, { id: '7' }, { headers: { Category: 'US_OPTION', other: 'x' } })
    expect((await last(service)).headers).toMatchObject({ category: 'US_OPTION', other: 'x' })
  })

  test('fails with the error of a wrong input', async () => {
    const { client } = await setUp()
    const wrong = { ...readThing, createRequest: () => Promise.reject(new Error('wrong')) as never }
    wrong.createRequest = () => {
      throw new Error('wrong input')
    }
    expect(await rejection(client.request(wrong, { id: '7' }))).toMatchObject({ message: 'wrong input' })
  })

  test.each([
    [{ pathFamily: 'old' }, 'pathFamily must be "current" or "openapi"'],
    [{ allowGuessed: 'yes' }, 'allowGuessed must be true or false'],
    [{ timeoutMS: 5 }, 'Did you mean "timeoutMs"?'],
    [{ timeoutMs: 'x' }, 'timeoutMs must be'],
    [{ pathFamly: 'openapi' }, 'Did you mean "pathFamily"?'],
    [{ path: '/other' }, 'unknown option "path"'],
    [{ method: 'GET' }, 'unknown option "method"'],
    [{ apiVersion: 'v2' }, 'unknown option "apiVersion"'],
    [{ authenticated: true }, 'unknown option "authenticated"'],
    [{ json: {} }, 'unknown option "json"'],
    [{ beforeAttempt: 1 }, 'beforeAttempt must be a function'],
    [{ headers: new Headers({ a: 'b' }) }, 'headers must be a plain object'],
    [null, 'options must be an object; received null'],
  ])('rejects the options %j', async (options, message) => {
    const { client } = await setUp()
    const error = await rejection(client.request(readThing, { id: '7' }, options as never))
    expect(error).toMatchObject({ code: 'HTTP_OPTION_INVALID', message: expect.stringContaining(message) })
  })
})

describe('a 404', () => {
  test('names the other path family only if the operation has a path there', async () => {
    const { service, client } = await setUp()
    await service.reply({ status: 404 })
    const createRequest: typeof readThing.createRequest = (input, options) => {
      if (options.pathFamily === 'openapi') throw new Error('no path')
      return readThing.createRequest(input, options)
    }
    const error = await rejection(client.request({ ...readThing, createRequest }, { id: '7' }))
    expect((error as Error).message).toBe(
      'POST /things/read: status 404. The path may not exist, this host may not serve the path family "current", or the app key may belong to another environment',
    )
  })

  test('without a code of the service names the possible reasons', async () => {
    const { service, client } = await setUp()
    await service.reply({ status: 404, json: { error_msg: 'no route' } })
    const error = await rejection(client.request(readThing, { id: '7' }))
    expect(error).toMatchObject({ code: 'HTTP_CLIENT_ERROR', details: { status: 404, path: '/things/read' } })
    expect((error as Error).message).toContain(
      '(try pathFamily: "openapi"), or the app key may belong to another environment',
    )
  })

  test('with a code of the service keeps its message', async () => {
    const { service, client } = await setUp()
    await service.reply({ status: 404, json: { error_code: 'ORDER_NOT_FOUND', message: 'none' } })
    const error = await rejection(client.request(readThing, { id: '7' }))
    expect((error as Error).message).toBe('POST /things/read: status 404, ORDER_NOT_FOUND: none')
  })
})

describe('the rate limiter of operations', () => {
  test('is awaited before each attempt, and gets each 429 with the name of the operation', async () => {
    const { calls, limiter } = recordingLimiter()
    const { service, client } = await setUp({ operationRateLimiter: limiter, maxRetries: 0 })
    await service.reply({ status: 429, headers: { 'retry-after': '3' }, json: {} }, { json: {} })
    await rejection(client.request(readThing, { id: '7' }))
    await client.request(readThing, { id: '7' })
    expect(calls).toEqual([
      { acquire: 'things.read', limits: LIMITS },
      { backOff: 'things.read', delayMs: 3000 },
      { acquire: 'things.read', limits: LIMITS },
    ])
  })

  test('is not called for requests with a path', async () => {
    const { calls, limiter } = recordingLimiter()
    const { service, client } = await setUp({ operationRateLimiter: limiter })
    await service.reply({ json: {} })
    await client.request({ method: 'GET', path: '/x', authenticated: false })
    expect(calls).toEqual([])
  })

  test('runs before the beforeAttempt of the call, and its error ends the request', async () => {
    const limiter: OperationRateLimiter = {
      acquire: () => Promise.reject(new Error('too many')),
      backOff: () => {},
    }
    const { service, client } = await setUp({ operationRateLimiter: limiter })
    const attempts: string[] = []
    const beforeAttempt = async (): Promise<void> => void attempts.push('before')
    const error = await rejection(client.request(readThing, { id: '7' }, { beforeAttempt }))
    expect(error).toMatchObject({ message: 'too many' })
    expect(attempts).toEqual([])
    expect(await service.received()).toEqual([])
  })
})
