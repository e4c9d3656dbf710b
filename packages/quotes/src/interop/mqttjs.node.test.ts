/** The simulator's broker with MQTT.js, the MQTT client of most programs on Node. */
import { createHttpClient } from '@brokerwire/http'
import { MarketSnapshotSchema } from '@brokerwire/protos/quotes'
import { createSigner } from '@brokerwire/signer'
import { type QuotesControls, type Simulator, startSimulator } from '@brokerwire/simulator'
import { fromBinary } from '@bufbuild/protobuf'
import { connect, connectAsync, type IClientOptions, type MqttClient } from 'mqtt'
import { describe, expect, onTestFinished, test } from 'vitest'

const URLS = ['mqttUrl', 'mqttWebSocketUrl'] as const
const NO_TOKEN = { get: async () => undefined, reportRejected: async () => ({ changed: false }) }

async function start(
  quotes: Parameters<typeof startSimulator>[0] = {},
): Promise<{ simulator: Simulator; market: QuotesControls }> {
  const simulator = await startSimulator({
    environment: 'sandbox',
    tokenCheckEnabled: false,
    quotes: true,
    ...quotes,
  })
  onTestFinished(() => simulator.close())
  if (simulator.quotes === undefined) throw new Error('no market data')
  return { simulator, market: simulator.quotes }
}

const optionsOf = ({ credentials }: Simulator, clientId: string): IClientOptions => ({
  clientId,
  username: credentials.appKey,
  password: 'x',
  protocolVersion: 4,
  reconnectPeriod: 0,
})

async function join(simulator: Simulator, url: string, clientId: string): Promise<MqttClient> {
  const client = await connectAsync(url, optionsOf(simulator, clientId))
  onTestFinished(() => void client.end(true))
  return client
}

async function subscribe(simulator: Simulator, session: string): Promise<void> {
  const { appKey, appSecret } = simulator.credentials
  const signer = createSigner({ appKey, appSecret })
  const http = createHttpClient({ baseUrl: simulator.baseUrl, signer, accessTokens: NO_TOKEN })
  const json = { session_id: session, symbols: ['AAPL'], category: 'US_STOCK', sub_types: ['SNAPSHOT'] }
  await http.request({ method: 'POST', path: '/market-data/streaming/subscribe', json })
}

describe.each(URLS)('over %s', (url) => {
  test('connects, receives the messages subscribed over HTTP, and may send SUBSCRIBE', async () => {
    const { simulator, market } = await start()
    const client = await join(simulator, market[url], 'session-1')
    const messages: [string, Buffer][] = []
    client.on('message', (topic, payload) => messages.push([topic, payload]))
    await subscribe(simulator, 'session-1')
    market.step()
    await expect.poll(() => messages.length).toBe(1)
    const [topic, payload] = messages[0] ?? []
    expect(topic).toBe('snapshot')
    expect(fromBinary(MarketSnapshotSchema, new Uint8Array(payload ?? []))).toMatchObject({
      basic: { symbol: 'AAPL' },
      price: expect.stringMatching(/^\d+\.\d\d$/),
    })
    await client.subscribeAsync('#')
    await client.unsubscribeAsync('#')
    market.step()
    await expect.poll(() => messages.length).toBe(2)
    expect(market.sessions()).toMatchObject([{ id: 'session-1', symbols: [{ symbol: 'AAPL' }] }])
  })

  test('gets responses to its PINGs, and frees its slot with DISCONNECT', async () => {
    const { simulator, market } = await start({ quotes: { slotLingerMs: 60_000 } })
    const client = await join(simulator, market[url], 'session-1')
    const pong = new Promise<void>((resolve) => {
      client.on('packetreceive', ({ cmd }) => {
        if (cmd === 'pingresp') resolve()
      })
    })
    client.sendPing()
    await pong
    expect(market.usedConnections()).toBe(1)
    await client.endAsync()
    await expect.poll(() => market.usedConnections()).toBe(0)
  })

  test.each([3, 5, 100, 101, 102, 103, 104, 105])('receives CONNACK %i', async (code) => {
    const { simulator, market } = await start()
    market.nextConnect({ kind: 'connack', code })
    const client = connect(market[url], optionsOf(simulator, 'session-1'))
    onTestFinished(() => void client.end(true))
    const error = await new Promise<unknown>((resolve) => client.on('error', resolve))
    expect(error).toMatchObject({ code })
  })

  test('is replaced by a connection with the same client id', async () => {
    const { simulator, market } = await start()
    const first = await join(simulator, market[url], 'same')
    const closed = new Promise<void>((resolve) => first.on('close', resolve))
    const second = await join(simulator, market[url], 'same')
    await closed
    expect(second.connected).toBe(true)
    expect(market.sessions()).toHaveLength(1)
  })

  test('acknowledges QoS 1, and receives messages of all topics and of 300,000 bytes complete and in order', async () => {
    const { simulator, market } = await start()
    const client = await join(simulator, market[url], 'session-1')
    const sent: string[] = []
    client.on('packetsend', ({ cmd }) => sent.push(cmd))
    const messages: string[] = []
    client.on('message', (topic, payload) => messages.push(`${topic} ${payload.length}`))
    market.push({ topic: 'large', payload: new Uint8Array(300_000) })
    market.push({ topic: 'tick', payload: new Uint8Array(7), qos: 1 })
    market.echo()
    market.notice()
    await expect.poll(() => messages.length).toBe(4)
    expect(messages.slice(0, 3)).toEqual(['large 300000', 'tick 7', 'echo 0'])
    await expect.poll(() => sent).toContain('puback')
  })
})
