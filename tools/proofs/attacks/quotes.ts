/** The client of market data against brokers that send any bytes, or none. */
import { createQuotes, isQuotesError } from '@brokerwire/quotes'
import { type ByteConnection, startByteServer } from '@brokerwire/testing/byte-server'
import { generate, type Packet } from 'mqtt-packet'
import { WebSocket } from 'ws'
import { anyStream } from '../../../packages/quotes/src/test/mqtt-streams.ts'
import type { Random } from '../random.ts'
import { within } from '../wait.ts'
import type { AttackContext, Kind } from './attacks.ts'

const HANGS_MS = 20_000
/** Number of clients that are attacked at the same time. */
const CONCURRENCY = 8
/** Maximum size of the buffer for each kind of message. A single message may be larger. */
const BOUND_BYTES = 100_000
const MAX_PACKET_BYTES = 50_000
const ACCEPTED = Uint8Array.of(0x20, 2, 0, 0)
/** CONNACK codes after which the client does not reconnect. */
const FINAL_CODES = new Set([1, 2, 3, 5, 103, 104])
const TOPICS = ['quote', 'snapshot', 'tick', 'event-quote', 'event-snapshot', 'event-tick', 'echo', 'notice']

function publish(topic: string, bytes: Uint8Array, qos: 0 | 1 = 0): Uint8Array {
  const payload = Buffer.from(bytes)
  const packet: Packet = { cmd: 'publish', topic, payload, qos, dup: false, retain: false, messageId: 1 }
  return generate(packet, { protocolVersion: 4 })
}

/** A message with a symbol in its `basic` field. */
function messageOf(symbol: string, more: Uint8Array): Uint8Array {
  const name = Buffer.from(symbol)
  const basic = Buffer.concat([Buffer.of(0x0a, name.length), name])
  return Buffer.concat([Buffer.of(0x0a, basic.length), basic, more])
}

type Attack = (connection: ByteConnection, random: Random, onRefusal: (code: number) => void) => void

const SORTS: Readonly<Record<string, Attack>> = {
  'random bytes'(connection, random) {
    connection.send(random.bytes(random.integer(1, 200)))
    connection.end()
  },
  'damaged packets'(connection, random) {
    connection.send(ACCEPTED)
    for (let count = 0; count < 20; count += 1) connection.send(anyStream(() => random.next()))
    connection.end()
  },
  'a wrong length'(connection, random) {
    connection.send(ACCEPTED)
    const lengths = ['ffffff7f', 'ffffffff01', '8080808000']
    connection.send(Buffer.from(`30${random.pick(lengths)}`, 'hex'))
  },
  'never CONNACK'(connection, random) {
    connection.send(ACCEPTED.subarray(0, random.integer(0, 3)))
  },
  'a packet before CONNACK'(connection, random) {
    connection.send(publish(random.pick(TOPICS), random.bytes(random.integer(0, 20))))
    connection.send(ACCEPTED)
  },
  'any CONNACK'(connection, random, onRefusal) {
    const code = random.integer(1, 255)
    connection.send(Uint8Array.of(0x20, 2, 0, code))
    onRefusal(code)
  },
  'a break in the middle of a packet'(connection, random) {
    connection.send(ACCEPTED)
    const bytes = publish(random.pick(TOPICS), random.bytes(300))
    connection.send(bytes.subarray(0, random.integer(1, bytes.length - 1)))
    connection.destroy()
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
  },
  silence(connection) {
    connection.send(ACCEPTED)
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
  },
}

const SUPERVISION = {
  connectTimeoutMs: 300,
  pingIntervalMs: 200,
  pongTimeoutMs: 200,
  backoffBaseMs: 5,
  backoffMaxMs: 10,
  connectionLimitWaitMs: 10,
  connectionLimitMaxMs: 10,
}

async function attackOnce(context: AttackContext, random: Random): Promise<void> {
  const sort = random.pick(Object.keys(SORTS))
  context.attack(sort)
  const hostile = random.integer(1, 3)
  let connections = 0
  let code: number | undefined
  const onRefusal = (refused: number): void => {
    code = refused
  }
  const transport = random.pick(['mqtt', 'ws'] as const)
  const server = await startByteServer(transport, { key: '', cert: '' }, (connection) => {
    connections += 1
    const isHostile = connections <= hostile && code === undefined
    let isGreeted = false
    return (bytes) => {
      if (!isGreeted && isHostile) SORTS[sort]?.(connection, random, onRefusal)
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
    buffer: { maxTickBytes: BOUND_BYTES, maxStateBytes: BOUND_BYTES },
    supervision: SUPERVISION,
  })
  quotes.set({ symbols: ['A'], types: ['snapshot'], category: 'US_STOCK' })
  /** Reads until the client is subscribed on a connection that is not hostile. */
  const recovery = (async (): Promise<unknown> => {
    try {
      for await (const batch of quotes.batches({ maxItems: 100_000 })) {
        let bytes = 0
        for (const item of batch) {
          if (item.type !== 'message') continue
          bytes += item.payload.length + item.topic.length
          item.decode()
        }
        // There are two buffers. Each may exceed its bound by one message.
        if (bytes > 2 * (BOUND_BYTES + MAX_PACKET_BYTES))
          context.fail(`${sort}: ${bytes} bytes were buffered`)
        const isSubscribed = quotes.connections().some(({ confirmed }) => confirmed > 0)
        if (isSubscribed && (connections > hostile || code !== undefined)) return 'recovered'
      }
      return 'left'
    } catch (error) {
      return error
    }
  })()
  const outcome = await within(recovery, HANGS_MS)
  const isFinal = code !== undefined && FINAL_CODES.has(code)
  if (outcome === 'hangs') context.fail(`${sort}: not recovered after ${HANGS_MS} ms`)
  else if (outcome !== 'recovered' && !(isFinal && isQuotesError(outcome)))
    context.fail(`${sort}, CONNACK ${code}: ended with ${String(outcome)}`)
  if ((await within(quotes.close(), HANGS_MS)) === 'hangs') context.fail(`${sort}: close() does not end`)
  await server.close()
}

export const quotes: Kind = {
  name: 'quotes',
  promise:
    'after any bytes from a broker, market data resumes at the next good connection, ends only if CONNACK requires it, and stays within its bounds',
  counts: [2000, 60],
  async run(context) {
    let left = context.total
    const group = async (name: number): Promise<void> => {
      const random = context.random.fork(name)
      while (left > 0) {
        left -= 1
        await attackOnce(context, random)
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, (_, name) => group(name)))
  },
}
