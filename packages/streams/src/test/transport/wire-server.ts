/**
 * HTTP/2 written by hand over `node:net`, for what no HTTP/2 library would send. It reads just as much of the client's
 * frames as it takes to answer at the right moment, and to tell how the client ended a stream or the connection.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** RFC 9113, section 6. */
export const FRAME = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

const END_STREAM = 1
export const ACK = 1
const END_HEADERS = 4
export const PREFACE_BYTES = 24
export const HEAD_BYTES = 9

/** One frame. */
export interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

/** A frame's bytes. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** Fields for HEADERS, as literals that enter no table (RFC 7541, section 6.2.2). */
export function fieldBlock(fields: Readonly<Record<string, string>>): Buffer {
  const text = (value: string): Buffer => {
    const bytes = Buffer.from(value, 'latin1')
    if (bytes.length > 126) throw new Error('too long for one byte of length')
    return Buffer.concat([Buffer.from([bytes.length]), bytes])
  }
  return Buffer.concat(
    Object.entries(fields).map(([name, value]) => Buffer.concat([Buffer.from([0]), text(name), text(value)])),
  )
}

/** What a script has in its hands once the client's request is there. */
export interface WireCall {
  readonly stream: number
  readonly socket: Socket
  /** Writes frames, all at once. */
  write(...frames: readonly Buffer[]): void
  headers(fields: Readonly<Record<string, string>>, end?: boolean): Buffer
  data(bytes: Uint8Array, end?: boolean): Buffer
}

/** Answers a request. */
export type Script = (call: WireCall) => void

/** The server. */
export interface WireServer {
  readonly url: string
  readonly port: number
  /** The next frame of this type from the client, an acknowledgement excepted: from any connection, or from this one. */
  next(type: number, from?: Socket): Promise<Frame>
  /** Resolves when a client has connected. */
  readonly connected: Promise<void>
  /** Resolves when the client's connection is gone. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** What a gRPC response begins with. */
export const GRPC_HEAD = { ':status': '200', 'content-type': 'application/grpc' }

/** What it does with a connection, before the client has said anything. */
export interface Greeting {
  /** @defaultValue an empty SETTINGS frame */
  readonly greeting?: Buffer
  /** Keeps its side of the connection open when the client ends its own. */
  readonly stubborn?: boolean
  /** Never answers a PING. */
  readonly ignorePings?: boolean
  /** Accepts connections, and that is all. */
  readonly mute?: boolean
}

/** Starts it on 127.0.0.1. The script runs once the client ended a request. */
export async function startWireServer(script: Script, options: Greeting = {}): Promise<WireServer> {
  const greeting = options.greeting ?? frame(FRAME.settings, 0, 0)
  const sockets = new Set<Socket>()
  const seen: { readonly received: Frame; readonly socket: Socket }[] = []
  const waiters: { type: number; from: Socket | undefined; resolve(frame: Frame): void }[] = []
  let onGone: (() => void) | undefined
  let onThere: (() => void) | undefined
  const connected = new Promise<void>((resolve) => {
    onThere = resolve
  })
  const closed = new Promise<void>((resolve) => {
    onGone = resolve
  })
  const see = (received: Frame, socket: Socket): void => {
    if (received.type === FRAME.settings && (received.flags & ACK) === 0) {
      socket.write(frame(FRAME.settings, ACK, 0))
    }
    if (received.type === FRAME.ping && (received.flags & ACK) === 0 && options.ignorePings !== true) {
      socket.write(frame(FRAME.ping, ACK, 0, received.payload))
    }
    if (received.type <= FRAME.headers && (received.flags & END_STREAM) !== 0) {
      script(callOf(received.stream, socket))
    }
    // As every server does: after this the client hears nothing more.
    if (received.type === FRAME.goaway && received.payload.readUInt32BE(4) !== 0 && options.stubborn !== true)
      socket.end()
    const at = waiters.findIndex(({ type, from = socket }) => type === received.type && from === socket)
    if (at === -1) seen.push({ received, socket })
    else waiters.splice(at, 1)[0]?.resolve(received)
  }
  const server = createServer({ allowHalfOpen: options.stubborn === true }, (socket) => {
    sockets.add(socket)
    onThere?.()
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      onGone?.()
    })
    if (options.mute === true) {
      socket.resume()
      return
    }
    socket.write(greeting)
    let rest = Buffer.alloc(0)
    let skipped = false
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk])
      if (!skipped) {
        if (rest.length < PREFACE_BYTES) return
        rest = rest.subarray(PREFACE_BYTES)
        skipped = true
      }
      while (rest.length >= HEAD_BYTES && rest.length >= HEAD_BYTES + rest.readUIntBE(0, 3)) {
        const end = HEAD_BYTES + rest.readUIntBE(0, 3)
        const [type, flags] = [rest[3] as number, rest[4] as number]
        const stream = rest.readUInt32BE(5) & 0x7f_ff_ff_ff
        const payload = rest.subarray(HEAD_BYTES, end)
        rest = rest.subarray(end)
        see({ type, flags, stream, payload }, socket)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    connected,
    closed,
    next(type, from) {
      const at = seen.findIndex(
        ({ received, socket }) => received.type === type && (from ?? socket) === socket,
      )
      const one = at === -1 ? undefined : seen.splice(at, 1)[0]
      if (one !== undefined) return Promise.resolve(one.received)
      return new Promise((resolve) => waiters.push({ type, from, resolve }))
    },
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function callOf(stream: number, socket: Socket): WireCall {
  return {
    stream,
    socket,
    write(...frames) {
      socket.write(Buffer.concat(frames))
    },
    headers: (fields, end = false) =>
      frame(FRAME.headers, END_HEADERS | (end ? END_STREAM : 0), stream, fieldBlock(fields)),
    data: (bytes, end = false) => frame(FRAME.data, end ? END_STREAM : 0, stream, bytes),
  }
}
