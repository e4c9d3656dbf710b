/**
 * A broker that accepts every client and sends as many blocks as the client's ClientId states. It does not
 * wait for a SUBSCRIBE packet.
 */
import { createServer, type Socket } from 'node:net'
import { type MarketSnapshot, MarketSnapshotSchema } from '@brokerwire/protos/quotes'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { drained } from '@brokerwire/testing/drained'
import { listenLocally } from '@brokerwire/testing/listen'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { generate, parser } from 'mqtt-packet'
import marketData from '../../../testdata/fixtures/market-data.json' with { type: 'json' }

/**
 * Number of symbols. It is larger than the number of messages that one read from a socket returns. Therefore
 * the buffer of the client never has two messages of the same symbol.
 */
const SYMBOLS = 1000

/** PUBLISH packets with the snapshots of the fixtures, each for another symbol. */
function snapshotBlock(): Buffer {
  const snapshots = marketData.messages
    .filter(({ topic }) => topic === 'snapshot')
    .map(({ hex }): MarketSnapshot => fromBinary(MarketSnapshotSchema, Buffer.from(hex, 'hex')))
  const packets = Array.from({ length: SYMBOLS }, (_, index) => {
    const snapshot = snapshots[index % snapshots.length] as MarketSnapshot
    if (snapshot.basic !== undefined) snapshot.basic.symbol = `S${String(index).padStart(4, '0')}`
    const payload = Buffer.from(toBinary(MarketSnapshotSchema, snapshot))
    return generate({ cmd: 'publish', topic: 'snapshot', payload, qos: 0, dup: false, retain: false })
  })
  return Buffer.concat(packets)
}

const CONNACK = Buffer.of(0x20, 2, 0, 0)
const PINGRESP = Buffer.of(0xd0, 0)
const block = snapshotBlock()

async function push(socket: Socket, blocks: number): Promise<void> {
  for (let sent = 0; sent < blocks && !socket.destroyed; sent += 1) {
    if (!socket.write(block)) await drained(socket)
  }
}

const server = createServer({ noDelay: true }, (socket) => {
  const packets = parser({ protocolVersion: 4 })
  socket.on('data', (bytes) => packets.parse(bytes))
  packets.on('packet', (packet) => {
    if (packet.cmd === 'pingreq') socket.write(PINGRESP)
    if (packet.cmd !== 'connect') return
    socket.write(CONNACK)
    void push(socket, Number.parseInt(packet.clientId, 10))
  })
})

const commands = { listen: async () => ({ port: (await listenLocally(server)).port, symbols: SYMBOLS }) }
export type ServerCommands = typeof commands
serveCalls(commands)
