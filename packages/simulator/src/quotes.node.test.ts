/** Market data of the simulator, tested with a third-party MQTT codec and signed calls. */
import { connect, type Socket } from 'node:net'
import { MarketQuoteSchema, MarketSnapshotSchema } from '@brokerwire/protos/quotes'
import { sendSigned } from '@brokerwire/testing/signed-client'
import { fromBinary } from '@bufbuild/protobuf'
import {
  parser as createParser,
  generate,
  type IConnackPacket,
  type IPublishPacket,
  type Packet,
} from 'mqtt-packet'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import type { SimulatorOptions } from './options.ts'
import type { QuotesControls } from './quotes/quotes-controls.ts'
import { startSimulator } from './simulator.ts'
import type { Simulator } from './simulator-api.ts'

let simulator: Simulator
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await simulator.close()
})

async function start(options: SimulatorOptions = {}): Promise<QuotesControls> {
  simulator = await startSimulator({
    environment: 'sandbox',
    tokenCheckEnabled: false,
    quotes: true,
    ...options,
  })
  if (simulator.quotes === undefined) throw new Error('no market data')
  return simulator.quotes
}

/** An MQTT client that records what it receives. */
function mqttClient(market: QuotesControls) {
  const { hostname, port } = new URL(market.mqttUrl.replace('mqtt:', 'http:'))
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  const packets: Packet[] = []
  let wake = (): void => {}
  let isClosed = false
  const parser = createParser({ protocolVersion: 4 })
  parser.on('packet', (packet: Packet) => {
    packets.push(packet)
    wake()
  })
  socket.on('data', (bytes) => parser.parse(bytes))
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isClosed = true
    wake()
  })
  const client = {
    packets,
    get isClosed() {
      return isClosed
    },
    send: (packet: Packet) => socket.write(generate(packet, { protocolVersion: 4 })),
    socket,
    async next<Kind extends Packet['cmd']>(cmd: Kind): Promise<Extract<Packet, { readonly cmd: Kind }>> {
      for (;;) {
        const at = packets.findIndex((packet) => packet.cmd === cmd)
        if (at >= 0) return packets.splice(at, 1)[0] as Extract<Packet, { readonly cmd: Kind }>
        if (isClosed) throw new Error(`closed before ${cmd}`)
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    async closed(): Promise<void> {
      while (!isClosed) await new Promise<void>((resolve) => (wake = resolve))
    },
    async connect(clientId: string, more: object = {}): Promise<number | undefined> {
      const username = simulator.credentials.appKey
      client.send({
        cmd: 'connect',
        clientId,
        username,
        password: Buffer.from('x'),
        keepalive: 60,
        clean: true,
        protocolId: 'MQTT',
        protocolVersion: 4,
        ...more,
      })
      return ((await client.next('connack')) as IConnackPacket).returnCode
    },
  }
  return client
}

const subscribe = (
  session: string,
  more: object = {},
  prefix = '/market-data/streaming',
  action = 'subscribe',
) =>
  sendSigned(simulator, {
    method: 'POST',
    path: `${prefix}/${action}`,
    json: { session_id: session, symbols: ['AAPL'], category: 'US_STOCK', sub_types: ['SNAPSHOT'], ...more },
  })

describe('a session', () => {
  test.each(['/market-data/streaming', '/openapi/market-data/streaming'])(
    'can be subscribed under %s and receives messages',
    async (prefix) => {
      const market = await start()
      const client = mqttClient(market)
      expect(await client.connect('s1')).toBe(0)
      const answer = await subscribe('s1', { sub_types: ['SNAPSHOT', 'QUOTE'], depth: '5' }, prefix)
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '' })
      expect(market.step()).toBe(2)
      const messages = [await client.next('publish'), await client.next('publish')] as IPublishPacket[]
      expect(messages.map(({ topic, qos, retain }) => ({ topic, qos, retain }))).toEqual([
        { topic: 'snapshot', qos: 0, retain: false },
        { topic: 'quote', qos: 0, retain: false },
      ])
      const [snapshot, quote] = messages.map(({ payload }) => Uint8Array.from(payload as Buffer))
      expect(fromBinary(MarketSnapshotSchema, snapshot as Uint8Array)).toMatchObject({
        basic: { symbol: 'AAPL', tradingSession: 'RTH' },
        price: expect.stringMatching(/^\d+\.\d\d$/),
      })
      const { asks, bids } = fromBinary(MarketQuoteSchema, quote as Uint8Array)
      expect({ asksCount: asks.length, bidsCount: bids.length }).toEqual({ asksCount: 5, bidsCount: 5 })
    },
  )

  test('order books never cross, however long prices move', async () => {
    const market = await start()
    const client = mqttClient(market)
    await client.connect('s1')
    await subscribe('s1', { sub_types: ['QUOTE'] })
    market.step(300)
    for (let message = 0; message < 300; message += 1) {
      const { payload } = (await client.next('publish')) as IPublishPacket
      const { asks, bids } = fromBinary(MarketQuoteSchema, Uint8Array.from(payload as Buffer))
      expect(Number(bids[0]?.price)).toBeLessThan(Number(asks[0]?.price))
    }
  })

  test('the same seed gives the same prices', async () => {
    const payloads: string[] = []
    for (let round = 0; round < 2; round += 1) {
      const clock = { now: () => 1_767_225_600_000, setTimer: () => () => {} }
      const market = await start({ seed: 5, clock })
      const client = mqttClient(market)
      await client.connect('s1')
      await subscribe('s1')
      market.step(3)
      for (let message = 0; message < 3; message += 1) {
        payloads.push(((await client.next('publish')) as IPublishPacket).payload.toString('hex'))
      }
      if (round === 0) await simulator.close()
    }
    expect(payloads.slice(0, 3)).toEqual(payloads.slice(3))
  })

  test('with grab the first message is sent at once, without it there is none', async () => {
    const market = await start()
    const client = mqttClient(market)
    await client.connect('s1')
    await subscribe('s1')
    await subscribe('s1', { symbols: ['TSLA'], grab: 'true' })
    market.push({ topic: 'mark' })
    expect(await client.next('publish')).toMatchObject({ topic: 'snapshot' })
    expect(await client.next('publish')).toMatchObject({ topic: 'mark' })
  })

  test('another connection with the same id replaces it', async () => {
    const market = await start()
    const [first, second] = [mqttClient(market), mqttClient(market)]
    await first.connect('same')
    expect(await second.connect('same')).toBe(0)
    await first.closed()
    expect(market.sessions()).toHaveLength(1)
  })

  test('PINGREQ gets a response, SUBSCRIBE is accepted but not needed, a second CONNECT closes the connection', async () => {
    const market = await start()
    const client = mqttClient(market)
    await client.connect('s1')
    client.send({ cmd: 'pingreq' })
    await client.next('pingresp')
    client.send({ cmd: 'subscribe', messageId: 7, subscriptions: [{ topic: '#', qos: 0 }] })
    expect(await client.next('suback')).toMatchObject({ messageId: 7 })
    await expect(client.connect('s1')).rejects.toThrow('closed')
  })
})

