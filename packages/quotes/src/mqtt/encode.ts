/** Encoding of the four packets that a client sends. */
import { utf8Decode, utf8Encode } from '@brokerwire/core/internal'
import { type ConnectPacket, PACKET_TYPE } from './packets.ts'

/** Longest string of a packet, in bytes of UTF-8 (1.5.3). */
const MAX_STRING_BYTES = 65_535

const PROTOCOL_NAME = 'MQTT'
const LEVEL_3_1_1 = 4
/** User name, password and clean session (3.1.2.3). */
const CONNECT_FLAGS = 0b1100_0010

export const PINGREQ: Uint8Array = /* @__PURE__ */ Uint8Array.of(PACKET_TYPE.pingreq << 4, 0)
export const DISCONNECT: Uint8Array = /* @__PURE__ */ Uint8Array.of(PACKET_TYPE.disconnect << 4, 0)

/** Encodes a 16-bit integer, big-endian (1.5.2). */
const encodeUint16 = (value: number): readonly number[] => [(value >> 8) & 0xff, value & 0xff]

/** Whether a string is valid in a packet: at most 65,535 bytes, without NUL and lone surrogates (1.5.3). */
export function isMqttString(text: string): boolean {
  const bytes = utf8Encode(text)
  // Encoding replaces a lone surrogate, so the decoded string differs from `text`.
  return !text.includes('\0') && bytes.length <= MAX_STRING_BYTES && utf8Decode(bytes) === text
}

function encodeString(text: string): readonly number[] {
  const bytes = utf8Encode(text)
  return [...encodeUint16(bytes.length), ...bytes]
}

function encodeRemainingLength(length: number): readonly number[] {
  const bytes: number[] = []
  let rest = length
  do {
    const more = rest >= 0x80
    bytes.push((rest & 0x7f) | (more ? 0x80 : 0))
    rest >>= 7
  } while (rest > 0)
  return bytes
}

/** Encodes CONNECT. Its strings must be valid: {@link isMqttString}. */
export function encodeConnect(packet: ConnectPacket): Uint8Array {
  const body = [
    ...encodeString(PROTOCOL_NAME),
    LEVEL_3_1_1,
    CONNECT_FLAGS,
    ...encodeUint16(packet.keepAliveSeconds),
    ...encodeString(packet.clientId),
    ...encodeString(packet.userName),
    ...encodeString(packet.password),
  ]
  return Uint8Array.from([PACKET_TYPE.connect << 4, ...encodeRemainingLength(body.length), ...body])
}

/** Encodes PUBACK, the acknowledgement of a message with QoS 1. */
export function encodePuback(packetId: number): Uint8Array {
  return Uint8Array.from([PACKET_TYPE.puback << 4, 2, ...encodeUint16(packetId)])
}
