/** Hostile and broken brokers: their effects on the client and its memory, over real sockets. */

import { createSelfSignedCertificate } from '@brokerwire/simulator'
import {
  type ByteConnection,
  type ByteServer,
  startByteServer,
  type Transport,
} from '@brokerwire/testing/byte-server'
import { generate, type Packet } from 'mqtt-packet'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createQuotes, type Quotes, type QuotesItem } from './create-quotes.ts'
import type { QuotesOptions } from './quotes-options.ts'
import { APP_KEY } from './test/quotes-bench.ts'

const tls = createSelfSignedCertificate()
const ACCEPTED = Uint8Array.of(0x20, 2, 0, 0)
const servers: ByteServer[] = []
let quotes: Quotes | undefined
afterEach(async () => {
  await quotes?.close()
  quotes = undefined
  for (const server of servers.splice(0)) await server.close()
})

const packet = (given: Packet): Uint8Array => generate(given, { protocolVersion: 4 })
const publish = (topic: string, more: object = {}): Uint8Array =>
  packet({ cmd: 'publish', topic, payload: '', qos: 0, dup: false, retain: false, ...more } as Packet)

/** Starts a broker that runs the test's function for each CONNECT, and a client that connects to it. */
async function attack(
  transport: Transport,
  onConnect: (connection: ByteConnection, attempt: number) => void,
  more: Partial<QuotesOptions> = {},
): Promise<{ readonly connections: ByteConnection[]; until(kind: string): Promise<QuotesItem> }> {
  const connections: ByteConnection[] = []
  const server = await startByteServer(transport, tls, (connection) => {
    let isGreeted = false
    connections.push(connection)
    const attempt = connections.length
    return () => {
      if (!isGreeted) onConnect(connection, attempt)
      isGreeted = true
    }
  })
  servers.push(server)
  const opened = createQuotes({
    http: { request: async () => ({}) as never },
    mqttUrl: server.url,
    product: { kind: 'server', appKey: APP_KEY },
    webSocket: WebSocket,
    supervision: { backoffBaseMs: 10, backoffMaxMs: 20 },
    ...more,
  })
  quotes = opened
  opened.set({ symbols: ['A'], types: ['snapshot'], category: 'US_STOCK' })
  return {
    connections,
    async until(kind) {
      for (;;) {
        const { value, done } = await opened.next()
        if (done === true) throw new Error(`ended before ${kind}`)
        if (value.type === 'notice' ? value.kind === kind : 'topic' in value && value.topic === kind)
          return value
      }
    },
  }
}

test('does not count bytes of an incomplete packet as activity', async () => {
  const slow = publish('x', { payload: Buffer.alloc(1000) })
  const { until } = await attack(
    'mqtt',
    (connection) => {
      connection.send(ACCEPTED)
      let at = 0
      const timer = setInterval(() => {
        if (connection.raw.destroyed) clearInterval(timer)
        else connection.send(slow.subarray(at, at + 1))
        at += 1
      }, 5)
    },
    { supervision: { pingIntervalMs: 50, pongTimeoutMs: 50 } },
  )
  expect(await until('reconnecting')).toMatchObject({ reason: 'heartbeat-lost' })
})

test.each([
  ['a message', publish('snapshot')],
  ['PINGRESP', packet({ cmd: 'pingresp' })],
  ['SUBACK', packet({ cmd: 'suback', messageId: 1, granted: [0] })],
])('%s before CONNACK is a fault, and is not delivered', async (_, bytes) => {
  const { until } = await attack('mqtt', (connection, attempt) => {
    if (attempt === 1) connection.send(bytes)
    connection.send(ACCEPTED)
  })
  const first = await until('reconnecting')
  expect(first).toMatchObject({ reason: 'malformed', fault: 'no-connack' })
  await until('subscribed')
})

test.each([
  ['never sends CONNACK', () => {}],
  [
    'sends it byte by byte, and never the last one',
    (connection: ByteConnection) => connection.send(ACCEPTED.subarray(0, 3)),
  ],
])(
  'a connection to a broker that %s is closed at the time limit, and so are later ones',
  async (_, onConnect) => {
    const { connections, until } = await attack('mqtt', onConnect, {
      supervision: { connectTimeoutMs: 50, backoffBaseMs: 10, backoffMaxMs: 20 },
    })
    for (let times = 0; times < 3; times += 1) {
      expect(await until('reconnecting')).toMatchObject({ reason: 'connect-timeout' })
    }
    expect(connections.length).toBeGreaterThanOrEqual(3)
  },
)

test.each([
  ['a length of more than is taken', Uint8Array.of(0x30, 0xff, 0xff, 0xff, 0x7f), 'too-large'],
  ['a length without an end', Uint8Array.of(0x30, 0xff, 0xff, 0xff, 0xff), 'length'],
  ['TLS on a port of clear text', Uint8Array.of(0x15, 3, 3, 0, 2, 2, 40), 'packet-type'],
  ['HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), 'flags'],
])('%s ends the connection, before and after CONNACK', async (_, bytes, fault) => {
  const { until } = await attack('mqtt', (connection, attempt) => {
    if (attempt > 1) connection.send(ACCEPTED)
    if (attempt < 3) connection.send(bytes)
  })
  expect(await until('reconnecting')).toMatchObject({ reason: 'malformed', fault })
  expect(await until('reconnecting')).toMatchObject({ reason: 'malformed', fault })
  await until('subscribed')
})
