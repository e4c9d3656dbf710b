/**
 * Holds the decoder against mqtt-packet: the same packets, or an error where it is one.
 *
 * mqtt-packet reads leniently what the standard forbids, and reads a broker's bytes as a client's too. Each reason for which
 * ours refuses what it takes stands here, with what the packet must look like: nothing else may differ.
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

/** Whether mqtt-packet is known to take what ours refuses for this reason. @param theirs - The packet that it read, if any. */
function isKnownLeniency(fault: MqttFault, theirs: Packet | undefined): boolean {
  switch (fault) {
    // At the first byte: mqtt-packet waits for the rest, and takes what clients send.
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
      // It reads the packet identifier in the next packet.
      return theirs.cmd === 'publish' && theirs.qos > 0 && length < 4 + Buffer.byteLength(theirs.topic)
    }
    default:
      return false
  }
}

/** @returns How it went, to be counted. */
export function assertMqttParity(bytes: Buffer, pieces: readonly Buffer[]): 'taken' | 'refused' | 'stricter' {
  const ours = readMqtt(pieces)
  const theirs = readWithMqttPacket(bytes)
  for (const [index, packet] of ours.packets.entries()) {
    const other = theirs.packets[index]
    // Packets that acknowledge nothing are not compared.
    if (other === undefined && theirs.error !== undefined && packet.type === 'other') return 'taken'
    assert.ok(other !== undefined, `a packet that mqtt-packet does not have: ${JSON.stringify(packet)}`)
    assertSame(packet, other)
  }
  const next = theirs.packets[ours.packets.length]
  if (ours.fault === undefined) {
    assert.equal(next, undefined, 'mqtt-packet has a packet more')
    assert.equal(theirs.error, undefined, 'mqtt-packet refuses it')
    return 'taken'
  }
  if (theirs.error !== undefined && next === undefined) return 'refused'
  assert.ok(
    isKnownLeniency(ours.fault, next),
    `refused (${ours.fault}) what mqtt-packet takes: ${JSON.stringify(next)}`,
  )
  return 'stricter'
}

/**
 * Byte by byte, and cut in two before each byte: what is read is what is read of all at once.
 *
 * @param twoPieces - How many places it is cut in two at.
 */
export function assertSameAtEveryCut(bytes: Buffer, twoPieces: number): void {
  const whole = readMqtt([bytes])
  assert.deepEqual(readMqtt(Array.from(bytes, (byte) => Uint8Array.of(byte))), whole, 'byte by byte')
  for (let cut = 1; cut < Math.min(bytes.length, twoPieces); cut += 1) {
    assert.deepEqual(readMqtt([bytes.subarray(0, cut), bytes.subarray(cut)]), whole, `cut before byte ${cut}`)
  }
}
