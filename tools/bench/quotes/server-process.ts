/**
 * A broker of the bench, in a process of its own. It accepts whoever connects, and pushes as many blocks as the ClientId says,
 * because the service's pushes are asked for by no packet.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { parser } from 'mqtt-packet'
import { SYMBOLS, snapshotBlock } from './service.ts'

const CONNACK = Buffer.of(0x20, 2, 0, 0)
const PINGRESP = Buffer.of(0xd0, 0)
const block = snapshotBlock(process.argv[2] ?? '.', SYMBOLS)

function push(socket: Socket, blocks: number): void {
  let left = blocks
  const go = (): void => {
    while (left > 0) {
      left -= 1
      if (!socket.write(block)) return
    }
    socket.off('drain', go)
  }
  socket.on('drain', go)
  go()
}

const server = createServer({ noDelay: true }, (socket) => {
  const packets = parser({ protocolVersion: 4 })
  socket.on('data', (bytes) => packets.parse(bytes))
  // Who has received all breaks the connection off.
  socket.on('error', () => socket.destroy())
  packets.on('packet', (packet) => {
    if (packet.cmd === 'pingreq') socket.write(PINGRESP)
    if (packet.cmd !== 'connect') return
    socket.write(CONNACK)
    push(socket, Number.parseInt(packet.clientId, 10))
  })
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit())
