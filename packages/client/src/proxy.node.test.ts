/** The options `proxy` and `ca`: all connections of a brokerage, through one proxy and with one private authority. */
import { createSelfSignedCertificate } from '@brokerwire/simulator'
import { startConnectProxy } from '@brokerwire/testing/connect-proxy'
import { expect, test } from 'vitest'
import { rejection, startSetUp } from './test/set-up.ts'

const ECHO = '/openapi/simulator/echo'

test('requests, streams and market data go through the proxy, over TLS of a private authority', async () => {
  const tls = createSelfSignedCertificate()
  const setUp = await startSetUp({ environment: 'sandbox', quotes: true, tls })
  const proxy = await startConnectProxy('me:p@ss')
  const { simulator } = setUp
  const url = `http://me:p%40ss@127.0.0.1:${proxy.port}`
  const targets = new Set<string>()
  const brokerage = setUp.open({
    overrides: simulator.brokerageOptions().overrides,
    ca: tls.cert,
    proxy: (target) => {
      targets.add(target)
      return { url, source: 'HTTPS_PROXY' }
    },
  })
  expect((await brokerage.http.request({ method: 'POST', path: ECHO, json: {} })).status).toBe(200)
  for await (const item of brokerage.tradeEvents({ accounts: simulator.accounts })) {
    expect(item.kind).toBe('subscribed')
    break
  }
  const quotes = brokerage.quotes()
  quotes.set({ types: ['snapshot'], category: 'US_STOCK', symbols: ['AAPL'] })
  for await (const item of quotes) {
    expect(item).toMatchObject({ kind: 'subscribed' })
    break
  }
  const urls = [simulator.baseUrl, simulator.eventsUrl, String(simulator.quotes?.mqttUrl)]
  expect([...targets].sort()).toEqual([...urls].sort())
  expect(new Set(proxy.targets)).toEqual(new Set(urls.map((one) => one.split('//')[1])))
  expect(proxy.beginnings.every((first) => first[0] === 0x16)).toBe(true)
})

test('a WebSocket without a class of the caller is an error, because it would ignore the proxy', async () => {
  const setUp = await startSetUp({ environment: 'sandbox', quotes: true })
  const { overrides } = setUp.simulator.brokerageOptions()
  const brokerage = setUp.open({ overrides, proxy: 'http://127.0.0.1:1' })
  expect(() => brokerage.quotes({ transport: 'websocket' })).toThrow(
    expect.objectContaining({
      code: 'QUOTES_OPTION_INVALID',
      details: expect.objectContaining({ option: 'proxy' }),
    }),
  )
  expect(
    await rejection(brokerage.http.request({ method: 'GET', path: ECHO, authenticated: false })),
  ).toMatchObject({
    code: 'HTTP_NOT_SENT',
    details: { reason: 'PROXY_UNREACHABLE' },
  })
})

test('more specific options override the proxy', async () => {
  const setUp = await startSetUp({ environment: 'sandbox', quotes: true })
  const { http, tradeEvents } = setUp.open({
    proxy: 'http://127.0.0.1:1',
    http: { fetch: (url, init) => fetch(url, init as RequestInit) },
    streams: { connection: { proxy: () => undefined } },
  })
  expect((await http.request({ method: 'GET', path: ECHO })).status).toBe(200)
  for await (const item of tradeEvents({ accounts: setUp.simulator.accounts })) {
    expect(item.kind).toBe('subscribed')
    break
  }
})
