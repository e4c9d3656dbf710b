/**
 * The client with the simulator over real sockets: signed calls, an MQTT broker with another codec, and all failures of the service
 * and the network.
 */
import { createHttpClient } from '@brokerwire/http'
import { createSigner } from '@brokerwire/signer'
import {
  createSelfSignedCertificate,
  type QuotesControls,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '@brokerwire/simulator'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createQuotes, type Quotes, type QuotesItem } from './create-quotes.ts'
import type { QuotesOptions } from './quotes-options.ts'

/** Short delays, so that the tests wait for events and not for timers. */
const SUPERVISION = { backoffBaseMs: 20, backoffMaxMs: 50, connectionLimitWaitMs: 100 } as const
const STOCKS = { types: ['snapshot'], category: 'US_STOCK' } as const

/** Provides no token, as for a service that requires none. */
const NO_TOKEN = { get: async () => undefined, reportRejected: async () => ({ changed: false }) }

let simulator: Simulator
let market: QuotesControls
let quotes: Quotes | undefined
const seen: QuotesItem[] = []
let wake = (): void => {}
let ended: Promise<unknown>

async function start(more: SimulatorOptions = {}): Promise<void> {
  simulator = await startSimulator({
    environment: 'sandbox',
    tokenCheckEnabled: false,
    quotes: true,
    ...more,
  })
  if (simulator.quotes === undefined) throw new Error('no market data')
  market = simulator.quotes
}

function open(
  more: Partial<QuotesOptions> = {},
  http: Partial<Parameters<typeof createHttpClient>[0]> = {},
): Quotes {
  const { appKey, appSecret } = simulator.credentials
  const signer = createSigner({ appKey, appSecret })
  quotes = createQuotes({
    http: createHttpClient({ baseUrl: simulator.baseUrl, signer, accessTokens: NO_TOKEN, ...http }),
    mqttUrl: market.mqttUrl,
    product: { kind: 'server', appKey },
    supervision: SUPERVISION,
    webSocket: WebSocket,
    ...more,
  })
  const opened = quotes
  ended = (async () => {
    try {
      for await (const item of opened) {
        seen.push(item)
        wake()
      }
      return 'left'
    } catch (error) {
      return error
    }
  })()
  return opened
}

/** Waits for an item. @throws The error that ended the loop before. */
async function until(matches: (item: QuotesItem) => boolean): Promise<QuotesItem> {
  for (let from = 0; ; ) {
    const found = seen.slice(from).find(matches)
    if (found !== undefined) return found
    from = seen.length
    const woken = new Promise<'woken'>((resolve) => (wake = () => resolve('woken')))
    const over = await Promise.race([woken, ended])
    if (over !== 'woken') throw over
  }
}
const isNotice =
  (kind: string, times = 1) =>
  (item: QuotesItem) =>
    item.type === 'notice' &&
    item.kind === kind &&
    seen.filter((one) => one.type === 'notice' && one.kind === kind).length >= times
const isMessage = (kind: string, symbol?: string) => (item: QuotesItem) =>
  item.type === 'message' && item.kind === kind && (symbol === undefined || item.symbol === symbol)

beforeEach(() => {
  seen.length = 0
})
afterEach(async () => {
  await quotes?.close()
  quotes = undefined
  await simulator.close()
})

