/**
 * The clients that are compared. Each runs in its own process, because code that V8 has optimized for one
 * client could slow down another. Each run connects, receives a number of messages, and disconnects.
 */
import { MarketSnapshotSchema } from '@brokerwire/protos/quotes'
import { createQuotes, type Quotes, type QuotesMessage } from '@brokerwire/quotes'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { fromBinary } from '@bufbuild/protobuf'
import mqtt from 'mqtt'

/**
 * Receives `messages` messages.
 *
 * @returns The number of bytes in their payloads; for a client that decodes them, the number of characters in
 * their decoded fields.
 */
type Receive = (port: number, clientId: string, messages: number) => Promise<number>

/** Subscribe calls are not measured: the broker sends messages without them. */
const http = { request: async () => ({}) as never }

/** A client that is subscribed to one symbol. */
function openQuotes(port: number, clientId: string): Quotes {
  const quotes = createQuotes({
    http,
    mqttUrl: `mqtt://127.0.0.1:${port}`,
    product: { kind: 'server', appKey: 'bench' },
    sessionId: () => clientId,
  })
  quotes.set({ symbols: ['S0000'], types: ['snapshot'], category: 'US_STOCK' })
  return quotes
}

function ours(use: (message: QuotesMessage) => number): Receive {
  return async (port, clientId, messages) => {
    let seen = 0
    let size = 0
    for await (const item of openQuotes(port, clientId)) {
      if (item.type !== 'message') continue
      if (item.replaced > 0) throw new Error('a message was replaced: not every one was delivered')
      size += use(item)
      seen += 1
      if (seen === messages) break
    }
    return size
  }
}

function mqttJs(use: (topic: string, payload: Uint8Array) => number): Receive {
  return (port, clientId, messages) =>
    new Promise((resolve, reject) => {
      const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, {
        clientId,
        username: 'bench',
        password: 'none',
        protocolVersion: 4,
        reconnectPeriod: 0,
      })
      let seen = 0
      let size = 0
      client.on('error', reject)
      client.on('message', (topic, payload) => {
        size += use(topic, payload)
        seen += 1
        if (seen === messages) client.end(true, {}, () => resolve(size))
      })
    })
}

const bytesOf = (message: QuotesMessage): number => message.payload.length

function decodedSize(message: QuotesMessage): number {
  if (message.kind !== 'snapshot') throw new Error(`a message of the kind ${message.kind}`)
  const decoded = message.decode()
  if (!decoded.ok) throw decoded.error
  const { symbol = '', price = '', preClose = '' } = decoded.value
  return symbol.length + price.length + preClose.length
}

function protobufEsSize(topic: string, payload: Uint8Array): number {
  if (topic !== 'snapshot') throw new Error(`a message of the topic ${topic}`)
  const { basic, price, preClose } = fromBinary(MarketSnapshotSchema, payload)
  return (basic?.symbol ?? '').length + price.length + preClose.length
}

const CLIENTS = {
  ours: ours(bytesOf),
  'MQTT.js': mqttJs((_, payload) => payload.length),
  'ours, decoded': ours(decodedSize),
  'MQTT.js, decoded by protobuf-es': mqttJs(protobufEsSize),
} satisfies Readonly<Record<string, Receive>>

export type ClientName = keyof typeof CLIENTS

let runs = 0

const commands = {
  async receive(name: ClientName, port: number, blocks: number, messages: number) {
    runs += 1
    const before = process.cpuUsage()
    const size = await CLIENTS[name](port, `${blocks}-${process.pid}-${runs}`, messages)
    const { user, system } = process.cpuUsage(before)
    return { size, cpuUs: user + system }
  },
}
export type ClientCommands = typeof commands
serveCalls(commands)
