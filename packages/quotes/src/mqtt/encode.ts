/** The four packets that go out, as bytes. */
import { utf8Decode, utf8Encode } from '@brokerwire/core/internal'
import { type ConnectPacket, PACKET_TYPE } from './packets.ts'

/** The longest text of a packet, in bytes of UTF-8 (1.5.3). */
const MAX_TEXT_BYTES = 65_535

const PROTOCOL_NAME = 'MQTT'
const LEVEL_3_1_1 = 4
/** A user name, a password, a clean session (3.1.2.3). */
const CONNECT_FLAGS = 0b1100_0010

export const PINGREQ: Uint8Array = /* @__PURE__ */ Uint8Array.of(PACKET_TYPE.pingreq << 4, 0)
export const DISCONNECT: Uint8Array = /* @__PURE__ */ Uint8Array.of(PACKET_TYPE.disconnect << 4, 0)

/** Two bytes, the higher one first (1.5.2). */
const twoBytes = (value: number): readonly number[] => [(value >> 8) & 0xff, value & 0xff]

/** Whether a text can stand in a packet: short enough, without NUL and without half a surrogate pair (1.5.3). */
export function isMqttText(text: string): boolean {
  const bytes = utf8Encode(text)
  // Half a pair becomes another character on the way to bytes.
  return !text.includes('\0') && bytes.length <= MAX_TEXT_BYTES && utf8Decode(bytes) === text
}

function textBytes(text: string): readonly number[] {
  const bytes = utf8Encode(text)
  return [...twoBytes(bytes.length), ...bytes]
}

function remainingLength(length: number): readonly number[] {
  const bytes: number[] = []
  let rest = length
  do {
    const more = rest >= 0x80
    bytes.push((rest & 0x7f) | (more ? 0x80 : 0))
    rest >>= 7
  } while (rest > 0)
  return bytes
}

/** CONNECT. Its texts have passed {@link isMqttText}. */
export function encodeConnect(packet: ConnectPacket): Uint8Array {
  const body = [
    ...textBytes(PROTOCOL_NAME),
    LEVEL_3_1_1,
    CONNECT_FLAGS,
    ...twoBytes(packet.keepAliveSeconds),
    ...textBytes(packet.clientId),
    ...textBytes(packet.userName),
    ...textBytes(packet.password),
  ]
  return Uint8Array.from([PACKET_TYPE.connect << 4, ...remainingLength(body.length), ...body])
}

/** PUBACK: a message with QoS 1 was taken. */
export function encodePuback(packetId: number): Uint8Array {
  return Uint8Array.from([PACKET_TYPE.puback << 4, 2, ...twoBytes(packetId)])
}