describe('CONNACK', () => {
  test.each([
    ['an app key that is empty', { username: '' }, 3],
    ['an unknown app key', { username: 'nobody' }, 104],
    ['no client id', { clientId: '' }, 2],
    ['MQTT 3.1', { protocolId: 'MQIsdp', protocolVersion: 3 }, 1],
  ])('rejects %s', async (_, more, code) => {
    const client = mqttClient(await start())
    expect(await client.connect('s1', more)).toBe(code)
    await client.closed()
  })

  test.each([1, 5, 100, 105])('is %i once if the fault is injected', async (code) => {
    const market = await start()
    market.nextConnect({ kind: 'connack', code })
    expect(await mqttClient(market).connect('s1')).toBe(code)
    expect(await mqttClient(market).connect('s1')).toBe(0)
  })

  test('is 105 beyond the limit; a slot stays used after a lost connection, but not after DISCONNECT', async () => {
    const market = await start({ quotes: { maxConnections: 1, slotLingerMs: 60_000 } })
    const client = mqttClient(market)
    await client.connect('s1')
    expect(await mqttClient(market).connect('s2')).toBe(105)
    client.send({ cmd: 'disconnect' })
    await client.closed()
    const again = mqttClient(market)
    expect(await again.connect('s3')).toBe(0)
    market.drop()
    await again.closed()
    expect({ sessionsCount: market.sessions().length, usedConnections: market.usedConnections() }).toEqual({
      sessionsCount: 0,
      usedConnections: 1,
    })
    expect(await mqttClient(market).connect('s4')).toBe(105)
    await simulator.advance(60_000)
    expect(await mqttClient(market).connect('s5')).toBe(0)
  })
})

