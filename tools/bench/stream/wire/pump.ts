/**
 * The sending half of a gRPC server over a bare socket: it must never be what a client waits for, and Node's own
 * HTTP/2 server is (it copies every message several times).
 *
 * Flow control is honoured on stream and connection. A frame is sent whole or not at all: where the window has room
 * for a part of it only, the pump waits for more.
 */
import type { Socket } from 'node:net'
import type { Plan, ServerReport } from '../plan.ts'
import { type Block, block, blockOfStream, framesThatFit, renumber } from './blocks.ts'
import {
  createFrameReader,
  DEFAULT_WINDOW,
  dataOf,
  decodeSettings,
  encodeFrame,
  encodeSettings,
  encodeWindowUpdate,
  Flag,
  type Frame,
  FrameType,
  HEADER_BYTES,
  INITIAL_WINDOW_SIZE,
  PREFACE,
} from './frames.ts'
import { encodeHeaderBlock } from './hpack.ts'
import { monotonicNs, stampedMessage } from './messages.ts'

const RESPONSE = encodeHeaderBlock([
  [':status', '200'],
  ['content-type', 'application/grpc+proto'],
])
const TRAILERS = encodeHeaderBlock([['grpc-status', '0']])
const PACE_MS = 4

interface Sending {
  readonly id: number
  window: number
  /** Frames that may be sent by now, and those that were. */
  due: number
  sent: number
  over: boolean
}

/** One of the copies of a block that a stream sends in turns. */
interface Copy {
  readonly block: Block
  /** Which block of the stream it is now. */
  turn: number
  /** What was sent of it last has left the process. */
  written: Promise<void>
}

export interface PumpOptions {
  /** Reads what a client asks for from its request message. */
  readonly readPlan: (request: Buffer) => Plan
  readonly onServed: (report: ServerReport) => void
}

