/** The client of market data against brokers that write whatever they like, or nothing. */
import { createQuotes, isQuotesError, type QuotesItem } from '@brokerwire/quotes'
import { type ByteConnection, startByteServer } from '@brokerwire/testing/byte-server'
import { generate, type Packet } from 'mqtt-packet'
import { WebSocket } from 'ws'
import { anyStream } from '../../../../packages/quotes/src/test/mqtt-streams.ts'
import type { AttackContext, Kind } from '../kind.ts'
import type { Random } from '../random.ts'
import { within } from '../within.ts'

const HANGS_MS = 20_000
/** Attacks at the same time. */
const LANES = 8
/** Of each kind of what waits; a message that alone is larger is delivered. */
const BOUND_BYTES = 100_000
const MAX_PACKET_BYTES = 50_000
const ACCEPTED = Uint8Array.of(0x20, 2, 0, 0)
/** CONNACK codes that end it for good. */
const FINAL = new Set([1, 2, 3, 103, 104])

const publish = (topic: string, payload: Uint8Array, qos: 0 | 1 = 0): Uint8Array =>
  generate(
    {
      cmd: 'publish',
      topic,
      payload: Buffer.from(payload),
      qos,
      dup: false,
      retain: false,
      messageId: 1,
    } as Packet,
    { protocolVersion: 4 },
  )

/** `basic` with a symbol. */
function messageOf(symbol: string, more: Uint8Array): Uint8Array {
  const name = Buffer.from(symbol)
  const basic = Buffer.concat([Buffer.of(0x0a, name.length), name])
  return Buffer.concat([Buffer.of(0x0a, basic.length), basic, more])
}

const TOPICS = ['quote', 'snapshot', 'tick', 'event-quote', 'event-snapshot', 'event-tick', 'echo', 'notice']

/** What a broker does to one connection. @returns The code with which it refused, if it did. */
const SORTS: Readonly<Record<string, (connection: ByteConnection, random: Random) => number | undefined>> = {
  'bytes of no sense'(connection, random) {
    connection.send(random.bytes(random.integer(1, 200)))
    connection.end()
    return undefined
  },
  'damaged packets'(connection, random) {
    connection.send(ACCEPTED)
    for (let count = 0; count < 20; count += 1) connection.send(anyStream(() => random.next()))
    connection.end()
    return undefined
  },
  'a wrong length'(connection, random) {
    connection.send(ACCEPTED)
    const length = random.pick([
      [0xff, 0xff, 0xff, 0x7f],
      [0xff, 0xff, 0xff, 0xff, 1],
      [0x80, 0x80, 0x80, 0x80, 0],
    ])
    connection.send(Uint8Array.of(0x30, ...length))
    return undefined
  },
  'never CONNACK'(connection, random) {
    connection.send(ACCEPTED.subarray(0, random.integer(0, 3)))
    return undefined
  },
  'a packet before CONNACK'(connection, random) {
    connection.send(publish(random.pick(TOPICS), random.bytes(random.integer(0, 20))))
    connection.send(ACCEPTED)
    return undefined
  },
  'any CONNACK'(connection, random) {
    const code = random.integer(1, 255)
    connection.send(Uint8Array.of(0x20, 2, 0, code))
    return code
  },
  'a break in the middle of a packet'(connection, random) {
    connection.send(ACCEPTED)
    const bytes = publish(random.pick(TOPICS), random.bytes(300))
    connection.send(bytes.subarray(0, random.integer(1, bytes.length - 1)))
    connection.destroy()
    return undefined
  },
  'a packet that never ends'(connection, random) {
    connection.send(ACCEPTED)
    const bytes = publish('tick', random.bytes(1000))
    let at = 0
    const timer = setInterval(() => {
      if (connection.raw.destroyed) clearInterval(timer)
      else connection.send(bytes.subarray(at, at + 1))
      at += 1
    }, 20)
    return undefined
  },
  silence(connection) {
    connection.send(ACCEPTED)
    return undefined
  },
  'a flood'(connection, random) {
    connection.send(ACCEPTED)
    for (let count = 0; count < 300; count += 1) {
      const isLong = random.chance(0.3)
      const topic = isLong ? 't'.repeat(random.integer(1, 40_000)) + String(count) : random.pick(TOPICS)
      const payload = messageOf(`S${random.integer(0, 500)}`, random.bytes(random.integer(0, 3000)))
      connection.send(publish(topic, payload, random.pick([0, 1])))
    }
    connection.end()
    return undefined
  },
}

