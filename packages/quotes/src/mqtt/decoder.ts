/**
 * Bytes in, packets out, wherever the bytes are cut.
 *
 * What came whole is read where it lies. Of a packet that is cut, the beginning is copied and completed: no more than one
 * packet is ever held, and its length is known to be within the bound before its body is waited for.
 */
import { type MqttFault, type MqttPacket, PACKET_TYPE } from './packets.ts'
import { TopicNames } from './topic-names.ts'

/** The header's first byte and at most four bytes of length (2.2). */
const MAX_HEADER_BYTES = 5
const FIRST_CARRY_BYTES = 512

const {
  connack: CONNACK,
  publish: PUBLISH,
  puback: PUBACK,
  pubrec: PUBREC,
  pubrel: PUBREL,
  pubcomp: PUBCOMP,
} = PACKET_TYPE
const { suback: SUBACK, unsuback: UNSUBACK, pingresp: PINGRESP } = PACKET_TYPE

/** What the first byte of a packet says against it. */
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

/** Reads what a broker sends over one connection. */
export class MqttDecoder {
  readonly #maxPacketBytes: number
  readonly #topics = new TopicNames()
  #fault: MqttFault | undefined
  /** The beginning of a packet that was cut. */
  #carry = new Uint8Array(0)
  #held = 0
  /** Of the packet whose header was read last. */
  #headerBytes = 0
  #bodyBytes = 0

  /** @param maxPacketBytes - The longest packet that is taken, its header aside. */
  constructor(maxPacketBytes: number) {
    this.#maxPacketBytes = maxPacketBytes
  }

  /**
   * Reads `given` and hands over each packet that is whole now, in order. The bytes of a PUBLISH are valid within the
   * call of `take`.
   *
   * @returns Why the bytes are no packets, from then on for every call; nothing more is handed over.
   */
  read(given: Uint8Array, take: (packet: MqttPacket) => void): MqttFault | undefined {
    // No subclass: Node's buffers cut and copy in ways of their own, and more slowly.
    const chunk = new Uint8Array(given.buffer, given.byteOffset, given.length)
    let at = this.#held === 0 ? 0 : this.#complete(chunk, take)
    while (this.#fault === undefined && at < chunk.length) {
      if (!this.#readHeader(chunk, at, chunk.length)) {
        if (this.#fault === undefined) this.#hold(chunk, at, chunk.length)
        break
      }
      const body = at + this.#headerBytes
      const end = body + this.#bodyBytes
      if (end > chunk.length) {
        this.#hold(chunk, at, chunk.length)
        break
      }
      this.#readBody(chunk, chunk[at] as number, body, end, take)
      at = end
    }
    return this.#fault
  }

  /** @returns Where in `chunk` the packet ends that was cut before. */
  #complete(chunk: Uint8Array, take: (packet: MqttPacket) => void): number {
    let at = 0
    while (this.#fault === undefined && at < chunk.length) {
      if (!this.#readHeader(this.#carry, 0, this.#held)) {
        if (this.#fault !== undefined) break
        this.#hold(chunk, at, at + 1)
        at += 1
        // The header may end with this very byte, and the packet with its header.
        if (!this.#readHeader(this.#carry, 0, this.#held)) continue
      }
      const length = this.#headerBytes + this.#bodyBytes
      const taken = Math.min(length - this.#held, chunk.length - at)
      this.#hold(chunk, at, at + taken)
      at += taken
      if (this.#held < length) break
      this.#held = 0
      // A view of its own each time: who is handed bytes may know them by their object.
      const packet = this.#carry.subarray(0, length)
      this.#readBody(packet, packet[0] as number, this.#headerBytes, length, take)
      // A carry that a long packet needed would be kept for good.
      if (this.#carry.length > FIRST_CARRY_BYTES) this.#carry = new Uint8Array(0)
      break
    }
    return at
  }

  /** @returns Whether the header is there; where not, it is cut or at fault. */
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

  #hold(bytes: Uint8Array, start: number, end: number): void {
    const held = this.#held + end - start
    if (held > this.#carry.length) {
      const longer = new Uint8Array(Math.max(FIRST_CARRY_BYTES, this.#carry.length * 2, held))
      longer.set(this.#carry.subarray(0, this.#held))
      this.#carry = longer
    }
    this.#carry.set(bytes.subarray(start, end), this.#held)
    this.#held = held
  }

  #readBody(
    bytes: Uint8Array,
    first: number,
    start: number,
    end: number,
    take: (packet: MqttPacket) => void,
  ): void {
    const packetType = first >> 4
    switch (packetType) {
      case PUBLISH:
        this.#readPublish(bytes, first, start, end, take)
        return
      case CONNACK: {
        const flags = bytes[start] as number
        // Only bit 0 of the first byte is no reserved one (3.2.2.1).
        if (end - start === 2 && flags <= 1) {
          take({ type: 'connack', sessionPresent: flags === 1, returnCode: bytes[start + 1] as number })
        } else this.#fault = 'body'
        return
      }
      case PINGRESP:
        if (end === start) take({ type: 'pingresp' })
        else this.#fault = 'body'
        return
      default:
        take({ type: 'other', packetType })
    }
  }

  #readPublish(
    bytes: Uint8Array,
    first: number,
    start: number,
    end: number,
    take: (packet: MqttPacket) => void,
  ): void {
    const topicStart = start + 2
    const topicEnd = topicStart + (((bytes[start] as number) << 8) | (bytes[start + 1] as number))
    const qos = ((first >> 1) & 3) as 0 | 1 | 2
    const payload = qos === 0 ? topicEnd : topicEnd + 2
    if (topicStart > end || payload > end) {
      this.#fault = 'body'
      return
    }
    const topic = this.#topics.read(bytes, topicStart, topicEnd)
    const packetId =
      qos === 0 ? undefined : ((bytes[topicEnd] as number) << 8) | (bytes[topicEnd + 1] as number)
    if (topic === undefined) this.#fault = 'topic'
    else if (packetId === 0) this.#fault = 'packet-id'
    else {
      const retain = (first & 1) !== 0
      const duplicate = (first & 8) !== 0
      take({ type: 'publish', topic, qos, retain, duplicate, packetId, bytes, start: payload, end })
    }
  }
}
