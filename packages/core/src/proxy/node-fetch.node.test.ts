/** The `fetch` for a proxy and for certificates of the caller, with real servers. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { startConnectProxy } from '@brokerwire/testing/connect-proxy'
import { readBody, startHttpServer } from '@brokerwire/testing/http-server'
import { needs } from '@brokerwire/testing/installed'
import { listenLocally } from '@brokerwire/testing/listen'
import { createPrivateAuthority } from '@brokerwire/testing/private-authority'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isCoreError } from '../core-error.ts'
import type { FetchInit, ResponseLike } from '../structural.ts'
import { createNodeFetch } from './node-fetch.ts'

const GET = { method: 'GET', headers: {}, redirect: 'manual' } as unknown as FetchInit

async function textOf({ body }: ResponseLike): Promise<string> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []
  for (;;) {
    const chunk = await reader?.read()
    if (chunk?.value === undefined) return Buffer.concat(chunks).toString()
    chunks.push(chunk.value)
  }
}

/** Responds with the request as it arrived. */
async function show(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url, rawHeaders } = request
  const body = await readBody(request)
  response.setHeader('set-cookie', ['a=1', 'b=2'])
  response.end(JSON.stringify({ method, url, rawHeaders, body: body.toString('hex') }))
}

test('through the proxy, one tunnel for several requests: the bytes that were given, and nothing of the proxy', async () => {
  const [service, proxy] = [await startHttpServer(show), await startConnectProxy('me:p@ss')]
  onTestFinished(service.close)
  const fetch = createNodeFetch({ proxy: `http://me:p%40ss@127.0.0.1:${proxy.port}` })
  expect(fetch.sendsOnce).toBe(true)
  const body = new Uint8Array([0, 255, 10])
  for (const path of ['/one?a=%2F&b', '/two']) {
    const init = { ...GET, method: 'POST', headers: { 'X-Signature': 'abc' }, body } as FetchInit
    const response = await fetch(service.url + path, init)
    expect(response.status).toBe(200)
    expect(response.headers.get('Set-Cookie')).toBe('a=1, b=2')
    expect(JSON.parse(await textOf(response))).toEqual({
      method: 'POST',
      url: path,
      rawHeaders: [
        ...['X-Signature', 'abc', 'Host', `127.0.0.1:${service.port}`],
        ...['Connection', 'keep-alive', 'Content-Length', '3'],
      ],
      body: '00ff0a',
    })
  }
  expect(proxy.targets).toEqual([`127.0.0.1:${service.port}`])
})

test('the function chooses for each origin; without a proxy it connects directly', async () => {
  const [service, proxy] = [await startHttpServer(show), await startConnectProxy()]
  onTestFinished(service.close)
  const asked: string[] = []
  let url: string | undefined
  const fetch = createNodeFetch({
    proxy: (target) => {
      asked.push(target)
      return url
    },
  })
  await textOf(await fetch(`${service.url}/direct`, GET))
  expect(proxy.targets).toEqual([])
  url = `http://127.0.0.1:${proxy.port}`
  await textOf(await fetch(`${service.url}/through`, GET))
  expect(proxy.targets).toEqual([`127.0.0.1:${service.port}`])
  expect(asked).toEqual([service.url, service.url])
  url = 'socks5://me:opensesame@proxy.example'
  const error = await fetch(service.url, GET).catch((reason: unknown) => reason)
  expect(isCoreError(error, 'OPTION_INVALID') && error.message).toMatch(
    /^the option "proxy" must be the address/,
  )
  expect(JSON.stringify(error)).not.toContain('opensesame')
})

test('statuses are passed on, and nothing is followed or repeated', async () => {
  let requests = 0
  const service = await startHttpServer((request, response) => {
    requests += 1
    response.writeHead(Number(request.url?.slice(1)), { location: '/200' }).end()
  })
  onTestFinished(service.close)
  const fetch = createNodeFetch()
  const statuses = [204, 302, 401, 407, 421, 503, 999]
  for (const status of statuses) {
    const response = await fetch(`${service.url}/${status}`, GET)
    expect([response.status, await textOf(response)]).toEqual([status, ''])
  }
  expect(requests).toBe(statuses.length)
})

test('an abort ends the request, before the headers and within the body', async () => {
  const service = await startHttpServer((request, response) => {
    if (request.url === '/body') response.write('begun')
  })
  onTestFinished(service.close)
  const fetch = createNodeFetch()
  for (const path of ['/headers', '/body']) {
    const stop = new AbortController()
    const arrived = once(service.server, 'request')
    const sent = fetch(service.url + path, { ...GET, signal: stop.signal as never })
    const read = path === '/body' ? textOf(await sent) : sent
    const [, response] = (await arrived) as [unknown, ServerResponse]
    const closed = once(response, 'close')
    stop.abort(new Error('enough'))
    await expect(read).rejects.toThrow()
    await closed
  }
  await expect(fetch(service.url, { ...GET, signal: AbortSignal.abort('before') as never })).rejects.toBe(
    'before',
  )
})

const { skip, note } = needs('openssl')
describe.skipIf(skip)(`certificates of a private authority${note}`, () => {
  const authority = createPrivateAuthority('service.example')
  async function startService(): Promise<string> {
    const { port, close } = await listenLocally(createHttpsServer(authority, show))
    onTestFinished(close)
    return `https://127.0.0.1:${port}`
  }

  test('are trusted with ca, with and without a proxy', async () => {
    const [url, proxy] = [await startService(), await startConnectProxy()]
    const through = `http://127.0.0.1:${proxy.port}`
    for (const options of [{ ca: authority.ca }, { ca: [authority.ca], proxy: through }]) {
      const response = await createNodeFetch(options)(`${url}/x`, GET)
      expect(JSON.parse(await textOf(response))).toMatchObject({ url: '/x' })
    }
    expect(proxy.targets).toEqual([new URL(url).host])
    // A TLS handshake: the proxy cannot read the request.
    expect(proxy.beginnings[0]?.[0]).toBe(0x16)
  })

  test('are refused otherwise, and for another name', async () => {
    const [url, proxy] = [await startService(), await startConnectProxy()]
    const through = `http://127.0.0.1:${proxy.port}`
    const other = createPrivateAuthority()
    for (const options of [{}, { proxy: through }, { ca: other.ca, proxy: through }]) {
      await expect(createNodeFetch(options)(url, GET)).rejects.toMatchObject({
        code: expect.stringMatching(/^UNABLE_TO_|SELF_SIGNED|SIGNATURE/),
      })
    }
    const trusting = createNodeFetch({ ca: authority.ca, proxy: through })
    await expect(trusting(url.replace('127.0.0.1', 'localhost'), GET)).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
  })
})

test.each([
  [{ ca: 7 }, 'ca must be certificates in PEM, a string or an array of strings; received 7'],
  [{ proxy: '' }, /^proxy must be the address of an HTTP proxy/],
  [{ prxy: 'http://proxy.example' }, 'unknown option "prxy". Did you mean "proxy"?'],
])('wrong options: %j', (options, message) => {
  expect(() => createNodeFetch(options as object)).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    }),
  )
})