describe('a subscribe call', () => {
  test.each([
    ['lower case', { sub_types: ['snapshot'] }, 417, 'UNSUPPORTED_SUB_TYPE'],
    ['another category', { category: 'MARS' }, 417, 'UNSUPPORTED_CATEGORY'],
    ['no symbols', { symbols: [] }, 417, 'INVALID_PARAMETER'],
    ['an unknown symbol', { symbols: ['AAPL', 'BAD', 'WORSE'] }, 417, 'INVALID_SYMBOL'],
    ['another session', { session_id: 'dead' }, 417, 'INVALID_SESSION'],
    ['no session', { session_id: undefined }, 400, 'ILLEAGAL_PARAMETER'],
    ['a symbol that is too long', { symbols: ['AAPL', 'A'.repeat(65)] }, 417, 'INVALID_PARAMETER'],
    ['too many symbols', { symbols: ['A', 'B', 'C'] }, 417, 'TOO_MANY_SYMBOLS_SUBSCRIPTION'],
  ])('with %s is rejected', async (_, more, status, code) => {
    const market = await start({ quotes: { maxSymbols: 2 } })
    market.setUnknownSymbols(['BAD', 'WORSE'])
    await mqttClient(market).connect('s1')
    const answer = await subscribe('s1', more)
    expect({ status: answer.status, error_code: answer.json.error_code }).toEqual({
      status,
      error_code: code,
    })
    if (code === 'INVALID_SYMBOL') expect(answer.json.message).toContain('[BAD, WORSE]')
  })

  test('adds symbols; unsubscribe removes some or all', async () => {
    const market = await start()
    await mqttClient(market).connect('s1')
    await subscribe('s1', { sub_types: ['SNAPSHOT', 'TICK'] })
    await subscribe('s1', { symbols: ['TSLA'], sub_types: 'QUOTE,TICK' })
    await subscribe('s1', { sub_types: ['TICK'] }, undefined, 'unsubscribe')
    const view = () => market.sessions()[0]?.symbols.map(({ symbol, types }) => `${symbol} ${[...types]}`)
    expect(view()).toEqual(['AAPL SNAPSHOT', 'TSLA QUOTE,TICK'])
    await subscribe('s1', { unsubscribe_all: true }, undefined, 'unsubscribe')
    expect(view()).toEqual([])
  })

  test('of the client-to-server product has groups of symbols', async () => {
    const market = await start()
    await mqttClient(market).connect('s1')
    const groups = [
      { category: 'US_STOCK', symbols: ['A'] },
      { category: 'US_ETF', symbols: ['B'] },
    ]
    expect((await subscribe('s1', { category_symbols: groups })).status).toBe(200)
    expect(market.sessions()[0]?.symbols.map(({ category }) => category)).toEqual(['US_STOCK', 'US_ETF'])
  })

  test('requires a token if the app does', async () => {
    const market = await start({ tokenCheckEnabled: true })
    await mqttClient(market).connect('s1')
    expect((await subscribe('s1')).json.error_code).toBe('UNAUTHORIZED')
  })

  test('gets 404 without the option', async () => {
    simulator = await startSimulator({ environment: 'sandbox', tokenCheckEnabled: false })
    expect(simulator.quotes).toBeUndefined()
    expect((await subscribe('s1')).status).toBe(404)
  })
})

