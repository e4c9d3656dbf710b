import { sendSigned, usableToken } from '@brokerwire/testing/signed-client'
import { describe, expect, it } from 'vitest'
import {
  errorResponse,
  jsonResponse,
  type Simulator,
  startSimulator,
  stringField,
  textResponse,
} from './index.ts'

const PATH = '/openapi/orders'

async function started(): Promise<{ readonly sim: Simulator; readonly token: string }> {
  const sim = await startSimulator({ environment: 'sandbox' })
  return { sim, token: await usableToken(sim) }
}

describe('a route', () => {
  it('receives the request and sends a response', async () => {
    const { sim, token } = await started()
    await using _ = sim
    sim.route('POST', `${PATH}/:id/:side`, ({ method, path, params, query, body, bytes, ...request }) =>
      jsonResponse(
        { method, path, params, query, body, size: bytes.length, version: request.apiVersion },
        { status: 201, headers: { 'x-made': 'here' } },
      ),
    )
    const answer = await sendSigned(sim, {
      path: `${PATH}/a%20b/BUY`,
      query: [
        ['q', '1'],
        ['q', 'ü'],
      ],
      json: { client_order_id: 'c1' },
      headers: { 'x-access-token': token, 'x-version': 'v3' },
    })
    expect(answer.status).toBe(201)
    expect(answer.headers['x-made']).toBe('here')
    expect(answer.headers['x-request-id']).toMatch(/-/)
    expect(answer.json).toEqual({
      method: 'POST',
      path: `${PATH}/a%20b/BUY`,
      params: { id: 'a b', side: 'BUY' },
      query: [
        ['q', '1'],
        ['q', 'ü'],
      ],
      body: { client_order_id: 'c1' },
      size: 24,
      version: 'v3',
    })
  })

  it('is called after the checks of signature, version and token', async () => {
    const { sim, token } = await started()
    await using _ = sim
    let calls = 0
    const count = () => {
      calls += 1
      return textResponse('in')
    }
    sim.route('GET', PATH, count, { versions: ['v3'] })
    sim.route('GET', '/openapi/open', count, { token: 'none' })
    const ask = async (path: string, headers: Record<string, string>) => {
      const { status, json } = await sendSigned(sim, { method: 'GET', path, headers })
      return [status, json.error_code]
    }
    expect(await ask(PATH, { 'x-version': 'v3' })).toEqual([401, 'UNAUTHORIZED'])
    expect(await ask(PATH, { 'x-version': 'v3', 'x-access-token': 'no' })).toEqual([401, 'INVALID_TOKEN'])
    expect(await ask(PATH, { 'x-access-token': token })).toEqual([401, 'VERSION_NOT_SUPPORTED'])
    expect(await ask(PATH, { 'x-version': 'v3', 'x-signature': 'AAAA' })).toEqual([401, 'UNAUTHORIZED'])
    expect((await fetch(`${sim.baseUrl}${PATH}`)).status).toBe(401)
    expect(calls).toBe(0)
    expect(await ask(PATH, { 'x-version': 'v3', 'x-access-token': token })).toEqual([200, undefined])
    expect(await ask('/openapi/open', {})).toEqual([200, undefined])
    expect(await ask('/openapi/elsewhere', { 'x-access-token': token })).toEqual([404, 'NOT_FOUND'])
    expect(calls).toBe(2)
  })

  it('rejects an invalid body or a missing field, and reports an error of its handler', async () => {
    const { sim, token } = await started()
    await using _ = sim
    sim.route('POST', PATH, ({ body }) => jsonResponse(body), {
      body: (json) => ({ id: stringField(json, 'client_order_id') }),
    })
    sim.route('PUT', PATH, ({ body }) => jsonResponse({ id: stringField(body, 'client_order_id') }))
    sim.route('POST', '/thrown', () => {
      throw new Error('out of stock')
    })
    sim.route('POST', '/nothing', () => undefined as never)
    sim.route('POST', '/status', () => jsonResponse({}, { status: 99 }))
    sim.route('POST', '/refused', () => errorResponse(403, 'NO_PERMISSION', 'not yours'))
    const ask = async (path: string, json: unknown, method = 'POST') => {
      const answer = await sendSigned(sim, { method, path, json, headers: { 'x-access-token': token } })
      return [answer.status, answer.json.error_code ?? answer.json, answer.json.message]
    }
    const missing = 'client_order_id must be a non-empty string; received 7'
    expect(await ask(PATH, { client_order_id: 7 })).toEqual([417, 'INVALID_PARAMETER', missing])
    expect(await ask(PATH, { client_order_id: 7 }, 'PUT')).toEqual([417, 'INVALID_PARAMETER', missing])
    expect(await ask(PATH, { client_order_id: 'c1' })).toEqual([200, { id: 'c1' }, undefined])
    const failed = 'the handler of POST'
    expect(await ask('/thrown', {})).toEqual([500, 'SYSTEM_ERROR', `${failed} /thrown failed: out of stock`])
    expect(await ask('/nothing', {})).toEqual([
      500,
      'SYSTEM_ERROR',
      `${failed} /nothing failed: the response must be an object with a status; received undefined`,
    ])
    expect((await ask('/status', {}))[2]).toContain(
      'status must be a whole number from 200 to 599; received 99',
    )
    expect(await ask('/refused', {})).toEqual([403, 'NO_PERMISSION', 'not yours'])
    expect(sim.requests().at(-1)).toMatchObject({ status: 403, errorCode: 'NO_PERMISSION' })
  })

  it('can be replaced and removed', async () => {
    const { sim, token } = await started()
    await using _ = sim
    sim.route('GET', PATH, () => textResponse('first'))
    const second = sim.route('GET', PATH, () => textResponse('second'))
    const ask = async () =>
      (await sendSigned(sim, { method: 'GET', path: PATH, headers: { 'x-access-token': token } })).text
    expect(await ask()).toBe('second')
    second.remove()
    expect(await ask()).toBe('first')
  })

  it.each([
    ['method', ['get', PATH], '"get"'],
    ['path', ['GET', 'openapi/:id'], 'received "openapi/:id"'],
    ['path', ['GET', ''], 'received an empty string'],
    ['path', ['GET', '/a?b'], 'received a string'],
    ['path', ['GET', 'a-secret-that-was-given-in-the-place-of-a-path'], 'received a string'],
    ['path', ['GET', '/x/:a/:a'], 'a duplicate name'],
    ['path', ['GET', '//evil'], 'clients do not normalize'],
    ['path', ['GET', '/../x'], 'clients do not normalize'],
    ['path', ['GET', '/a/./x'], 'clients do not normalize'],
    ['path', ['GET', '/auth/tokens/create'], 'does not serve itself; received "/auth/tokens/create"'],
    ['path', ['GET', '/healthz'], 'does not serve itself'],
    ['handler', ['GET', PATH, undefined], 'a function'],
    ['tokens', ['GET', PATH, () => textResponse(''), { tokens: 'none' }], 'Did you mean "token"?'],
    ['versions', ['GET', PATH, () => textResponse(''), { versions: ['v4'] }], '"v4"'],
    ['token', ['GET', PATH, () => textResponse(''), { token: 'yes' }], '"yes"'],
  ])('is rejected by name: %s in %j', async (argument, given, text) => {
    await using sim = await startSimulator()
    const [method, path, handler = argument === 'handler' ? undefined : () => textResponse('')] = given
    const add = () => sim.route(method as string, path as string, handler as never, given[3] as never)
    expect(add).toThrow(expect.objectContaining({ code: 'SIMULATOR_ARGUMENT_INVALID' }))
    expect(add).toThrow(expect.objectContaining({ details: expect.objectContaining({ argument }) }))
    expect(add).toThrow(text)
  })
})

