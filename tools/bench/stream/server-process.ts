/**
 * A gRPC server that sends the messages of the plan to every request. It writes prepared frames to the
 * socket, because `node:http2` cannot send one DATA frame for each message: it joins queued data into frames
 * of 16 KiB.
 */
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { serveCalls } from '@brokerwire/testing/child-calls'
import {
  ACK,
  END_HEADERS,
  END_STREAM,
  FRAME,
  type Frame,
  fieldBlock,
  frame,
  GRPC_HEAD,
  type RawConnection,
  startRawHttp2,
} from '@brokerwire/testing/raw-http2'
import { type Block, blockOf, blockOfStream, FRAME_HEAD_BYTES, writeNumber } from './blocks.ts'
import { clockUs, type Plan } from './plan.ts'

const SETTINGS_INITIAL_WINDOW_SIZE = 4
const DEFAULT_WINDOW = 65_535
/** In flow control, stream number 0 is the whole connection. */
const CONNECTION = 0

/** Flow control of a connection. */
interface Windows {
  initial: number
  /**
   * For each stream, the bytes that the client has granted minus the bytes that were sent. The initial window
   * is not included.
   */
  readonly granted: Map<number, number>
}

let plan: Plan = { kind: 'single', messages: 0, intervalMs: 0 }
const connections = new WeakMap<RawConnection, Windows>()

function windowsOf(connection: RawConnection): Windows {
  const granted = new Map([[CONNECTION, DEFAULT_WINDOW]])
  const windows = connections.get(connection) ?? { initial: DEFAULT_WINDOW, granted }
  connections.set(connection, windows)
  return windows
}

function readFrame(windows: Windows, { type, flags, stream, payload }: Frame): void {
  if (type === FRAME.windowUpdate) grant(windows, stream, payload.readUInt32BE(0))
  if (type !== FRAME.settings || (flags & ACK) !== 0) return
  for (let at = 0; at + 6 <= payload.length; at += 6) {
    if (payload.readUInt16BE(at) === SETTINGS_INITIAL_WINDOW_SIZE)
      windows.initial = payload.readUInt32BE(at + 2)
  }
}

function grant({ granted }: Windows, stream: number, bytes: number): void {
  granted.set(stream, (granted.get(stream) ?? 0) + bytes)
}

/**
 * Sends the frames of the block from `first`, inclusive, to `last`, exclusive. Waits while the windows do not
 * allow the next frame.
 *
 * @returns Whether all frames were sent.
 */
async function sendFrames(
  connection: RawConnection,
  stream: number,
  { bytes, offsets }: Block,
  first: number,
  last: number,
): Promise<boolean> {
  const { socket } = connection
  const windows = windowsOf(connection)
  for (let from = first; from < last; ) {
    if (socket.destroyed) return false
    const { granted, initial } = windows
    const available = Math.min(granted.get(CONNECTION) ?? 0, initial + (granted.get(stream) ?? 0))
    const start = offsets[from] ?? 0
    const dataUntil = (to: number): number => (offsets[to] ?? 0) - start - (to - from) * FRAME_HEAD_BYTES
    let to = from
    while (to < last && dataUntil(to + 1) <= available) to += 1
    if (to === from) {
      // Waits for bytes from the client, because any frame may be a WINDOW_UPDATE. If the connection closes,
      // this promise never settles and is garbage-collected.
      await once(socket, 'data')
      continue
    }
    for (const window of [CONNECTION, stream]) grant(windows, window, -dataUntil(to))
    await new Promise<void>((resolve) => socket.write(bytes.subarray(start, offsets[to]), () => resolve()))
    from = to
  }
  return true
}

async function serve(connection: RawConnection, stream: number): Promise<void> {
  const original = plan.kind === 'blast' ? blockOf(plan.shape, plan.service) : blockOf('permsg', 'trade')
  const block = blockOfStream(original, stream)
  const frames = block.offsets.length - 1
  connection.write(frame(FRAME.headers, END_HEADERS, stream, fieldBlock(GRPC_HEAD)))
  const start = performance.now()
  const total = plan.kind === 'blast' ? plan.blocks * frames : plan.messages
  for (let sent = 0; sent < total; ) {
    let due = total
    if (plan.kind !== 'blast') await delay(plan.intervalMs)
    if (plan.kind === 'single') due = sent + 1
    if (plan.kind === 'paced')
      due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * plan.perSecond))
    const first = sent % frames
    if (plan.kind === 'single') writeNumber(block, first, clockUs())
    else if (first === 0) {
      const number = (sent / frames) * block.messages
      for (let n = 0; n < block.messages; n += 1) writeNumber(block, n, number + n)
    }
    const last = Math.min(first + due - sent, frames)
    if (!(await sendFrames(connection, stream, block, first, last))) return
    sent += last - first
  }
  const trailers = fieldBlock({ 'grpc-status': '0' })
  connection.write(frame(FRAME.headers, END_HEADERS | END_STREAM, stream, trailers))
}

const server = await startRawHttp2(
  {
    onConnection(connection) {
      connection.socket.setNoDelay(true)
      connection.write(frame(FRAME.settings, 0, 0))
    },
    onRequest(connection, stream) {
      // Errors are ignored, because supervised streams close the connection after their last message.
      serve(connection, stream).catch(() => {})
    },
    onFrame(connection, received) {
      readFrame(windowsOf(connection), received)
    },
  },
  { allowHalfOpen: false },
)

const commands = {
  port: () => server.port,
  /**
   * Sets the plan for the next requests.
   *
   * @returns CPU time of this process in microseconds.
   */
  prepare(next: Plan) {
    plan = next
    const { user, system } = process.cpuUsage()
    return user + system
  },
}
export type ServerCommands = typeof commands
serveCalls(commands)