/** What an item holds, whoever counts. */
const bytesOf = (item: QuotesItem): number =>
  item.type === 'message' ? item.payload.length + item.topic.length : 0

async function attackOnce(context: AttackContext, random: Random): Promise<void> {
  const sort = random.pick(Object.keys(SORTS))
  context.attack(sort)
  const hostile = random.integer(1, 3)
  let connections = 0
  let code: number | undefined
  const transport = random.pick(['mqtt', 'ws'] as const)
  const server = await startByteServer(transport, { key: '', cert: '' }, (connection) => {
    connections += 1
    const isHostile = connections <= hostile && code === undefined
    let isGreeted = false
    return (bytes) => {
      if (!isGreeted && isHostile) code = SORTS[sort]?.(connection, random)
      else if (!isGreeted) connection.send(ACCEPTED)
      else if (!isHostile && bytes[0] === 0xc0) connection.send(Uint8Array.of(0xd0, 0))
      isGreeted = true
    }
  })
  const quotes = createQuotes({
    http: { request: async () => ({}) as never },
    mqttUrl: server.url,
    product: { kind: 'server', appKey: 'app-key' },
    webSocket: WebSocket,
    maxPacketBytes: MAX_PACKET_BYTES,
    queue: { maxTickBytes: BOUND_BYTES, maxStateBytes: BOUND_BYTES },
    supervision: {
      connectTimeoutMs: 300,
      pingIntervalMs: 200,
      pongTimeoutMs: 200,
      backoffBaseMs: 5,
      backoffMaxMs: 10,
      connectionLimitWaitMs: 10,
      connectionLimitMaxMs: 10,
    },
  })
  quotes.set({ symbols: ['A'], types: ['snapshot'], category: 'US_STOCK' })
  /** Until a connection that is not hostile is subscribed. */
  const back = (async (): Promise<unknown> => {
    try {
      for await (const batch of quotes.batches({ maxItems: 100_000 })) {
        const bytes = batch.reduce((sum, item) => sum + bytesOf(item), 0)
        // Both bounds, and of each one message that alone is over it.
        if (bytes > 2 * (BOUND_BYTES + MAX_PACKET_BYTES)) context.broken(`${sort}: ${bytes} bytes waited`)
        for (const item of batch) if (item.type === 'message') item.decode()
        const isBack = quotes.connections().some(({ confirmed }) => confirmed > 0)
        if (isBack && connections > hostile) return 'back'
        if (isBack && code !== undefined) return 'back'
      }
      return 'left'
    } catch (error) {
      return error
    }
  })()
  const outcome = await within(back, HANGS_MS)
  const isFinal = code !== undefined && (FINAL.has(code) || code === 5)
  if (outcome === 'hangs') context.broken(`${sort}: not back after ${HANGS_MS} ms`)
  else if (outcome !== 'back' && !(isFinal && isQuotesError(outcome))) {
    context.broken(`${sort}, CONNACK ${code}: ended with ${String(outcome)}`)
  }
  if ((await within(quotes.close(), HANGS_MS)) === 'hangs') context.broken(`${sort}: it cannot be left`)
  await server.close()
}

export const quotes: Kind = {
  name: 'quotes',
  promise:
    'whatever a broker writes, market data comes back at the next good connection, ends only where CONNACK says so, and holds no more than its bounds',
  counts: [2000, 60],
  async run(context) {
    let left = context.count
    const lane = async (name: number): Promise<void> => {
      const random = context.random.fork(name)
      while (left > 0) {
        left -= 1
        await attackOnce(context, random)
      }
    }
    await Promise.all(Array.from({ length: LANES }, (_, name) => lane(name)))
  },
}
