/** What a broker, a broken link and an attacker put on a connection, drawn from a seeded source. Needs Node's buffers. */
import { generate, type Packet } from 'mqtt-packet'

/** Draws from 0 up to but not including 1. */
export type Random = () => number

const below = (random: Random, limit: number): number => Math.floor(random() * limit)
const pick = <T>(random: Random, values: readonly T[]): T => values[below(random, values.length)] as T

/** Topics of the service, and such as no message has. */
const TOPICS: readonly string[] = [
  'quote',
  'snapshot',
  'tick',
  'event-snapshot',
  'notice',
  'echo',
  'x',
  'topic/of/levels',
  'pr\u00e9fixe/\u20ac/\u{1f600}',
  '\ufeffmark',
  'y'.repeat(200),
]

function anyBytes(random: Random, most: number): Buffer {
  return Buffer.from(Array.from({ length: below(random, most + 1) }, () => below(random, 256)))
}

function publish(random: Random): Packet {
  const qos = pick(random, [0, 0, 0, 1, 2] as const)
  return {
    cmd: 'publish',
    topic: pick(random, TOPICS),
    payload: anyBytes(random, pick(random, [0, 5, 60, 130, 400])),
    qos,
    retain: random() < 0.2,
    dup: qos > 0 && random() < 0.3,
    ...(qos > 0 ? { messageId: 1 + below(random, 65_535) } : {}),
  }
}

const messageId = (random: Random): number => 1 + below(random, 65_535)

/** A packet as mqtt-packet writes it. Every type but those of MQTT 5. */
function wellFormed(random: Random): Buffer {
  const kind = below(random, 20)
  const packet: Packet =
    kind < 11
      ? publish(random)
      : kind === 11
        ? {
            cmd: 'connack',
            sessionPresent: random() < 0.5,
            returnCode: pick(random, [0, 1, 5, 100, 105, 255]),
          }
        : kind < 14
          ? { cmd: 'pingresp' }
          : kind === 14
            ? { cmd: 'suback', messageId: messageId(random), granted: [0, 1, 128] }
            : kind === 15
              ? { cmd: 'puback', messageId: messageId(random) }
              : kind === 16
                ? {
                    cmd: pick(random, ['pubrec', 'pubrel', 'pubcomp'] as const),
                    messageId: messageId(random),
                  }
                : kind === 17
                  ? { cmd: 'unsuback', messageId: messageId(random), granted: [] }
                  : kind === 18
                    ? { cmd: 'pingreq' }
                    : { cmd: 'connect', clientId: 'c', keepalive: 60, protocolId: 'MQTT', protocolVersion: 4 }
  return generate(packet, { protocolVersion: 4 })
}

/** One byte changed, left out, put in, or all behind it cut off. */
function damaged(random: Random, bytes: Buffer): Buffer {
  // Headers decide most: the first bytes are hit more often.
  const at = below(random, random() < 0.6 ? Math.min(6, bytes.length) : bytes.length)
  const before = bytes.subarray(0, at)
  const after = bytes.subarray(at + 1)
  switch (below(random, 4)) {
    case 0:
      return Buffer.concat([before, Buffer.of(below(random, 256)), after])
    case 1:
      return Buffer.concat([before, after])
    case 2:
      return Buffer.concat([before, Buffer.of(below(random, 256)), bytes.subarray(at)])
    default:
      return before
  }
}

/** Some packets one after the other, three of four streams with damage. */
export function anyStream(random: Random): Buffer {
  const packets = Array.from({ length: 1 + below(random, 4) }, () => wellFormed(random))
  const draw = random()
  if (draw < 0.25) return Buffer.concat(packets)
  if (draw < 0.35) return anyBytes(random, 40)
  const hit = below(random, packets.length)
  return Buffer.concat(packets.map((packet, index) => (index === hit ? damaged(random, packet) : packet)))
}

/** The bytes in pieces. */
export function anyCuts(random: Random, bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + below(random, pick(random, [1, 4, 50, 500]))
    pieces.push(bytes.subarray(at, end))
    at = end
  }
  return pieces
}