describe.each(['mqttUrl', 'mqttWebSocketUrl'] as const)('over %s', (url) => {
  test('subscribes, receives prices, changes its subscriptions, and frees its slot', async () => {
    await start()
    const opened = open({ mqttUrl: market[url] })
    opened.set({ symbols: ['AAPL', 'TSLA'], types: ['snapshot', 'quote', 'tick'], category: 'US_STOCK' })
    await until(isNotice('subscribed'))
    expect(market.sessions()).toMatchObject([
      {
        transport: url === 'mqttUrl' ? 'tcp' : 'websocket',
        symbols: [{ symbol: 'AAPL' }, { symbol: 'TSLA' }],
      },
    ])
    market.step(20)
    const item = await until(isMessage('snapshot', 'AAPL'))
    const decoded = item.type === 'message' ? item.decode() : undefined
    expect(decoded).toMatchObject({
      ok: true,
      value: { symbol: 'AAPL', price: expect.stringMatching(/^\d+\.\d\d$/) },
    })
    await until(isMessage('tick'))
    await until(isMessage('quote'))
    opened.remove({ symbols: ['TSLA'], category: 'US_STOCK' })
    await until(isNotice('subscribed', 2))
    expect(market.sessions()[0]?.symbols.map(({ symbol }) => symbol)).toEqual(['AAPL'])
    await opened.close()
    expect(await ended).toBe('left')
    await expect.poll(() => market.sessions().length).toBe(0)
    expect(market.usedConnections()).toBe(0)
  })

  test('reconnects after a drop with a new session id, reports the gap, and receives data again', async () => {
    await start()
    const opened = open({ mqttUrl: market[url] })
    opened.set({ ...STOCKS, symbols: ['AAPL'] })
    await until(isNotice('subscribed'))
    const [first] = market.sessions()
    market.drop()
    const gap = await until(isNotice('gap'))
    expect(gap).toMatchObject({ symbols: [{ category: 'US_STOCK', symbol: 'AAPL' }] })
    expect(market.sessions()[0]?.id).not.toBe(first?.id)
    market.step()
    await until(isMessage('snapshot', 'AAPL'))
  })
})

test('connects over TLS with a custom certificate authority', async () => {
  const tls = createSelfSignedCertificate()
  await start({ tls })
  // Node's `fetch` has no option for a certificate authority, so the calls use a `fetch` of the test.
  const { baseUrl } = simulator
  expect(market.mqttUrl).toMatch(/^mqtts:/)
  const asked: string[] = []
  const opened = open({
    tls: { ca: tls.cert },
    http: { request: async ({ path }) => Promise.reject(asked.push(path)) },
  })
  opened.set({ ...STOCKS, symbols: ['AAPL'] })
  await expect.poll(() => market.sessions().length).toBe(1)
  await until(isNotice('subscribe-failed'))
  expect(baseUrl).toMatch(/^https:/)
  expect(asked[0]).toBe('/market-data/streaming/subscribe')
})