it.each([
  '/market-data/streaming/subscribe',
  '/market-data/streaming/unsubscribe',
  '/openapi/market-data/streaming/subscribe',
  '/openapi/market-data/streaming/unsubscribe',
])('a route at %s is rejected if the simulator serves market data, and served otherwise', async (path) => {
  await using withQuotes = await startSimulator({ quotes: true })
  expect(() => withQuotes.route('POST', path, () => textResponse('own'))).toThrow('does not serve itself')
  await using without = await startSimulator()
  without.route('POST', path, () => textResponse('own'), { token: 'none' })
  expect((await sendSigned(without, { path, json: {} })).text).toBe('own')
})

describe('a logged request', () => {
  it('is returned with its body only on request', async () => {
    const { sim } = await started()
    await using _ = sim
    await sendSigned(sim, { path: '/auth/tokens/check', json: { token: 'a-secret-token' } })
    const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()
    expect(JSON.stringify(sim.requests())).not.toContain('body')
    expect(text(sim.requests({ bodies: true }).at(-1)?.body)).toBe('{"token":"a-secret-token"}')
    expect(() => sim.requests({ bodies: 'yes' as never })).toThrow(
      'bodies must be true or false; received a string',
    )
  })

  it('is dropped, with its body, beyond the limit of the log', async () => {
    const { sim } = await started()
    await using _ = sim
    const json = { token: 'x'.repeat(900_000) }
    for (let count = 0; count < 20; count += 1) await sendSigned(sim, { path: '/nowhere', json })
    sim.route('POST', '/kept', () => textResponse(''), { token: 'none' })
    for (let count = 0; count < 20; count += 1) await sendSigned(sim, { path: '/kept', json })
    const bytes = sim.requests({ bodies: true }).reduce((sum, { body }) => sum + (body?.length ?? 0), 0)
    expect(bytes).toBeGreaterThan(10_000_000)
    expect(bytes).toBeLessThan(16 * 1024 * 1024)
  })
})

describe('a fault with the count always', () => {
  it('is injected until the faults are cleared, after counted ones', async () => {
    const { sim } = await started()
    await using _ = sim
    sim.faults.nextHttp({ kind: 'respond', status: 503 }, { count: 'always', path: '/openapi/config' })
    sim.faults.nextHttp({ kind: 'respond', status: 429 })
    const ask = async () => (await sendSigned(sim, { method: 'GET', path: '/openapi/config' })).status
    expect([await ask(), await ask(), await ask()]).toEqual([429, 503, 503])
    expect((await sendSigned(sim, { path: '/auth/tokens/create', json: {} })).status).toBe(200)
    sim.faults.clear()
    expect(await ask()).toBe(200)
    expect(() => sim.faults.nextHttp({ kind: 'hang' }, { count: 'ever' as never })).toThrow(
      'count must be a whole number from 1 to 1000000 or \'always\'; received "ever"',
    )
    expect(() => sim.faults.nextHttp({ kind: 'hang' }, { path: 'openapi' })).toThrow('received "openapi"')
  })
})