describe('the unread bytes of a client', () => {
  const MIB = 1024 * 1024
  const QUARTER = new Uint8Array(MIB / 4)

  /** Connects a client that stops reading. */
  async function deafClient(market: QuotesControls, transport: string): Promise<void> {
    if (transport === 'tcp') {
      const client = mqttClient(market)
      await client.connect('s1')
      client.socket.pause()
      return
    }
    const socket = new WebSocket(market.mqttWebSocketUrl, 'mqtt')
    onTestFinished(() => socket.terminate())
    socket.on('error', () => undefined)
    await new Promise((resolve) => socket.once('open', resolve))
    const { appKey: username } = simulator.credentials
    socket.send(
      generate({ cmd: 'connect', clientId: 's1', username, keepalive: 60, protocolId: 'MQTT', clean: true }),
    )
    await new Promise((resolve) => socket.once('message', resolve))
    socket.pause()
  }

  test.each(['tcp', 'websocket'])('are bounded over %s: the connection is destroyed', async (transport) => {
    const market = await start()
    await deafClient(market, transport)
    // The operating system buffers some MiB first.
    for (let sent = 0; sent < 50 * MIB && market.sessions().length > 0; sent += QUARTER.length) {
      market.push({ topic: 'large', payload: QUARTER })
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(market.sessions()).toEqual([])
  })

  test('do not count one large burst: a client that reads receives all of it', async () => {
    const market = await start()
    const client = mqttClient(market)
    await client.connect('s1')
    for (let sent = 0; sent < 16 * MIB; sent += QUARTER.length)
      market.push({ topic: 'large', payload: QUARTER })
    for (let sent = 0; sent < 16 * MIB; sent += QUARTER.length) await client.next('publish')
    expect(market.sessions()).toHaveLength(1)
  })
})

test('the rate limit drops messages, and the notice counts them', async () => {
  const market = await start({ quotes: { maxPushesPerSecond: 3 } })
  const client = mqttClient(market)
  await client.connect('s1')
  await subscribe('s1')
  expect(market.step(10)).toBe(3)
  market.notice()
  for (let message = 0; message < 3; message += 1) await client.next('publish')
  const notice = (await client.next('publish')) as IPublishPacket
  expect({ topic: notice.topic, toString: JSON.parse(notice.payload.toString()) }).toMatchObject({
    topic: 'notice',
    toString: { drop: 7 },
  })
})

test('a client without a packet for one and a half keep-alive intervals is disconnected', async () => {
  const market = await start()
  const client = mqttClient(market)
  await client.connect('s1', { keepalive: 10 })
  await simulator.advance(14_000)
  expect(market.sessions()).toHaveLength(1)
  await simulator.advance(2000)
  await client.closed()
  expect(market.sessions()).toEqual([])
})

test.each([
  [{ quotes: 5 }, 'quotes'],
  [{ quotes: { mqttPort: -1 } }, 'quotes.mqttPort'],
  [{ quotes: { maxSymbols: 0 } }, 'quotes.maxSymbols'],
  [{ quotes: { mqttport: 0 } }, 'quotes.mqttport'],
])('the invalid option %j is named in the error', async (options, option) => {
  await start()
  await expect(startSimulator(options as SimulatorOptions)).rejects.toMatchObject({
    code: 'SIMULATOR_OPTION_INVALID',
    details: { option },
  })
})

test('an imitation of the official Python client works: older paths, version 2, the same session id after a lost connection', async () => {
  const market = await start({ profile: 'official-clients' })
  const config = await sendSigned(simulator, { method: 'GET', path: '/openapi/config' })
  expect(config.json).toEqual({ token_check_enabled: false })
  const id = 'a'.repeat(32)
  const password = Buffer.from('0123456789abcdef')
  const call = (action: string, more: object) =>
    sendSigned(simulator, {
      path: `/openapi/market-data/streaming/${action}`,
      headers: { 'x-version': 'v2' },
      json: { session_id: id, ...more },
    })
  const ask = { symbols: ['AAPL'], category: 'US_STOCK', sub_types: ['QUOTE', 'SNAPSHOT', 'TICK'] }
  for (let connection = 0; connection < 2; connection += 1) {
    const client = mqttClient(market)
    expect(await client.connect(id, { password })).toBe(0)
    expect((await call('subscribe', ask)).status).toBe(200)
    market.step()
    const topics = [await client.next('publish'), await client.next('publish'), await client.next('publish')]
    expect(topics.map((packet) => (packet as IPublishPacket).topic)).toEqual(['quote', 'snapshot', 'tick'])
    client.send({ cmd: 'pingreq' })
    await client.next('pingresp')
    if (connection === 0) {
      market.drop()
      await client.closed()
      // The rejected call had no effect: the same call is rejected again.
      expect((await call('subscribe', ask)).json.error_code).toBe('INVALID_SESSION')
    }
  }
  expect((await call('unsubscribe', { unsubscribe_all: true })).status).toBe(200)
  expect(market.step()).toBe(0)
})
