/**
 * HTTP/2 written directly to TCP sockets, for frames that no HTTP/2 library sends. The servers read only the
 * frames of the client that they need to respond in time, and to see how the client ends a stream or the
 * connection.
 */
import { createServer, type Socket } from 'node:net'
import { listenLocally } from './listen.ts'
import { createQueue } from './queue.ts'

/** Frame types (RFC 9113, section 6). */
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

/** Flag of SETTINGS and PING. */
export const ACK = 1
/** Flag of HEADERS and DATA. */
export const END_STREAM = 1
/** Flag of HEADERS, PUSH_PROMISE and CONTINUATION. */
export const END_HEADERS = 4
/** The first headers of a gRPC response. */
export const GRPC_HEAD = { ':status': '200', 'content-type': 'application/grpc' }

const PREFACE_BYTES = 24
const HEAD_BYTES = 9

/** A frame. */
export interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

/** Returns the bytes of a frame. */
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

/** Fields for HEADERS, as literals without indexing (RFC 7541, section 6.2.2). */
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

/** Reads a client's frames from chunks of any size, after the connection preface. */
export function frameReader(onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  let toSkip = PREFACE_BYTES
  let rest = Buffer.alloc(0)
  return (chunk) => {
    const skipped = Math.min(toSkip, chunk.length)
    toSkip -= skipped
    rest = Buffer.concat([rest, chunk.subarray(skipped)])
    while (rest.length >= HEAD_BYTES && rest.length >= HEAD_BYTES + rest.readUIntBE(0, 3)) {
      const end = HEAD_BYTES + rest.readUIntBE(0, 3)
      const received = {
        type: rest[3] ?? 0,
        flags: rest[4] ?? 0,
        stream: rest.readUInt32BE(5) & 0x7f_ff_ff_ff,
        payload: rest.subarray(HEAD_BYTES, end),
      }
      rest = rest.subarray(end)
      onFrame(received)
    }
  }
}

/** A client's connection. */
export interface RawConnection {
  readonly socket: Socket
  /** Writes bytes, unless the connection is closed. */
  write(...bytes: readonly Uint8Array[]): void
  /** Resolves when the client acknowledges a PING with these eight bytes. */
  acknowledged(payload: Uint8Array): Promise<void>
  /** Resolves when the client abandons the connection: it sends GOAWAY with an error, or closes its side. */
  readonly givenUp: Promise<void>
}

/** The behavior of a raw server on a connection. */
export interface RawScript {
  /**
   * Called before any bytes are read.
   * @defaultValue sends an empty SETTINGS frame
   */
  onConnection?(connection: RawConnection): void
  /** Called when a request has ended. */
  onRequest?(connection: RawConnection, stream: number): void
  /** Called for every frame. For the frame that ends a request, it is called after `onRequest`. */
  onFrame?(connection: RawConnection, frame: Frame): void
}

/** A raw server. */
export interface RawHttp2Server {
  readonly url: string
  readonly port: number
  /** The behavior on connections from now on. */
  script: RawScript
  close(): Promise<void>
}

/**
 * The behavior of a raw server that does not depend on its script. By default, the server acknowledges
 * SETTINGS and PING.
 */
export interface RawOptions {
  /** Whether the server never acknowledges a PING. */
  readonly ignorePings?: boolean | undefined
  /** Whether the server accepts connections, reads, and ignores everything. */
  readonly mute?: boolean | undefined
  /**
   * Whether the server keeps its side of the connection open when the client closes its own.
   * @defaultValue true
   */
  readonly allowHalfOpen?: boolean | undefined
}

/**
 * Starts a server on 127.0.0.1. In addition to the bytes of the script, it sends only SETTINGS and
 * acknowledgments.
 */
export async function startRawHttp2(script: RawScript, options: RawOptions = {}): Promise<RawHttp2Server> {
  const server = createServer({ allowHalfOpen: options.allowHalfOpen ?? true }, (socket) =>
    serve(socket, running.script, options),
  )
  const { port, close } = await listenLocally(server)
  const running: RawHttp2Server = { url: `http://127.0.0.1:${port}`, port, script, close }
  return running
}

