/**
 * Compares the decoder with mqtt-packet: the same packets, or an error of both.
 *
 * mqtt-packet accepts some bytes that the standard forbids, and packets that only clients send. Each such case is
 * listed here, with the packet that it reads. Other differences are failures.
 */
import assert from 'node:assert/strict'
import { parser as createParser, type Packet } from 'mqtt-packet'
import type { MqttFault } from '../mqtt/packets.ts'
import { type ReadPacket, readMqtt } from './read-mqtt.ts'

interface TheirReading {
  readonly packets: readonly Packet[]
  readonly error: Error | undefined
}

function readWithMqttPacket(bytes: Buffer): TheirReading {
  const packets: Packet[] = []
  let error: Error | undefined
  const parser = createParser({ protocolVersion: 4 })
  parser.on('packet', (packet: Packet) => packets.push(packet))
  parser.on('error', (failure: Error) => {
    error ??= failure
  })
  parser.parse(bytes)
  return { packets, error }
}

const ACKNOWLEDGEMENTS = ['puback', 'pubrec', 'pubrel', 'pubcomp', 'suback', 'unsuback']

function assertSame(ours: ReadPacket, theirs: Packet): void {
  switch (ours.type) {
    case 'connack':
      assert.ok(theirs.cmd === 'connack')
      assert.deepEqual([ours.sessionPresent, ours.returnCode], [theirs.sessionPresent, theirs.returnCode])
      return
    case 'publish': {
      assert.ok(theirs.cmd === 'publish')
      const { topic, qos, retain, dup, messageId, payload } = theirs
      assert.deepEqual(
        [ours.topic, ours.qos, ours.retain, ours.duplicate, ours.packetId],
        [topic, qos, retain, dup, messageId],
      )
      assert.deepEqual(Buffer.from(ours.payload), payload)
      return
    }
    case 'pingresp':
      assert.equal(theirs.cmd, 'pingresp')
      return
    default:
      assert.ok(ACKNOWLEDGEMENTS.includes(theirs.cmd), `read as another packet: ${theirs.cmd}`)
  }
}

/**
 * Whether mqtt-packet is known to accept bytes that this decoder rejects for this reason. @param theirs - The packet
 * that it read, if any.
 */
function isKnownLeniency(fault: MqttFault, theirs: Packet | undefined): boolean {
  switch (fault) {
    // The decoder rejects the first byte. mqtt-packet waits for the rest, and accepts packets of clients.
    case 'packet-type':
      return (
        theirs === undefined ||
        ['connect', 'subscribe', 'unsubscribe', 'pingreq', 'disconnect'].includes(theirs.cmd)
      )
    case 'flags':
      return theirs === undefined || (theirs.cmd === 'publish' && theirs.dup && theirs.qos === 0)
    case 'too-large':
      return theirs === undefined
    case 'topic':
      return theirs?.cmd === 'publish' && /^$|[\ufffd+#]|\0/.test(theirs.topic)
    case 'packet-id':
      return theirs?.cmd === 'publish' && theirs.messageId === 0
    case 'body': {
      if (theirs === undefined) return false
      const length = theirs.length ?? 0
      if (theirs.cmd === 'connack') return length !== 2
      if (theirs.cmd === 'pingresp') return length > 0
      // mqtt-packet reads the packet identifier from the next packet.
      return theirs.cmd === 'publish' && theirs.qos > 0 && length < 4 + Buffer.byteLength(theirs.topic)
    }
    default:
      return false
  }
}

/** Compares both decoders. @returns The kind of the result, to be counted. */
export function assertMqttParity(
  bytes: Buffer,
  pieces: readonly Buffer[],
): 'accepted' | 'rejected' | 'stricter' {
  const ours = readMqtt(pieces)
  const theirs = readWithMqttPacket(bytes)
  for (const [index, packet] of ours.packets.entries()) {
    const other = theirs.packets[index]
    // Acknowledgements without a request are not compared.
    if (other === undefined && theirs.error !== undefined && packet.type === 'other') return 'accepted'
    assert.ok(other !== undefined, `a packet that mqtt-packet does not have: ${JSON.stringify(packet)}`)
    assertSame(packet, other)
  }
  const next = theirs.packets[ours.packets.length]
  if (ours.fault === undefined) {
    assert.equal(next, undefined, 'mqtt-packet has one more packet')
    assert.equal(theirs.error, undefined, 'mqtt-packet rejects it')
    return 'accepted'
  }
  if (theirs.error !== undefined && next === undefined) return 'rejected'
  assert.ok(
    isKnownLeniency(ours.fault, next),
    `rejected (${ours.fault}), but mqtt-packet accepts: ${JSON.stringify(next)}`,
  )
  return 'stricter'
}

/**
 * Compares the packets of the whole bytes with those of single bytes, and of two chunks for each cut.
 *
 * @param twoPieces - Number of cuts.
 */
export function assertSameAtEveryCut(bytes: Buffer, twoPieces: number): void {
  const whole = readMqtt([bytes])
  assert.deepEqual(readMqtt(Array.from(bytes, (byte) => Uint8Array.of(byte))), whole, 'byte by byte')
  for (let cut = 1; cut < Math.min(bytes.length, twoPieces); cut += 1) {
    assert.deepEqual(readMqtt([bytes.subarray(0, cut), bytes.subarray(cut)]), whole, `cut before byte ${cut}`)
  }
}