describe('behavior of the service', () => {
  test('waits for a session that is registered late', async () => {
    // Long enough that the first call is earlier, also on a busy machine.
    await start({ quotes: { registrationMs: 1500 } })
    open({ supervision: { ...SUPERVISION, sessionGraceMs: 60_000 } }).set({ ...STOCKS, symbols: ['AAPL'] })
    await until(isNotice('subscribed'))
    expect(seen.filter(isNotice('reconnecting'))).toEqual([])
    expect(
      simulator.requests().filter(({ errorCode }) => errorCode === 'INVALID_SESSION').length,
    ).toBeGreaterThan(0)
  })

  test('removes a rejected symbol', async () => {
    await start()
    market.setUnknownSymbols(['BAD'])
    open().set({ ...STOCKS, symbols: ['AAPL', 'BAD'] })
    expect(await until(isNotice('rejected'))).toMatchObject({
      code: 'INVALID_SYMBOL',
      symbols: [{ symbol: 'BAD' }],
    })
    await until(isNotice('subscribed'))
    expect(market.sessions()[0]?.symbols).toHaveLength(1)
  })

  test.each([
    [104, 'QUOTES_AUTH_REJECTED'],
    [103, 'QUOTES_AUTH_REJECTED'],
    [3, 'QUOTES_AUTH_REJECTED'],
    [2, 'QUOTES_REFUSED'],
    [1, 'QUOTES_REFUSED'],
  ])('CONNACK %i ends it with %s', async (code, error) => {
    await start()
    market.nextConnect({ kind: 'connack', code })
    open().set({ ...STOCKS, symbols: ['AAPL'] })
    expect(await ended).toMatchObject({ code: error })
  })

  test.each([5, 100, 101, 102, 105])('retries after CONNACK %i', async (code) => {
    await start()
    market.nextConnect({ kind: 'connack', code })
    open().set({ ...STOCKS, symbols: ['AAPL'] })
    expect(await until(isNotice('reconnecting'))).toMatchObject({ connackCode: code })
    await until(isNotice('subscribed'))
  })

  test('ends if the app key is unknown', async () => {
    await start()
    open({ product: { kind: 'server', appKey: 'nobody' } }).set({ ...STOCKS, symbols: ['AAPL'] })
    expect(await ended).toMatchObject({ details: { signal: 'connack', code: 'app-key-invalid' } })
  })

  test('gets 105 beyond the connection limit, and keeps the other connections', async () => {
    await start({ quotes: { maxConnections: 2, maxSymbols: 2 } })
    open({ symbolsPerConnection: 2, supervision: { ...SUPERVISION, connectionLimitWaitMs: 60_000 } }).set({
      ...STOCKS,
      symbols: ['A', 'B', 'C', 'D', 'E'],
    })
    expect(await until(isNotice('reconnecting'))).toMatchObject({
      reason: 'connection-limit',
      delayMs: 60_000,
    })
    await until(isNotice('subscribed', 2))
    expect(quotes?.confirmed()).toHaveLength(4)
  })

  test('reports session-unknown repeatedly in the wrong environment', async () => {
    await start({ quotes: { registrationMs: 86_400_000 } })
    open({ supervision: { ...SUPERVISION, sessionGraceMs: 300 } }).set({ ...STOCKS, symbols: ['AAPL'] })
    expect(await until(isNotice('reconnecting', 2))).toMatchObject({ reason: 'session-unknown' })
  })

  test('ends after one retry if the token is missing', async () => {
    await start({ tokenCheckEnabled: true })
    open().set({ ...STOCKS, symbols: ['AAPL'] })
    expect(await ended).toMatchObject({
      code: 'QUOTES_AUTH_REJECTED',
      details: { signal: 'call', status: 401 },
    })
  })
})

describe('input of a connection', () => {
  beforeEach(async () => {
    await start()
    open().set({ ...STOCKS, symbols: ['AAPL'] })
    await until(isNotice('subscribed'))
  })

  test('decodes a packet whose second half is late', async () => {
    const packet = Buffer.concat([Buffer.of(0x30, 9, 0, 4), Buffer.from('tick'), Buffer.of(1, 2, 3)])
    market.sendBytes(packet.subarray(0, 5))
    await new Promise((resolve) => setImmediate(resolve))
    market.sendBytes(packet.subarray(5))
    const item = await until(isMessage('tick'))
    expect(item).toMatchObject({ payload: Uint8Array.of(1, 2, 3), symbol: undefined })
  })

  test.each([1, 600, 5000])(
    'a payload of %i bytes does not change when later payloads are received',
    async (length) => {
      const packet = (mark: number): Buffer => {
        const rest = 6 + length
        const header = rest < 128 ? [rest] : [(rest & 0x7f) | 0x80, rest >> 7]
        return Buffer.concat([
          Buffer.of(0x30, ...header, 0, 4),
          Buffer.from('tick'),
          Buffer.alloc(length, mark),
        ])
      }
      const kept: QuotesItem[] = []
      for (const mark of [1, 2, 3]) {
        // Each message is a separate read, and the host reads into the same buffer.
        market.sendBytes(packet(mark))
        kept.push(await until((item) => item.type === 'message' && item.payload[0] === mark))
      }
      const payloads = kept.map((item) => (item.type === 'message' ? [...item.payload] : []))
      expect(payloads).toEqual([1, 2, 3].map((mark) => new Array(length).fill(mark)))
    },
  )

  test('reconnects after an invalid length', async () => {
    market.sendBytes(Uint8Array.of(0x30, 0xff, 0xff, 0xff, 0xff, 1))
    expect(await until(isNotice('reconnecting'))).toMatchObject({ reason: 'malformed', fault: 'length' })
    await until(isNotice('subscribed', 2))
  })

  test('delivers combined, duplicate and reordered messages as received', async () => {
    const packet = (mark: number): Buffer =>
      Buffer.concat([Buffer.of(0x30, 7, 0, 4), Buffer.from('tick'), Buffer.of(mark)])
    market.sendBytes(Buffer.concat([2, 1, 1, 3].map(packet)))
    await until((item) => item.type === 'message' && item.payload[0] === 3)
    const marks = seen.flatMap((item) => (item.type === 'message' ? [item.payload[0]] : []))
    expect(marks).toEqual([2, 1, 1, 3])
  })

  test('handles unknown topics, QoS 1, duplicates, status and heartbeat', async () => {
    market.push({ topic: 'new', payload: Uint8Array.of(9) })
    market.push({ topic: 'tick', qos: 1, duplicate: true })
    market.echo()
    market.notice({ fields: { type: 'status', drop: 7 } })
    expect(await until(isNotice('service-notice'))).toMatchObject({ drop: 7 })
    expect(seen.find(isMessage('unknown'))).toMatchObject({ topic: 'new', payload: Uint8Array.of(9) })
    expect(seen.find(isMessage('tick'))).toMatchObject({ duplicate: true })
  })

  test('reconnects after the broker has closed the connection normally', async () => {
    market.end()
    expect(await until(isNotice('reconnecting'))).toMatchObject({ reason: 'disconnected' })
    await until(isNotice('gap'))
  })
})

