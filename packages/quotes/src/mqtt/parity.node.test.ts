/**
 * The codec and mqtt-packet decode the packets of each other. `pnpm proof fuzz --only mqtt` tries a million streams.
 */
import { createSeededRandom } from '@brokerwire/core/testing'
import { parser as createParser, generate, type Packet } from 'mqtt-packet'
import { expect, test } from 'vitest'
import { assertMqttParity, assertSameAtEveryCut } from '../test/mqtt-parity.ts'
import { anyCuts, anyStream } from '../test/mqtt-streams.ts'
import { MqttDecoder } from './decoder.ts'
import { DISCONNECT, encodeConnect, encodePuback, PINGREQ } from './encode.ts'

test('decodes random, damaged and hostile streams like mqtt-packet, or rejects them', () => {
  const counts = { accepted: 0, rejected: 0, stricter: 0 }
  const first = Date.now() % 2 ** 31
  for (let seed = first; seed < first + 4000; seed += 1) {
    const random = createSeededRandom(seed)
    const bytes = anyStream(random)
    try {
      counts[assertMqttParity(bytes, anyCuts(random, bytes))] += 1
      assertSameAtEveryCut(bytes, seed % 20 === 0 ? bytes.length : 0)
    } catch (error) {
      throw new Error(`seed ${seed}: ${bytes.toString('hex')}`, { cause: error })
    }
  }
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(100)
})

function readByPeer(bytes: Uint8Array): Packet[] {
  const packets: Packet[] = []
  const parser = createParser({ protocolVersion: 4 })
  parser.on('packet', (packet: Packet) => packets.push(packet))
  parser.on('error', (error: Error) => {
    throw error
  })
  parser.parse(Buffer.from(bytes))
  return packets
}

test.each([
  ['a', 'b', 'c', 0],
  ['0123456789abcdef0123456789abcdef', 'app-key', 'x', 60],
  ['', '', '', 65_535],
  ['\u00e9\u20ac\u{1f600}', 'k'.repeat(65_535), 'p'.repeat(300), 30],
])('mqtt-packet decodes the encoded CONNECT', (clientId, userName, password, keepAliveSeconds) => {
  const [packet] = readByPeer(encodeConnect({ clientId, userName, password, keepAliveSeconds }))
  expect(packet).toMatchObject({
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clean: true,
    keepalive: keepAliveSeconds,
    clientId,
    username: userName,
    password: Buffer.from(password),
  })
  expect(packet).not.toHaveProperty('will')
})

test('encodes PUBACK, PINGREQ and DISCONNECT for mqtt-packet', () => {
  expect(
    readByPeer(Buffer.concat([encodePuback(65_535), PINGREQ, encodePuback(1), DISCONNECT])),
  ).toMatchObject([
    { cmd: 'puback', messageId: 65_535 },
    { cmd: 'pingreq' },
    { cmd: 'puback', messageId: 1 },
    { cmd: 'disconnect' },
  ])
})

test("caches a copy of a topic and not the socket's buffer", () => {
  const decoder = new MqttDecoder(1000)
  const topics: string[] = []
  const read = (bytes: Buffer): void => {
    decoder.read(bytes, (packet) => topics.push(packet.type === 'publish' ? packet.topic : packet.type))
    bytes.fill('e')
  }
  const packet = (topic: string): Buffer =>
    Buffer.from(generate({ cmd: 'publish', topic, payload: '', qos: 0, retain: false, dup: false }))
  for (const topic of ['tick', 'tick', 'eeee', 'tick']) read(packet(topic))
  expect(topics).toEqual(['tick', 'tick', 'eeee', 'tick'])
})
