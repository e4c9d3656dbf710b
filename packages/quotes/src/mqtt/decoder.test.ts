/** The decoder: each kind of packet, cut at every byte. */
import { describe, expect, test } from 'vitest'
import { readMqtt } from '../test/read-mqtt.ts'
import { MqttDecoder } from './decoder.ts'
import { isMqttString } from './encode.ts'

/** Bytes from hexadecimal digits. Spaces are ignored. */
function hex(text: string): Uint8Array {
  const digits = text.replaceAll(' ', '')
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
    Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16),
  )
}

/** A PUBLISH of the topic `tick` with a payload of this length in bytes. */
function tick(payloadBytes: number): Uint8Array {
  const length = 6 + payloadBytes
  const lengthBytes = length < 0x80 ? [length] : length < 0x4000 ? [(length & 0x7f) | 0x80, length >> 7] : []
  if (lengthBytes.length === 0) throw new RangeError('longer than two bytes of length say')
  const head = [0x30, ...lengthBytes, 0, 4, 0x74, 0x69, 0x63, 0x6b]
  return Uint8Array.from([...head, ...Array.from({ length: payloadBytes }, (_, at) => at & 0xff)])
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}

const SESSION = joined(
  hex('20 02 00 00'),
  tick(0),
  tick(3),
  tick(300),
  hex('3b 09 00 04 7469636b 1234 07'),
  hex('d0 00'),
  hex('90 03 0001 00'),
  tick(130),
)

describe('packets cut at every byte', () => {
  const whole = readMqtt([SESSION])

  test('decodes an uncut stream', () => {
    expect(whole.fault).toBeUndefined()
    expect(
      whole.packets.map((packet) => (packet.type === 'publish' ? packet.payload.length : packet.type)),
    ).toEqual(['connack', 0, 3, 300, 1, 'pingresp', 'other', 130])
    expect(whole.packets[4]).toMatchObject({
      topic: 'tick',
      qos: 1,
      duplicate: true,
      retain: true,
      packetId: 0x1234,
    })
  })

  test('decodes every cut into two chunks', () => {
    for (let cut = 0; cut <= SESSION.length; cut += 1) {
      expect(readMqtt([SESSION.subarray(0, cut), SESSION.subarray(cut)])).toEqual(whole)
    }
  })

  test('decodes single bytes, and chunks of each size', () => {
    for (let size = 1; size <= 20; size += 1) {
      const pieces: Uint8Array[] = []
      for (let at = 0; at < SESSION.length; at += size) pieces.push(SESSION.subarray(at, at + size))
      expect(readMqtt(pieces)).toEqual(whole)
    }
  })

  test('waits for the rest of an incomplete packet without a fault', () => {
    for (let cut = 0; cut < tick(5).length; cut += 1) {
      expect(readMqtt([tick(5).subarray(0, cut)])).toEqual({ packets: [], fault: undefined })
    }
  })
})

