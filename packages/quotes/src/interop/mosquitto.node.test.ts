/**
 * The market data client with mosquitto of Debian, for the protocol alone. mosquitto does not know the service's
 * sessions and sends messages only to subscribers. So the tests send a SUBSCRIBE of their own over the client's
 * socket.
 */
import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { MarketSnapshotSchema } from '@brokerwire/protos/quotes'
import {
  createQuotes,
  type QuotesItem,
  type QuotesOptions,
  type QuotesSocketOpener,
} from '@brokerwire/quotes'
import { createSelfSignedCertificate } from '@brokerwire/simulator'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { type Mosquitto, type MosquittoOptions, startMosquitto } from '@brokerwire/testing/mosquitto'
import { create, toBinary } from '@bufbuild/protobuf'
import { connectAsync, type MqttClient } from 'mqtt'
import { generate } from 'mqtt-packet'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'

const need = needs('mosquitto')
const tls = createSelfSignedCertificate()
const SUBSCRIBE = generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '#', qos: 1 }] })

async function start(options: MosquittoOptions): Promise<Mosquitto> {
  const server = await startMosquitto(options)
  onTestFinished(() => server.close())
  return server
}

/** Opens sockets that record the bytes of both directions. A test can also send its own bytes. */
function sockets(url: string, seen: { sent: Buffer[]; received: Buffer[] }): QuotesSocketOpener {
  return (_, events) => {
    const port = Number(/:(\d+)/.exec(url)?.[1])
    const take = (bytes: Buffer): void => {
      seen.received.push(bytes)
      events.received(bytes)
    }
    if (url.startsWith('ws:')) {
      const socket = new WebSocket(url, ['mqtt'])
      socket.on('open', () => events.opened())
      socket.on('message', (data) => take(data as Buffer))
      socket.on('error', () => {})
      socket.on('close', () => events.closed())
      const send = (bytes: Uint8Array): void => {
        seen.sent.push(Buffer.from(bytes))
        socket.send(bytes)
      }
      return { send, end: () => socket.close(), destroy: () => socket.terminate() }
    }
    const socket = url.startsWith('mqtts:')
      ? connectTls({ port, host: '127.0.0.1', ca: tls.cert }, () => events.opened())
      : connectTcp(port, '127.0.0.1', () => events.opened())
    socket.on('data', take)
    socket.on('error', () => {})
    socket.on('close', () => events.closed())
    const send = (bytes: Uint8Array): void => {
      seen.sent.push(Buffer.from(bytes))
      socket.write(bytes)
    }
    return { send, end: () => socket.end(), destroy: () => socket.destroy() }
  }
}

/** Creates a client and reads it in the background. Returns functions that wait for its items. */
function feed(server: Mosquitto, more: Partial<QuotesOptions> = {}) {
  const quotes = createQuotes({
    // The subscribe calls succeed without a service.
    http: { request: async () => ({}) as never },
    mqttUrl: server.mqttUrl,
    product: { kind: 'server', appKey: 'app-key' },
    webSocket: WebSocket,
    ...more,
    supervision: { backoffBaseMs: 20, backoffMaxMs: 50, ...more.supervision },
  })
  quotes.set({ symbols: ['AAPL'], types: ['snapshot'], category: 'US_STOCK' })
  onTestFinished(() => quotes.close())
  const until = async (matches: (item: QuotesItem) => boolean): Promise<QuotesItem> => {
    for (;;) {
      const { value, done } = await quotes.next()
      if (done === true) throw new Error('it ended')
      if (matches(value)) return value
    }
  }
  const notice = (kind: string) => until((item) => item.type === 'notice' && item.kind === kind)
  const message = (topic: string) => until((item) => item.type === 'message' && item.topic === topic)
  return { quotes, notice, message }
}

async function publisher(server: Mosquitto): Promise<MqttClient> {
  const client = await connectAsync(server.mqttUrl, { reconnectPeriod: 0, ca: tls.cert })
  onTestFinished(() => void client.end(true))
  return client
}

const snapshot = (price: string): Buffer =>
  Buffer.from(
    toBinary(MarketSnapshotSchema, create(MarketSnapshotSchema, { basic: { symbol: 'AAPL' }, price })),
  )

