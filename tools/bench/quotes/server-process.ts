/** A broker that accepts every client and pushes as many blocks as its ClientId names: no packet asks for them. */
import { createServer, type Socket } from 'node:net'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { drained } from '@brokerwire/testing/drained'
import { listenLocally } from '@brokerwire/testing/listen'
import { parser } from 'mqtt-packet'
import { SYMBOLS, snapshotBlock } from './service.ts'

const CONNACK = Buffer.of(0x20, 2, 0, 0)
const PINGRESP = Buffer.of(0xd0, 0)
const block = snapshotBlock(SYMBOLS)

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

const commands = { listen: async (): Promise<number> => (await listenLocally(server)).port }
export type ServerCommands = typeof commands
serveCalls(commands)