describe('malformed packets', () => {
  test.each([
    ['packet type 0', '00 00', 'packet-type'],
    ['packet type 15', 'f0 00', 'packet-type'],
    ['CONNECT', '10 00', 'packet-type'],
    ['SUBSCRIBE', '82 00', 'packet-type'],
    ['PINGREQ', 'c0 00', 'packet-type'],
    ['DISCONNECT', 'e0 00', 'packet-type'],
    ['an HTTP answer', '48 54 54 50', 'flags'],
    ['a TLS alert', '15 03 03 00 02', 'packet-type'],
    ['QoS 3', '36 08 0001 78 0001', 'flags'],
    ['a repeat with QoS 0', '38 03 0001 78', 'flags'],
    ['flags of CONNACK', '21 02 0000', 'flags'],
    ['flags of PINGRESP', 'd1 00', 'flags'],
    ['PUBREL without its flags', '60 02 0001', 'flags'],
    ['a length of five bytes', '30 ff ff ff ff 01', 'length'],
    ['a length of 1 MiB and one byte', '30 81 80 40', 'too-large'],
    ['CONNACK of one byte', '20 01 00', 'body'],
    ['CONNACK of three bytes', '20 03 00 00 00', 'body'],
    ['reserved bits of CONNACK', '20 02 02 00', 'body'],
    ['PINGRESP with a body', 'd0 01 00', 'body'],
    ['a PUBLISH without a topic', '30 00', 'body'],
    ['a PUBLISH with half a length of its topic', '30 01 00', 'body'],
    ['a topic longer than the packet', '30 04 0003 7878', 'body'],
    ['no space for a packet identifier', '32 04 0001 78 00', 'body'],
    ['packet identifier 0', '32 05 0001 78 0000', 'packet-id'],
    ['an empty topic', '30 02 0000', 'topic'],
    ['a topic that is not UTF-8', '30 03 0001 ff', 'topic'],
    ['a topic with a surrogate', '30 05 0003 eda080', 'topic'],
    ['a topic with an overlong character', '30 04 0002 c080', 'topic'],
    ['a topic with a NUL', '30 04 0002 7800', 'topic'],
    ['a topic with a wildcard', '30 03 0001 23', 'topic'],
    ['a topic with another wildcard', '30 05 0003 61 2f 2b', 'topic'],
  ])('%s', (_, bytes, fault) => {
    expect(readMqtt([hex(bytes)])).toEqual({ packets: [], fault })
    // Also byte by byte, between two valid packets: the decoder reads nothing after a fault.
    const all = joined(tick(1), hex(bytes), tick(2))
    const read = readMqtt([...all].map((byte) => Uint8Array.of(byte)))
    expect(read.packets).toHaveLength(1)
    expect(read.fault).toBe(fault)
  })
})

describe('unusual valid packets', () => {
  test.each([
    ['a length in more bytes than it needs', '30 86 80 00 0004 7469636b', 'publish'],
    ['a session that the broker still has', '20 02 01 00', 'connack'],
    ['a return code beyond the standard', '20 02 00 69', 'connack'],
    ['an acknowledgement of nothing', '40 02 0001', 'other'],
    ['a topic with a byte order mark', '30 06 0004 efbbbf78', 'publish'],
  ])('%s', (_, bytes, type) => {
    expect(readMqtt([hex(bytes)])).toMatchObject({ packets: [{ type }], fault: undefined })
  })

  test('accepts the longest packet, and rejects one byte more', () => {
    const packet = tick(100)
    const body = packet.length - 2
    expect(readMqtt([packet], body).packets).toHaveLength(1)
    expect(readMqtt([packet], body - 1)).toEqual({ packets: [], fault: 'too-large' })
  })

  test('decodes more topics than the cache holds', () => {
    const topics = Array.from({ length: 100 }, (_, index) => `t${index}`)
    const bytes = topics.flatMap((topic) => [
      0x30,
      2 + topic.length,
      0,
      topic.length,
      ...new TextEncoder().encode(topic),
    ])
    const { packets } = readMqtt([Uint8Array.from([...bytes, ...bytes])])
    expect(packets.map((packet) => (packet.type === 'publish' ? packet.topic : packet.type))).toEqual([
      ...topics,
      ...topics,
    ])
  })
})

test('checks the length of a packet before it buffers the body', () => {
  const decoder = new MqttDecoder(1000)
  const never = (): never => {
    throw new Error('no packet is whole')
  }
  expect(decoder.read(hex('30 ff ff ff 7f'), never)).toBe('too-large')
  expect(decoder.read(new Uint8Array(1 << 20), never)).toBe('too-large')
})

test('rejects a lone surrogate, a NUL and 65,536 bytes in a string', () => {
  expect(['a', '', '\u20ac', '\u{1f600}', 'x'.repeat(65_535)].map(isMqttString)).toEqual([
    true,
    true,
    true,
    true,
    true,
  ])
  expect(['\ud800', 'a\udc00', 'a\0', 'x'.repeat(65_536), '\u20ac'.repeat(22_000)].map(isMqttString)).toEqual(
    Array.from({ length: 5 }, () => false),
  )
})
