/**
 * A streaming decoder of MQTT packets.
 *
 * Complete packets are read in place. An incomplete packet is copied and completed later. At most one packet
 * is buffered. Its length is checked before its body is buffered.
 */
import { type MqttFault, type MqttPacket, PACKET_TYPE } from './packets.ts'
import { TopicCache } from './topic-cache.ts'

/** The longest header: one byte of type and flags, and four bytes of length (2.2). */
const MAX_HEADER_BYTES = 5
const INITIAL_PARTIAL_BYTES = 512

const {
  connack: CONNACK,
  publish: PUBLISH,
  puback: PUBACK,
  pubrec: PUBREC,
  pubrel: PUBREL,
  pubcomp: PUBCOMP,
} = PACKET_TYPE
const { suback: SUBACK, unsuback: UNSUBACK, pingresp: PINGRESP } = PACKET_TYPE

/** Checks type and flags of a packet. Returns the fault, if there is one. */
function firstByteFault(first: number): MqttFault | undefined {
  const flags = first & 0x0f
  switch (first >> 4) {
    case PUBLISH: {
      const qos = (flags >> 1) & 3
      return qos === 3 || (qos === 0 && (flags & 8) !== 0) ? 'flags' : undefined
    }
    case PUBREL:
      return flags === 2 ? undefined : 'flags'
    case CONNACK:
    case PUBACK:
    case PUBREC:
    case PUBCOMP:
    case SUBACK:
    case UNSUBACK:
    case PINGRESP:
      return flags === 0 ? undefined : 'flags'
    default:
      return 'packet-type'
  }
}

/** Decodes the bytes of one connection. */
export class MqttDecoder {
  readonly #maxPacketBytes: number
  readonly #topics = new TopicCache()
  #fault: MqttFault | undefined
  /** Beginning of an incomplete packet. */
  #partial = new Uint8Array(0)
  #partialBytes = 0
  /** Lengths of the packet whose header was read last. */
  #headerBytes = 0
  #bodyBytes = 0

  /** @param maxPacketBytes - Longest packet that is accepted, without its header. */
  constructor(maxPacketBytes: number) {
    this.#maxPacketBytes = maxPacketBytes
  }

