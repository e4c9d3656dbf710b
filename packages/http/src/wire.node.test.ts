import { createSigner } from '@brokerwire/signer'
import { type ArrivalServer, type Arrivals, startArrivalServer } from '@brokerwire/testing/arrival-server'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createHttpClient, type HttpClientOptions, isHttpError } from './index.ts'
import { runWireCases } from './test/wire-cases.ts'

let server: ArrivalServer
const signer = createSigner({ appKey: 'key', appSecret: 'secret' })
const subject = { createHttpClient, isHttpError, signer }
const through = (fetch: HttpClientOptions['fetch']) => ({
  ...subject,
  createHttpClient: (options: HttpClientOptions) => createHttpClient({ ...options, fetch }),
})

beforeAll(async () => {
  server = await startArrivalServer()
})
afterAll(() => server.close())

describe('one request is one request on the wire', () => {
  test('a request is sent once, whatever the status and however it ends', async () => {
    const everyStatus = inject('isFullRun')
    const { once, warm, admitted, failures } = await runWireCases(subject, server.url, { everyStatus })
    expect(failures).toEqual([])
    expect(admitted).toEqual([])
    expect(once).toBeGreaterThan(everyStatus ? 3900 : 550)
    expect(warm).toBeGreaterThan(everyStatus ? 1000 : 150)
  }, 120_000)

  test.runIf(inject('isFullRun'))(
    'a request is sent once even if the client may retry it',
    async () => {
      const { admitted, failures } = await runWireCases(subject, server.url, { retry: 'always' })
      expect(failures).toEqual([])
      expect(admitted).toEqual([])
    },
    120_000,
  )

  test.runIf(inject('isFullRun'))(
    'a request is sent once through your own fetch that passes everything on',
    async () => {
      const own = through((url, init) => fetch(url, init as RequestInit))
      const { admitted, failures } = await runWireCases(own, server.url)
      expect(failures).toEqual([])
      expect(admitted).toEqual([])
    },
    120_000,
  )

  test('if your own fetch leaves the dispatcher out, the error states that the request may have been sent twice', async () => {
    const own = through((url, { dispatcher: _, ...init }) => fetch(url, init as RequestInit))
    const { admitted, failures } = await runWireCases(own, server.url)
    expect(failures).toEqual([])
    expect(admitted).toContain('POST with a body, status 421, over an open connection')
    expect(admitted.every((name) => name.includes('status 421'))).toBe(true)
  }, 120_000)
})

describe('a response with a status that the host handles itself', () => {
  const client = () => createHttpClient({ baseUrl: server.url, signer })
  test.each([421, 407, 408, 400])('%d keeps its status', async (status) => {
    const request = { method: 'POST', path: '/wire', authenticated: false } as const
    const error = await client()
      .request({ ...request, query: [['s', String(status)]], body: '{}' })
      .catch((thrown: unknown) => thrown)
    if (!isHttpError(error, 'HTTP_CLIENT_ERROR')) throw error
    expect(error.details).toMatchObject({ status, sentOnce: true })
    expect(error.message).not.toContain('more than once')
  })

  test('if the host may have retried, message and details state it', async () => {
    const own: HttpClientOptions['fetch'] = (url, { dispatcher: _, ...init }) =>
      fetch(url, init as RequestInit)
    const http = createHttpClient({ baseUrl: server.url, signer, fetch: own })
    const error = await http
      .request({ method: 'POST', path: '/wire', authenticated: false, query: [['s', '421']] })
      .catch((thrown: unknown) => thrown)
    if (!isHttpError(error, 'HTTP_CLIENT_ERROR')) throw error
    expect(error.details.sentOnce).toBe(false)
    expect(error.message).toMatch(/the host may have sent it more than once$/)
  })
})

test('a create that needs a second factor is sent once, whatever the status', async () => {
  for (const status of [421, 408, 407, 401, 503]) {
    const service = await startArrivalServer(status)
    try {
      const client = createHttpClient({ baseUrl: service.url, signer })
      for (const [index, path] of ['/auth/tokens/create', '/auth/client-tokens/create'].entries()) {
        const request = { method: 'POST', path, json: {}, retry: 'unsent', authenticated: false } as const
        const error = await client.request(request).catch((caught: unknown) => caught)
        expect(isHttpError(error) && error.details).toMatchObject({ status })
        const { '': seen } = (await (await fetch(`${service.url}/seen`)).json()) as Arrivals
        expect(seen?.times).toBe(index + 1)
      }
    } finally {
      await service.close()
    }
  }
})