function serve(socket: Socket, script: RawScript, { ignorePings, mute }: RawOptions): void {
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
  const answer = (received: Frame): void => {
    const { type, flags, stream, payload } = received
    const isAck = (flags & ACK) !== 0
    if (type === FRAME.settings && !isAck) connection.write(frame(FRAME.settings, ACK, 0))
    if (type === FRAME.ping && !isAck && ignorePings !== true)
      connection.write(frame(FRAME.ping, ACK, 0, payload))
    if (type === FRAME.ping && isAck) waiting.get(payload.toString('hex'))?.()
    if (type === FRAME.goaway && payload.length >= 8 && payload.readUInt32BE(4) !== 0) giveUp()
    if (type <= FRAME.headers && (flags & END_STREAM) !== 0) script.onRequest?.(connection, stream)
    script.onFrame?.(connection, received)
  }
  socket.on('end', giveUp).on('close', giveUp)
  socket.on('data', mute === true ? () => {} : frameReader(answer))
  if (script.onConnection !== undefined) script.onConnection(connection)
  else if (mute !== true) connection.write(frame(FRAME.settings, 0, 0))
}

/** A request that the client has ended. */
export interface WireCall {
  readonly stream: number
  readonly socket: Socket
  /** Writes frames in one write. */
  write(...frames: readonly Buffer[]): void
  headers(fields: Readonly<Record<string, string>>, end?: boolean): Buffer
  data(bytes: Uint8Array, end?: boolean): Buffer
}

/** Responds to a request. */
export type Script = (call: WireCall) => void

/** A server that responds to requests with frames, and records the client's frames. */
export interface WireServer {
  readonly url: string
  readonly port: number
  /**
   * Returns the next frame of this type, or waits for one. The frame is from the client of `from`, by default
   * from any client.
   */
  next(type: number, from?: Socket): Promise<Frame>
  /** Resolves when a client has connected. */
  readonly connected: Promise<void>
  /** Resolves when the client's connection is closed. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** Options of {@link startWireServer}. */
export interface WireOptions extends Omit<RawOptions, 'allowHalfOpen'> {
  /** The first bytes on a connection. @defaultValue an empty SETTINGS frame */
  readonly greeting?: Buffer
  /** Whether the server keeps its side of the connection open when the client closes its own. */
  readonly stubborn?: boolean
}

/** Starts a server on 127.0.0.1. The script runs when the client has ended a request. */
export async function startWireServer(script: Script, options: WireOptions = {}): Promise<WireServer> {
  const { greeting = frame(FRAME.settings, 0, 0), stubborn = false, ignorePings, mute } = options
  const frames = createQueue<{ readonly received: Frame; readonly socket: Socket }>()
  let onConnected: () => void = () => {}
  let onClosed: () => void = () => {}
  const connected = new Promise<void>((resolve) => {
    onConnected = resolve
  })
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve
  })
  const { url, port, close } = await startRawHttp2(
    {
      onConnection({ socket, write }) {
        onConnected()
        socket.on('close', onClosed)
        if (mute !== true) write(greeting)
      },
      onRequest: ({ socket, write }, stream) => script(createCall(stream, socket, write)),
      onFrame({ socket }, received) {
        const { type, payload } = received
        // The client has abandoned the connection. Ends it as every server does, so that the client receives
        // nothing more.
        if (type === FRAME.goaway && payload.readUInt32BE(4) !== 0 && !stubborn) socket.end()
        frames.push({ received, socket })
      },
    },
    { ignorePings, mute, allowHalfOpen: stubborn },
  )
  return {
    url,
    port,
    connected,
    closed,
    async next(type, from) {
      const { received } = await frames.next(
        ({ received, socket }) => received.type === type && (from ?? socket) === socket,
      )
      return received
    },
    close,
  }
}

function createCall(stream: number, socket: Socket, write: RawConnection['write']): WireCall {
  return {
    stream,
    socket,
    write,
    headers: (fields, end = false) =>
      frame(FRAME.headers, END_HEADERS | (end ? END_STREAM : 0), stream, fieldBlock(fields)),
    data: (bytes, end = false) => frame(FRAME.data, end ? END_STREAM : 0, stream, bytes),
  }
}