  /**
   * Decodes `input` and calls `onPacket` with each complete packet, in order. The bytes of a PUBLISH are valid during that
   * call only.
   *
   * @returns The reason if the bytes are malformed. Later calls return it too and decode nothing.
   */
  read(input: Uint8Array, onPacket: (packet: MqttPacket) => void): MqttFault | undefined {
    // A plain Uint8Array is used, because `slice` of Node's Buffer does not copy, and its methods are slower.
    const chunk = new Uint8Array(input.buffer, input.byteOffset, input.length)
    let at = this.#partialBytes === 0 ? 0 : this.#completePartial(chunk, onPacket)
    while (this.#fault === undefined && at < chunk.length) {
      if (!this.#readHeader(chunk, at, chunk.length)) {
        if (this.#fault === undefined) this.#appendPartial(chunk, at, chunk.length)
        break
      }
      const body = at + this.#headerBytes
      const end = body + this.#bodyBytes
      if (end > chunk.length) {
        this.#appendPartial(chunk, at, chunk.length)
        break
      }
      this.#readBody(chunk, chunk[at] as number, body, end, onPacket)
      at = end
    }
    return this.#fault
  }

  /** Completes the partial packet. @returns The index in `chunk` after that packet. */
  #completePartial(chunk: Uint8Array, onPacket: (packet: MqttPacket) => void): number {
    let at = 0
    while (this.#fault === undefined && at < chunk.length) {
      if (!this.#readHeader(this.#partial, 0, this.#partialBytes)) {
        if (this.#fault !== undefined) break
        this.#appendPartial(chunk, at, at + 1)
        at += 1
        // This byte may complete the header, and also the packet.
        if (!this.#readHeader(this.#partial, 0, this.#partialBytes)) continue
      }
      const length = this.#headerBytes + this.#bodyBytes
      const taken = Math.min(length - this.#partialBytes, chunk.length - at)
      this.#appendPartial(chunk, at, at + taken)
      at += taken
      if (this.#partialBytes < length) break
      this.#partialBytes = 0
      // A new view is made each time, because SlabAllocator identifies its source by the object.
      const packet = this.#partial.subarray(0, length)
      this.#readBody(packet, packet[0] as number, this.#headerBytes, length, onPacket)
      // Releases the memory of a long packet.
      if (this.#partial.length > INITIAL_PARTIAL_BYTES) this.#partial = new Uint8Array(0)
      break
    }
    return at
  }

  /** @returns Whether the header is complete and valid. */
  #readHeader(bytes: Uint8Array, start: number, end: number): boolean {
    if (start >= end) return false
    this.#fault = firstByteFault(bytes[start] as number)
    if (this.#fault !== undefined) return false
    let length = 0
    for (let index = 1; index < MAX_HEADER_BYTES; index += 1) {
      if (start + index >= end) return false
      const byte = bytes[start + index] as number
      length |= (byte & 0x7f) << (7 * (index - 1))
      if (byte >= 0x80) continue
      if (length > this.#maxPacketBytes) this.#fault = 'too-large'
      this.#headerBytes = index + 1
      this.#bodyBytes = length
      return this.#fault === undefined
    }
    this.#fault = 'length'
    return false
  }

  #appendPartial(bytes: Uint8Array, start: number, end: number): void {
    const held = this.#partialBytes + end - start
    if (held > this.#partial.length) {
      const longer = new Uint8Array(Math.max(INITIAL_PARTIAL_BYTES, this.#partial.length * 2, held))
      longer.set(this.#partial.subarray(0, this.#partialBytes))
      this.#partial = longer
    }
    this.#partial.set(bytes.subarray(start, end), this.#partialBytes)
    this.#partialBytes = held
  }

  #readBody(
    bytes: Uint8Array,
    first: number,
    start: number,
    end: number,
    onPacket: (packet: MqttPacket) => void,
  ): void {
    const packetType = first >> 4
    switch (packetType) {
      case PUBLISH:
        this.#readPublish(bytes, first, start, end, onPacket)
        return
      case CONNACK: {
        const flags = bytes[start] as number
        // Bits 1 to 7 of the first byte are reserved (3.2.2.1).
        if (end - start === 2 && flags <= 1) {
          onPacket({ type: 'connack', sessionPresent: flags === 1, returnCode: bytes[start + 1] as number })
        } else this.#fault = 'body'
        return
      }
      case PINGRESP:
        if (end === start) onPacket({ type: 'pingresp' })
        else this.#fault = 'body'
        return
      default:
        onPacket({ type: 'other', packetType })
    }
  }

  #readPublish(
    bytes: Uint8Array,
    first: number,
    start: number,
    end: number,
    onPacket: (packet: MqttPacket) => void,
  ): void {
    const topicStart = start + 2
    const topicEnd = topicStart + (((bytes[start] as number) << 8) | (bytes[start + 1] as number))
    const qos = ((first >> 1) & 3) as 0 | 1 | 2
    const payload = qos === 0 ? topicEnd : topicEnd + 2
    if (topicStart > end || payload > end) {
      this.#fault = 'body'
      return
    }
    const topic = this.#topics.decode(bytes, topicStart, topicEnd)
    const packetId =
      qos === 0 ? undefined : ((bytes[topicEnd] as number) << 8) | (bytes[topicEnd + 1] as number)
    if (topic === undefined) this.#fault = 'topic'
    else if (packetId === 0) this.#fault = 'packet-id'
    else {
      const retain = (first & 1) !== 0
      const duplicate = (first & 8) !== 0
      onPacket({ type: 'publish', topic, qos, retain, duplicate, packetId, bytes, start: payload, end })
    }
  }
}