test('reconnects after a WebSocket is closed with an invalid frame', async () => {
  await start()
  open({ mqttUrl: market.mqttWebSocketUrl }).set({ ...STOCKS, symbols: ['AAPL'] })
  await until(isNotice('subscribed'))
  market.sendInvalidClose()
  expect(await until(isNotice('reconnecting'))).toMatchObject({ reason: 'disconnected' })
  await until(isNotice('gap'))
})

test('reconnects if a PING gets no response', async () => {
  await start()
  open({ supervision: { ...SUPERVISION, pingIntervalMs: 50, pongTimeoutMs: 50 } }).set({
    ...STOCKS,
    symbols: ['AAPL'],
  })
  await until(isNotice('subscribed'))
  market.silence('all')
  expect(await until(isNotice('reconnecting'))).toMatchObject({ reason: 'heartbeat-lost' })
  await until(isNotice('gap'))
})

test('reports stalled if messages stop while PINGs get responses, and keeps the connection', async () => {
  await start()
  open({
    supervision: { ...SUPERVISION, stallTimeoutMs: 100, pingIntervalMs: 20, pongTimeoutMs: 10_000 },
  }).set({
    ...STOCKS,
    symbols: ['AAPL'],
  })
  await until(isNotice('subscribed'))
  market.silence('messages')
  expect(await until(isNotice('stalled'))).toMatchObject({ symbols: 1 })
  market.silence('none')
  market.step()
  await until(isMessage('snapshot', 'AAPL'))
  expect(seen.filter(isNotice('reconnecting'))).toEqual([])
})

test('detects a forgotten session when it subscribes again, and reconnects once', async () => {
  await start()
  open({ supervision: { ...SUPERVISION, resubscribeIntervalMs: 1000, sessionGraceMs: 1 } }).set({
    ...STOCKS,
    symbols: ['AAPL'],
  })
  await until(isNotice('subscribed'))
  market.forgetSessions()
  expect(await until(isNotice('reconnecting'))).toMatchObject({ reason: 'session-unknown' })
  await until(isNotice('gap'))
})

test('sends no secret to the broker or into an item', async () => {
  await start()
  open().set({ ...STOCKS, symbols: ['AAPL'] })
  await until(isNotice('subscribed'))
  market.drop()
  await until(isNotice('gap'))
  const { appSecret } = simulator.credentials
  const { revealSecret } = await import('@brokerwire/core/internal')
  const secret = revealSecret(appSecret) ?? ''
  expect(secret.length).toBeGreaterThan(10)
  expect(JSON.stringify(seen) + JSON.stringify(simulator.requests())).not.toContain(secret)
})