export function servePump(socket: Socket, options: PumpOptions): void {
  const readFrames = createFrameReader()
  const requests = new Map<number, Buffer[]>()
  const sendings = new Map<number, Sending>()
  /** Of streams that have not asked for anything yet. */
  const earlyGrants = new Map<number, number>()
  let initialWindow = DEFAULT_WINDOW
  let connectionWindow = DEFAULT_WINDOW
  let prefaceLeft = PREFACE.length
  let waiting: (() => void)[] = []

  socket.setNoDelay(true)
  socket.write(encodeSettings([]))
  // A client that is done destroys its connection.
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    for (const sending of sendings.values()) sending.over = true
    wakeAll()
  })
  socket.on('data', (chunk: Buffer) => {
    const skipped = Math.min(prefaceLeft, chunk.length)
    prefaceLeft -= skipped
    for (const frame of readFrames(chunk.subarray(skipped))) onFrame(frame)
    wakeAll()
  })

  function onFrame(frame: Frame): void {
    const { type, flags, streamId, payload } = frame
    switch (type) {
      case FrameType.settings:
        if ((flags & Flag.ack) !== 0) return
        for (const [id, value] of decodeSettings(payload)) {
          if (id !== INITIAL_WINDOW_SIZE) continue
          for (const sending of sendings.values()) sending.window += value - initialWindow
          initialWindow = value
        }
        socket.write(encodeFrame(FrameType.settings, Flag.ack, 0))
        return
      case FrameType.ping:
        if ((flags & Flag.ack) === 0) socket.write(encodeFrame(FrameType.ping, Flag.ack, 0, payload))
        return
      case FrameType.windowUpdate: {
        const increment = payload.readUInt32BE(0)
        const sending = sendings.get(streamId)
        if (streamId === 0) connectionWindow += increment
        else if (sending !== undefined) sending.window += increment
        else earlyGrants.set(streamId, (earlyGrants.get(streamId) ?? 0) + increment)
        return
      }
      case FrameType.resetStream: {
        const sending = sendings.get(streamId)
        if (sending !== undefined) sending.over = true
        return
      }
      case FrameType.headers:
        requests.set(streamId, [])
        if ((flags & Flag.endStream) !== 0) begin(streamId)
        return
      case FrameType.data:
        requests.get(streamId)?.push(dataOf(frame))
        if (payload.length > 0) socket.write(encodeWindowUpdate(0, payload.length))
        if ((flags & Flag.endStream) !== 0) begin(streamId)
        return
      default:
    }
  }

  function begin(id: number): void {
    const request = Buffer.concat(requests.get(id) ?? [])
    requests.delete(id)
    const plan = options.readPlan(request.subarray(5))
    const window = initialWindow + (earlyGrants.get(id) ?? 0)
    earlyGrants.delete(id)
    const sending: Sending = { id, window, due: 0, sent: 0, over: false }
    sendings.set(id, sending)
    socket.write(encodeFrame(FrameType.headers, Flag.endHeaders, id, RESPONSE))
    void serve(sending, plan)
  }

  async function serve(sending: Sending, plan: Plan): Promise<void> {
    const waits = { window: 0, socket: 0 }
    // Takes less than a millisecond of a run.
    const original = plan.kind === 'blast' ? block(plan.shape, plan.service) : block('permsg')
    const copies = [0, 1].map(
      (): Copy => ({ block: blockOfStream(original, sending.id), turn: -1, written: Promise.resolve() }),
    )
    const cpu = process.cpuUsage()
    const startNs = monotonicNs()
    if (plan.kind === 'lone') await sendOneByOne(sending, plan.messages, plan.intervalMs)
    else if (plan.kind === 'paced') await sendPaced(sending, copies, plan, waits)
    else {
      sending.due = plan.blocks * (original.offsets.length - 1)
      await sendDue(sending, copies, waits)
    }
    sendings.delete(sending.id)
    if (!socket.destroyed && !sending.over) {
      socket.write(encodeFrame(FrameType.headers, Flag.endHeaders | Flag.endStream, sending.id, TRAILERS))
    }
    const { user, system } = process.cpuUsage(cpu)
    options.onServed({
      seconds: (monotonicNs() - startNs) / 1e9,
      cpuSeconds: (user + system) / 1e6,
      waitedForWindow: waits.window / 1e9,
      waitedForSocket: waits.socket / 1e9,
    })
  }

  /** Until all that is due was written. One copy is numbered anew while the other one is on its way. */
  async function sendDue(
    sending: Sending,
    copies: readonly Copy[],
    waits: { window: number; socket: number },
  ): Promise<void> {
    while (sending.sent < sending.due && !sending.over) {
      const perBlock = (copies[0]?.block.offsets.length ?? 0) - 1
      const turn = Math.floor(sending.sent / perBlock)
      const copy = copies[turn % copies.length] as Copy
      const { block } = copy
      const first = sending.sent % perBlock
      if (first === 0 && turn !== copy.turn) {
        waits.socket += await timed(copy.written)
        renumber(block, turn * block.messages)
        copy.turn = turn
      }
      const room = Math.min(connectionWindow, sending.window)
      const frames = Math.min(framesThatFit(block, first, room), sending.due - sending.sent)
      if (frames === 0) {
        waits.window += await timed(nextWake())
        continue
      }
      const start = block.offsets[first] ?? 0
      const end = block.offsets[first + frames] ?? 0
      const data = end - start - frames * HEADER_BYTES
      connectionWindow -= data
      sending.window -= data
      sending.sent += frames
      let full = false
      copy.written = new Promise((resolve) => {
        full = !socket.write(block.bytes.subarray(start, end), () => resolve())
      })
      if (full) waits.socket += await timed(drained())
    }
  }

  async function sendPaced(
    sending: Sending,
    copies: readonly Copy[],
    { perSecond, messages }: Plan & { kind: 'paced' },
    waits: { window: number; socket: number },
  ): Promise<void> {
    const startNs = monotonicNs()
    while (sending.sent < messages && !sending.over) {
      await delay(PACE_MS)
      const elapsed = (monotonicNs() - startNs) / 1e9
      sending.due = Math.min(messages, Math.floor(elapsed * perSecond))
      await sendDue(sending, copies, waits)
    }
  }

  async function sendOneByOne(sending: Sending, messages: number, intervalMs: number): Promise<void> {
    for (let i = 0; i < messages && !sending.over; i += 1) {
      await delay(intervalMs)
      const message = stampedMessage(monotonicNs(), i)
      connectionWindow -= message.length
      sending.window -= message.length
      socket.write(encodeFrame(FrameType.data, 0, sending.id, message))
      while (Math.min(connectionWindow, sending.window) < message.length && !sending.over) await nextWake()
    }
  }

  /** Something was received, a grant perhaps. */
  const nextWake = (): Promise<void> => new Promise((resolve) => waiting.push(resolve))

  function wakeAll(): void {
    const woken = waiting
    waiting = []
    for (const resolve of woken) resolve()
  }

  const drained = (): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        socket.off('drain', done)
        socket.off('close', done)
        resolve()
      }
      socket.on('drain', done)
      socket.on('close', done)
    })
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function timed(promise: Promise<void>): Promise<number> {
  const start = monotonicNs()
  await promise
  return monotonicNs() - start
}