describe.skipIf(need.skip)(`mosquitto${need.note}`, REAL_SERVERS, () => {
  test.each([
    ['mqtt', {}],
    ['mqtts', { tls }],
    ['ws', {}],
  ] as const)(
    'over %s: connects with its own sockets, and disconnects with DISCONNECT',
    async (transport, more) => {
      const server = await start({ transport, ...more })
      const { quotes, notice } = feed(server, {
        sessionId: () => 'session-of-the-test',
        tls: transport === 'mqtts' ? { ca: tls.cert } : undefined,
      })
      await notice('subscribed')
      expect(server.log()).toContain("as session-of-the-test (p2, c1, k60, u'app-key')")
      await quotes.close()
      await expect.poll(() => server.log()).toContain('Received DISCONNECT from session-of-the-test')
    },
  )

  test.each([
    ['mqtt', 500_000, {}],
    ['mqtts', 500_000, { tls }],
    // mosquitto reads a few thousand bytes of a WebSocket in each turn of a loop that sleeps, so a large message
    // would take long.
    ['ws', 20_000, {}],
  ] as const)(
    'over %s: gets messages of QoS 0 and 1 in order, acknowledges them, and gets responses to its PINGs',
    async (transport, large, more) => {
      const server = await start({ transport, ...more })
      const seen = { sent: [] as Buffer[], received: [] as Buffer[] }
      const open = sockets(server.mqttUrl, seen)
      let subscribe = (): void => {}
      const { message, notice } = feed(server, {
        supervision: { pingIntervalMs: 50, pongTimeoutMs: 20_000 },
        socket: (address, events) => {
          const socket = open(address, events)
          subscribe = () => socket.send(SUBSCRIBE)
          return socket
        },
      })
      await notice('subscribed')
      subscribe()
      const suback = (): boolean => seen.received.some((bytes) => bytes.includes(Buffer.of(0x90, 3, 0, 1, 1)))
      await expect.poll(suback).toBe(true)
      const client = await publisher(server)
      await client.publishAsync('snapshot', snapshot('187.10'), { qos: 0 })
      const item = await message('snapshot')
      const decoded = item.type === 'message' ? item.decode() : undefined
      expect(decoded).toMatchObject({ ok: true, value: { symbol: 'AAPL', price: '187.10' } })
      // mosquitto sends one message at a time: the fifth one arrives only after it has accepted four
      // acknowledgements.
      for (let count = 1; count <= 5; count += 1) await client.publishAsync('tick', `${count}`, { qos: 1 })
      await client.publishAsync('large', Buffer.alloc(large, 1), { qos: 1 })
      for (let count = 1; count <= 5; count += 1) {
        expect(await message('tick')).toMatchObject({ payload: new Uint8Array(Buffer.from(`${count}`)) })
      }
      expect(await message('large')).toMatchObject({ payload: { length: large } })
      const pongs = (): number => seen.received.filter((bytes) => bytes.equals(Buffer.of(0xd0, 0))).length
      await expect.poll(pongs).toBeGreaterThan(0)
    },
  )

  test('reports when a connection with the same session id replaces it, and reconnects', async () => {
    const server = await start({ transport: 'mqtt' })
    const { notice } = feed(server, { sessionId: () => 'taken' })
    await notice('subscribed')
    const other = await connectAsync(server.mqttUrl, { clientId: 'taken', reconnectPeriod: 0 })
    expect(await notice('reconnecting')).toMatchObject({ reason: 'disconnected' })
    await notice('gap')
    other.end(true)
  })

  test('retries CONNACK 5 a few times, then ends', async () => {
    const server = await start({ transport: 'mqtt', anonymous: false })
    const { notice } = feed(server)
    const ended = notice('subscribed')
    await expect(ended).rejects.toMatchObject({
      code: 'QUOTES_AUTH_REJECTED',
      details: { signal: 'connack', status: 5, code: 'not-authorized' },
    })
    expect(server.log().match(/Sending CONNACK to .* \(0, 5\)/g)).toHaveLength(3)
  })

  test('reconnects after the broker restarts', async () => {
    const server = await start({ transport: 'mqtt' })
    const { notice } = feed(server)
    await notice('subscribed')
    await server.kill()
    await notice('reconnecting')
    await server.restart()
    await notice('gap')
  })
})
