import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { requestBytes } from '../clients/raw.ts'
import { CONTENDERS } from '../contenders.ts'
import { SHAPES } from '../parts.ts'
import type { Plan, ServerReport, Service } from '../plan.ts'
import { block } from './blocks.ts'
import {
  createFrameReader,
  encodeFrame,
  encodeSettings,
  encodeWindowUpdate,
  Flag,
  type Frame,
  FrameType,
  INITIAL_WINDOW_SIZE,
  PREFACE,
} from './frames.ts'
import { encodeHeaderBlock } from './hpack.ts'
import { monotonicNs } from './messages.ts'
import { servePump } from './pump.ts'
import { readPlan } from './read-plan.ts'

const open: { close(): unknown }[] = []
afterEach(() => {
  for (const it of open.splice(0).reverse()) it.close()
})

async function startPump(): Promise<{ port: number; reports: ServerReport[] }> {
  const reports: ServerReport[] = []
  const server: Server = createServer((socket) => {
    servePump(socket, { readPlan, onServed: (report) => reports.push(report) })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(server)
  return { port: (server.address() as AddressInfo).port, reports }
}

/** Speaks HTTP/2 frame by frame. */
function openFrames(port: number): {
  socket: Socket
  until(enough: (frames: readonly Frame[]) => boolean): Promise<Frame[]>
} {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  open.push({ close: () => socket.destroy() })
  const read = createFrameReader()
  const frames: Frame[] = []
  socket.on('data', (chunk: Buffer) => frames.push(...read(chunk)))
  return {
    socket,
    async until(enough) {
      while (!enough(frames)) await once(socket, 'data')
      return frames
    },
  }
}

const ask = (plan: Plan): Buffer =>
  Buffer.concat([
    encodeFrame(FrameType.headers, Flag.endHeaders, 1, encodeHeaderBlock([[':path', '/']])),
    encodeFrame(FrameType.data, Flag.endStream, 1, requestBytes(JSON.stringify(plan))),
  ])

const dataBytes = (frames: readonly Frame[]): number =>
  frames.filter(({ type }) => type === FrameType.data).reduce((sum, { payload }) => sum + payload.length, 0)

const pongs = (frames: readonly Frame[]): number =>
  frames.filter(({ type }) => type === FrameType.ping).length

/** Whatever was to be sent before was sent when this is answered. */
const ping = encodeFrame(FrameType.ping, 0, 0, Buffer.alloc(8))

describe('flow control', () => {
  const plan: Plan = { kind: 'blast', shape: 'permsg', blocks: 2 }

  test.each([
    ['the stream', 30_000],
    ['the connection', 1_000_000],
  ])('nothing is sent beyond the window of %s', async (_, initialWindow) => {
    const { port } = await startPump()
    const { socket, until } = openFrames(port)
    socket.write(Buffer.concat([PREFACE, encodeSettings([[INITIAL_WINDOW_SIZE, initialWindow]]), ask(plan)]))
    const limit = Math.min(initialWindow, 65_535)
    await until((all) => dataBytes(all) > limit - 1000)
    socket.write(ping)
    const frames = await until((all) => pongs(all) === 1)
    expect(dataBytes(frames)).toBeLessThanOrEqual(limit)

    // Of both, since the smaller one counts.
    socket.write(Buffer.concat([encodeWindowUpdate(0, 100_000), encodeWindowUpdate(1, 100_000)]))
    await until((all) => dataBytes(all) > limit + 99_000)
    socket.write(ping)
    const more = await until((all) => pongs(all) === 2)
    expect(dataBytes(more)).toBeLessThanOrEqual(limit + 100_000)
  })

  test('a changed initial window counts for the open stream', async () => {
    const { port } = await startPump()
    const { socket, until } = openFrames(port)
    socket.write(Buffer.concat([PREFACE, encodeSettings([[INITIAL_WINDOW_SIZE, 0]]), ask(plan), ping]))
    expect(dataBytes(await until((all) => pongs(all) === 1))).toBe(0)
    socket.write(encodeSettings([[INITIAL_WINDOW_SIZE, 20_000]]))
    await until((all) => dataBytes(all) > 19_000)
    socket.write(ping)
    expect(dataBytes(await until((all) => pongs(all) === 2))).toBeLessThanOrEqual(20_000)
  })

  test('a reset stream is not written to any more', async () => {
    const { port, reports } = await startPump()
    const { socket, until } = openFrames(port)
    socket.write(Buffer.concat([PREFACE, encodeSettings([]), ask(plan)]))
    await until((all) => dataBytes(all) > 60_000)
    socket.write(
      Buffer.concat([
        encodeFrame(FrameType.resetStream, 0, 1, Buffer.of(0, 0, 0, 8)),
        encodeWindowUpdate(0, 1_000_000),
        ping,
      ]),
    )
    const frames = await until((all) => pongs(all) === 1)
    expect(dataBytes(frames)).toBeLessThanOrEqual(65_535)
    expect(frames.filter(({ type, flags }) => type === FrameType.headers && (flags & 1) === 1)).toEqual([])
    expect(reports).toHaveLength(1)
  })
})

const serviceOf = (name: string): Service => (name.includes('module') ? 'module' : 'trade')

describe.each(SHAPES)('%s', (shape) => {
  test.each(Object.entries(CONTENDERS))('%s receives all', async (name, create) => {
    const service = serviceOf(name)
    const { port, reports } = await startPump()
    const client = create(port)
    open.push(client)
    let messages = 0
    let characters = 0
    const plan = { kind: 'blast', shape, service, blocks: 3 }
    const bytes = await client.receive(JSON.stringify(plan), (message) => {
      messages += 1
      characters += message.payload.length
    })
    if (bytes === undefined) {
      expect({ messages, characters }).toEqual({
        messages: 3 * block(shape, service).messages,
        characters: 3 * block(shape, service).payloadChars,
      })
    } else expect(bytes).toBe(3 * block(shape).dataBytes)
    // Told at the end of the stream, which may be read before it.
    while (reports.length === 0) await new Promise(setImmediate)
    expect(reports).toHaveLength(1)
  })
})

test.each(
  Object.entries(CONTENDERS).filter(([name]) => name !== 'plain socket' && serviceOf(name) === 'trade'),
)('%s sees when a lone message was sent', async (_, create) => {
  const { port } = await startPump()
  const client = create(port)
  open.push(client)
  const startNs = monotonicNs()
  const stamps: number[] = []
  await client.receive(JSON.stringify({ kind: 'lone', messages: 3, intervalMs: 1 }), ({ timestamp }) => {
    expect(Number(timestamp)).toBeLessThanOrEqual(monotonicNs())
    stamps.push(Number(timestamp))
  })
  expect(stamps).toHaveLength(3)
  expect(stamps.every((stamp, i) => stamp > (stamps[i - 1] ?? startNs))).toBe(true)
})

test('a paced stream sends what was asked for', async () => {
  const { port } = await startPump()
  const client = CONTENDERS.ours(port)
  open.push(client)
  let messages = 0
  const startNs = monotonicNs()
  await client.receive(JSON.stringify({ kind: 'paced', perSecond: 20_000, messages: 1000 }), () => {
    messages += 1
  })
  expect(messages).toBe(1000)
  expect(monotonicNs() - startNs).toBeGreaterThanOrEqual(0.05 * 1e9)
})
