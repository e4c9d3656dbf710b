/** An HTTP/2 server on bare TCP whose every byte is the attack's: it reads frames, and writes whatever it is told. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { FRAME, type Frame, frame } from '../../../packages/streams/src/test/transport/wire-server.ts'

/** A client's connection. */
export interface RawConnection {
  readonly socket: Socket
  write(...bytes: readonly Uint8Array[]): void
  /** The client acknowledged a PING with these eight bytes. */
  acknowledged(payload: Uint8Array): Promise<void>
  /** The client gave the connection up: it sent GOAWAY with an error, or closed its side. */
  readonly givenUp: Promise<void>
}

/** What a server does with a connection. */
export interface Http2Script {
  /** Before anything was read. @defaultValue an empty SETTINGS frame */
  onConnection?(connection: RawConnection): void
  /** A request has ended. */
  onRequest(connection: RawConnection, stream: number): void
}

/** The server. */
export interface RawHttp2Server {
  readonly url: string
  script: Http2Script
  close(): Promise<void>
}

const PREFACE_BYTES = 24
const HEAD_BYTES = 9
const ACK = 1
const END_STREAM = 1

/** Starts a server on 127.0.0.1. */
export async function startRawHttp2(script: Http2Script): Promise<RawHttp2Server> {
  const sockets = new Set<Socket>()
  // Its own side stays open when the client ends its: what hangs then is the client's.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    serve(socket, running.script)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const running: RawHttp2Server = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    script,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return running
}

function serve(socket: Socket, script: Http2Script): void {
  const waiting = new Map<string, () => void>()
  let giveUp: () => void = () => {}
  const connection: RawConnection = {
    socket,
    write(...bytes) {
      if (!socket.destroyed && !socket.writableEnded) socket.write(Buffer.concat(bytes))
    },
    acknowledged: (payload) =>
      new Promise((resolve) => waiting.set(Buffer.from(payload).toString('hex'), resolve)),
    givenUp: new Promise((resolve) => {
      giveUp = resolve
    }),
  }
  const see = ({ type, flags, stream, payload }: Frame): void => {
    const isAck = (flags & ACK) !== 0
    if (type === FRAME.settings && !isAck) connection.write(frame(FRAME.settings, ACK, 0))
    if (type === FRAME.ping && !isAck) connection.write(frame(FRAME.ping, ACK, 0, payload))
    if (type === FRAME.ping && isAck) waiting.get(payload.toString('hex'))?.()
    if (type === FRAME.goaway && payload.length >= 8 && payload.readUInt32BE(4) !== 0) giveUp()
    if (type <= FRAME.headers && (flags & END_STREAM) !== 0) script.onRequest(connection, stream)
  }
  let rest = Buffer.alloc(0)
  let skipped = 0
  socket.on('end', giveUp).on('close', giveUp)
  socket.on('data', (chunk: Buffer) => {
    const skip = Math.min(PREFACE_BYTES - skipped, chunk.length)
    skipped += skip
    rest = Buffer.concat([rest, chunk.subarray(skip)])
    while (rest.length >= HEAD_BYTES && rest.length >= HEAD_BYTES + rest.readUIntBE(0, 3)) {
      const end = HEAD_BYTES + rest.readUIntBE(0, 3)
      const received = {
        type: rest[3] ?? 0,
        flags: rest[4] ?? 0,
        stream: rest.readUInt32BE(5) & 0x7f_ff_ff_ff,
        payload: rest.subarray(HEAD_BYTES, end),
      }
      rest = rest.subarray(end)
      see(received)
    }
  })
  if (script.onConnection === undefined) connection.write(frame(FRAME.settings, 0, 0))
  else script.onConnection(connection)
}
