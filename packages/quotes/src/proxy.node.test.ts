/** Market data through real proxies: MQTT over TLS within a tunnel, and proxies that reject the tunnel. */
import { inspect } from 'node:util'
import { createNodeFetch, proxyFromEnvironment } from '@brokerwire/core/proxy'
import { createHttpClient } from '@brokerwire/http'
import { createSigner } from '@brokerwire/signer'
import { createSelfSignedCertificate, startSimulator } from '@brokerwire/simulator'
import { startConnectProxy } from '@brokerwire/testing/connect-proxy'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { type ProxyOptions, startSquid, startTinyproxy } from '@brokerwire/testing/proxies'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createQuotes, type QuotesItem } from './create-quotes.ts'
import type { QuotesOptions } from './quotes-options.ts'

const NO_TOKEN = { get: async () => undefined, reportRejected: async () => ({ changed: false }) }
const STOCKS = { types: ['snapshot'], category: 'US_STOCK', symbols: ['AAPL'] } as const
/** The options of tests whose proxy rejects the connection, so that no service is needed. */
const NOBODY = { request: () => Promise.reject(new Error('not called')) }

async function startService(isSecure: boolean) {
  const tls = isSecure ? createSelfSignedCertificate() : undefined
  const simulator = await startSimulator({
    environment: 'sandbox',
    tokenCheckEnabled: false,
    quotes: true,
    ...(tls && { tls }),
  })
  onTestFinished(() => simulator.close())
  if (simulator.quotes === undefined) throw new Error('no market data')
  return { simulator, ca: tls?.cert, mqttUrl: simulator.quotes.mqttUrl }
}

async function firstItem(options: QuotesOptions): Promise<QuotesItem> {
  const quotes = createQuotes(options)
  onTestFinished(() => quotes.close())
  quotes.set(STOCKS)
  for await (const item of quotes) {
    expect(inspect(item, { depth: 9 })).not.toContain('opensesame')
    return item
  }
  throw new Error('it ended')
}

const failing = (options: Partial<QuotesOptions>): QuotesOptions => ({
  http: NOBODY as never,
  mqttUrl: 'mqtts://data.example:1883',
  product: { kind: 'server', appKey: 'key' },
  ...options,
})

/** Subscribes through the proxy. Returns the target of the tunnel. */
async function subscribe(proxy: string, isSecure: boolean): Promise<string> {
  const { simulator, ca, mqttUrl } = await startService(isSecure)
  const { appKey, appSecret } = simulator.credentials
  const item = await firstItem({
    http: createHttpClient({
      baseUrl: simulator.baseUrl,
      signer: createSigner({ appKey, appSecret }),
      accessTokens: NO_TOKEN,
      fetch: createNodeFetch({ ca, proxy }),
    }),
    mqttUrl,
    product: { kind: 'server', appKey },
    tls: { ca },
    proxy,
  })
  expect(item).toMatchObject({ kind: 'subscribed' })
  return mqttUrl.replace(/^mqtts?:\/\//, '')
}

test.each([true, false])(
  'through a tunnel (TLS: %s) the proxy sees the target and the bytes',
  async (isSecure) => {
    const proxy = await startConnectProxy('me:p@ss')
    const target = await subscribe(`http://me:p%40ss@127.0.0.1:${proxy.port}`, isSecure)
    const index = proxy.targets.indexOf(target)
    // The first byte: of a TLS handshake, or of CONNECT.
    expect(proxy.beginnings[index]?.[0]).toBe(isSecure ? 0x16 : 0x10)
  },
)

const { skip, note } = needs('squid', 'tinyproxy')
describe.skipIf(skip)(`squid and tinyproxy${note}`, REAL_SERVERS, () => {
  const credentials = { user: 'ali', password: 'opensesame' }

  test.each([startSquid, startTinyproxy])('%o: with a user and a password', async (start) => {
    const { url } = await start({ credentials })
    await subscribe(url.replace('://', `://${credentials.user}:${credentials.password}@`), true)
  })

  test.each<[string, ProxyOptions, number]>([
    ['rejects every tunnel', { refuses: true }, 403],
    ['asks for a password', { credentials }, 407],
  ])('a proxy that %s: the notice names proxy, variable and status', async (_, options, status) => {
    const { url } = await startTinyproxy(options)
    const proxy = proxyFromEnvironment({ HTTPS_PROXY: url })
    expect(await firstItem(failing({ proxy }))).toMatchObject({
      kind: 'reconnecting',
      reason: 'disconnected',
      systemCode: 'PROXY_REFUSED',
      message: expect.stringContaining(
        `the proxy ${url} (HTTPS_PROXY) refused the connection to data.example:1883 with status ${status}. `,
      ),
    })
    const once = failing({ proxy, supervision: { maxAttempts: 1 } })
    await expect(firstItem(once)).rejects.toMatchObject({
      code: 'QUOTES_GAVE_UP',
      message: expect.stringContaining(`with status ${status}`),
    })
  })
})

test('reports an address at which no proxy listens', async () => {
  const proxy = `http://${['ali', 'opensesame'].join(':')}@127.0.0.1:1`
  expect(await firstItem(failing({ proxy }))).toMatchObject({
    systemCode: 'PROXY_UNREACHABLE',
    message: expect.stringContaining(
      'through the proxy http://127.0.0.1:1 (the option "proxy"): ECONNREFUSED',
    ),
  })
})

test.each<[string, Partial<QuotesOptions>, RegExp]>([
  ['SOCKS', { proxy: 'socks5://host:1' }, /^proxy must be .*; received an address with the scheme socks5:$/],
  [
    'WebSocket',
    { proxy: 'http://host:1', mqttUrl: 'wss://data.example/mqtt' },
    /^proxy must not be set here/,
  ],
])('wrong options: %s', (_, options, message) => {
  expect(() => createQuotes(failing(options))).toThrow(
    expect.objectContaining({ code: 'QUOTES_OPTION_INVALID', message: expect.stringMatching(message) }),
  )
})
