/** HTTP clients of other teams with signed requests, against the local service. */
import { Readable } from 'node:stream'
import { createSigner, createVerifier, type Signer } from '@brokerwire/signer'
import { createSignedFetch } from '@brokerwire/signer/fetch'
import { createSyncSigner } from '@brokerwire/signer/sync'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import { startHttpServer } from '@brokerwire/testing/http-server'
import * as undici from 'undici'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import * as axiosExample from './axios.ts'
import * as kyExample from './ky.ts'
import * as kyHookExample from './ky-hook.ts'
import { createDispatcher } from './undici.ts'

/** Sends one request with the method, and returns the status and the JSON of the response. */
interface Client {
  get(origin: string, path: string): Promise<{ readonly status: number; readonly json: unknown }>
  post(
    origin: string,
    path: string,
    json: object,
  ): Promise<{ readonly status: number; readonly json: unknown }>
}

let simulator: Simulator
let signer: Signer
let token: string
beforeAll(async () => {
  simulator = await startSimulator({ environment: 'sandbox' })
  signer = createSigner(simulator.credentials)
  const response = await kyHookExample
    .createClient(signer, simulator.baseUrl)
    .post('auth/tokens/create', { json: {} })
    .json<{ token: string }>()
  token = response.token
})
afterAll(() => simulator.close())

const getToken = async (): Promise<string> => token

function withUndici(): Client {
  const send = async (method: 'GET' | 'POST', origin: string, path: string, body?: string) => {
    const syncSigner = createSyncSigner(simulator.credentials)
    const dispatcher = createDispatcher(syncSigner, origin)
    const headers = { 'x-access-token': token, 'content-type': 'application/json' }
    const { statusCode, body: response } = await undici.request(`${origin}${path}`, {
      method,
      headers,
      dispatcher,
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    await dispatcher.close()
    return { status: statusCode, json: text === '' ? undefined : JSON.parse(text) }
  }
  return {
    get: (origin, path) => send('GET', origin, path),
    post: (origin, path, json) => send('POST', origin, path, JSON.stringify(json)),
  }
}

function withAxios(): Client {
  const clientFor = (origin: string) => axiosExample.createClient(signer, origin, getToken)
  return {
    async get(origin, path) {
      const { status, data } = await clientFor(origin).get<unknown>(path)
      return { status, json: data }
    },
    async post(origin, path, json) {
      const { status, data } = await clientFor(origin).post<unknown>(path, json)
      return { status, json: data }
    },
  }
}

function withKy(create: typeof kyExample.createClient): Client {
  const clientFor = (origin: string) =>
    create(signer, origin, getToken).extend({ headers: { 'x-access-token': token } })
  return {
    async get(origin, path) {
      const response = await clientFor(origin).get(path.slice(1))
      return { status: response.status, json: await response.json() }
    },
    async post(origin, path, json) {
      const response = await clientFor(origin).post(path.slice(1), { json })
      return { status: response.status, json: await response.json() }
    },
  }
}

describe.each<[name: string, client: () => Client]>([
  ['undici', withUndici],
  ['axios', withAxios],
  ['ky', () => withKy(kyExample.createClient)],
  ['ky with a hook', () => withKy(kyHookExample.createClient)],
])('%s', (_name, create) => {
  test('sends requests that the service accepts', async () => {
    const client = create()
    const path = '/openapi/simulator/echo?b=2&a=1%20%26'
    const got = await client.get(simulator.baseUrl, path)
    expect(got).toMatchObject({ status: 200, json: { method: 'GET', body: '' } })
    const posted = await client.post(simulator.baseUrl, path, { note: '<é> & "1"' })
    expect(posted).toMatchObject({ status: 200, json: { body: '{"note":"<é> & \\"1\\""}' } })
  })

  test('follows no redirect', async () => {
    let arrived = 0
    const elsewhere = await startHttpServer((_request, response) => {
      arrived += 1
      response.end('{}')
    })
    const service = await startHttpServer((_request, response) => {
      response.writeHead(307, { location: `${elsewhere.url}/elsewhere` }).end()
    })
    onTestFinished(elsewhere.close)
    onTestFinished(service.close)
    const outcome = await create()
      .get(service.url, '/orders')
      .catch(() => ({ status: 307 }))
    expect(outcome.status).toBe(307)
    expect(arrived).toBe(0)
  })
})

test.each<[name: string, client: () => Client]>([
  ['undici', withUndici],
  ['ky', () => withKy(kyExample.createClient)],
  ['ky with a hook', () => withKy(kyHookExample.createClient)],
])('%s signs each attempt', async (_name, create) => {
  const { appSecret } = simulator.credentials
  const verifier = createVerifier({ secretFor: () => appSecret })
  /** The first outcome of each nonce: `true`, or the rule that the request failed. A host may send a request twice by itself. */
  const outcomes = new Map<unknown, boolean | string>()
  const service = await startHttpServer(async ({ headers, url = '' }, response) => {
    const result = await verifier.verify({ host: headers.host ?? '', target: url, headers })
    const nonce = headers['x-signature-nonce']
    if (!outcomes.has(nonce)) outcomes.set(nonce, result.ok || result.rule)
    response.writeHead(outcomes.size === 1 ? 503 : 200).end('{}')
  })
  onTestFinished(service.close)
  expect((await create().get(service.url, '/orders?b=2&a=1')).status).toBe(200)
  expect([...outcomes.values()]).toEqual([true, true])
})

test('undici: a request with a stream or to another origin is not sent', async () => {
  const dispatcher = createDispatcher(createSyncSigner(simulator.credentials), simulator.baseUrl)
  const stream = { method: 'POST', body: Readable.from(['{}']), dispatcher } as const
  await expect(undici.request(simulator.baseUrl, stream)).rejects.toThrow('body must be a string or bytes')
  const elsewhere = undici.request('http://127.0.0.1:1/', { dispatcher })
  await expect(elsewhere).rejects.toThrow('requests must be sent to')
})

test('the fetch of undici is signed with its own Request', async () => {
  const { fetch, Request } = undici
  const signedFetch = createSignedFetch({ signer, fetch, Request })
  const init = { method: 'POST', body: 'é', headers: { 'x-access-token': token } }
  const response = await signedFetch(`${simulator.baseUrl}/openapi/simulator/echo`, init)
  expect(await response.json()).toMatchObject({ body: 'é' })
})
