/** Requests through proxies that reject the connection: the error names the proxy instead of the service. */
import { inspect } from 'node:util'
import { createNodeFetch, proxyFromEnvironment } from '@brokerwire/core/proxy'
import { startConnectProxy } from '@brokerwire/testing/connect-proxy'
import { startHttpServer } from '@brokerwire/testing/http-server'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { type ProxyOptions, startTinyproxy } from '@brokerwire/testing/proxies'
import { Agent, getGlobalDispatcher, ProxyAgent, setGlobalDispatcher } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createHttpClient, type HttpClientOptions, isHttpError } from './index.ts'
import { rejection, testOptions } from './test/fixtures.ts'

const SERVICE = 'https://service.example'
const GET = { method: 'GET', path: '/x' } as const

async function failAt(url: string, options: Partial<HttpClientOptions>) {
  const client = createHttpClient(testOptions(url, { maxRetries: 0, ...options }))
  const error = await rejection(client.request(GET))
  if (!isHttpError(error, 'HTTP_NOT_SENT')) throw error
  expect(inspect(error, { depth: 9 })).not.toContain('opensesame')
  return error
}

const fetchThrough = (proxy: string) =>
  createNodeFetch({ proxy: proxyFromEnvironment({ HTTPS_PROXY: proxy }) })

const { skip, note } = needs('tinyproxy')
describe.skipIf(skip)(`tinyproxy${note}`, REAL_SERVERS, () => {
  const credentials = { user: 'ali', password: 'opensesame' }

  test.each<[string, ProxyOptions, number]>([
    ['refuses', { refuses: true }, 403],
    ['asks for a password', { credentials }, 407],
  ])('that %s', async (_, options, status) => {
    const proxy = await startTinyproxy(options)
    const error = await failAt(SERVICE, { fetch: fetchThrough(proxy.url) })
    expect(error).toMatchObject({
      retryable: false,
      details: {
        origin: SERVICE,
        reason: 'PROXY_REFUSED',
        proxy: { address: proxy.url, source: 'HTTPS_PROXY', status },
      },
    })
    expect(error.message).toContain(
      `GET /x: no connection to ${SERVICE}: the proxy ${proxy.url} (HTTPS_PROXY) refused the connection to service.example:443 with status ${status}. `,
    )
    // The proxy would respond in the same way again, so there is no other attempt.
    const attempts: number[] = []
    const observer = { onHttpAttempt: ({ attempt }: { attempt: number }) => attempts.push(attempt) }
    await failAt(SERVICE, { fetch: fetchThrough(proxy.url), maxRetries: 2, observer })
    expect(attempts).toEqual([1])
  })

  test('a proxy that cannot reach the service is retryable', async () => {
    const proxy = await startTinyproxy()
    const error = await failAt('https://127.0.0.1:1', { fetch: createNodeFetch({ proxy: proxy.url }) })
    expect(error).toMatchObject({
      retryable: true,
      details: { reason: 'PROXY_REFUSED', proxy: { source: 'the option "proxy"' } },
    })
  })

  test('the status of a proxy that rejects undici\u2019s ProxyAgent is known', async () => {
    const proxy = await startTinyproxy({ refuses: true })
    const before = getGlobalDispatcher()
    setGlobalDispatcher(new ProxyAgent(proxy.url))
    onTestFinished(() => setGlobalDispatcher(before))
    expect(await failAt(SERVICE, {})).toMatchObject({
      message: `GET /x: no connection to ${SERVICE}: the proxy rejected the connection with status 403`,
      retryable: false,
      details: { reason: 'PROXY_REFUSED', proxy: { address: undefined, source: undefined, status: 403 } },
    })
  })
})

test('without a proxy at that address the request was not sent and may be retried', async () => {
  const error = await failAt(SERVICE, {
    fetch: fetchThrough(`http://${['ali', 'opensesame'].join(':')}@127.0.0.1:1`),
  })
  expect(error).toMatchObject({
    retryable: true,
    details: {
      reason: 'PROXY_UNREACHABLE',
      proxy: { address: 'http://127.0.0.1:1', source: 'HTTPS_PROXY', status: undefined },
    },
  })
})

test('an error that only looks like undici\u2019s is not a proxy failure', async () => {
  const message = 'Proxy response (403) !== 200 when HTTP Tunneling, or not'
  const fetch = async () => {
    throw Object.assign(new Error(message), { code: 'UND_ERR_ABORTED' })
  }
  const client = createHttpClient(testOptions(SERVICE, { maxRetries: 0, fetch }))
  expect(await rejection(client.request(GET))).toMatchObject({ code: 'HTTP_NO_RESPONSE' })
})

test.each([200, 407, 421])(
  'a request that gets status %i through the proxy is sent once, and the error states it',
  async (status) => {
    let requests = 0
    const service = await startHttpServer((_, response) => {
      requests += 1
      response.writeHead(status).end('{}')
    })
    onTestFinished(service.close)
    const proxy = await startConnectProxy('me:p@ss')
    const fetch = createNodeFetch({ proxy: `http://me:p%40ss@127.0.0.1:${proxy.port}` })
    const client = createHttpClient(testOptions(service.url, { fetch }))
    const result = await client
      .request({ method: 'POST', path: '/x', json: {} })
      .catch((error: unknown) => error)
    if (status === 200) expect(result).toMatchObject({ status })
    else expect(result).toMatchObject({ code: 'HTTP_CLIENT_ERROR', details: { status, sentOnce: true } })
    expect(requests).toBe(1)
    expect(proxy.targets).toHaveLength(1)
  },
)

test("undici's dispatcher is the one that Node's fetch uses", async () => {
  const before = getGlobalDispatcher()
  let dispatched = 0
  const agent = new Agent()
  const counting = Object.assign(Object.create(agent) as Agent, {
    dispatch: (...args: Parameters<Agent['dispatch']>) => {
      dispatched += 1
      return agent.dispatch(...args)
    },
  })
  setGlobalDispatcher(counting)
  onTestFinished(() => setGlobalDispatcher(before))
  const service = await startHttpServer((_, response) => void response.end('{}'))
  onTestFinished(service.close)
  await createHttpClient(testOptions(service.url)).request(GET)
  expect(dispatched).toBe(1)
})
