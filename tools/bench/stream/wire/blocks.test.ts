import { ModuleSubscribeResponseSchema } from '@brokerwire/protos/module'
import { TradeSubscribeResponseSchema } from '@brokerwire/protos/trade'
import { fromBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SHAPES } from '../parts.ts'
import type { Service } from '../plan.ts'
import { type Block, block, blockOfStream, framesThatFit, renumber } from './blocks.ts'
import { createFrameReader, FrameType, HEADER_BYTES } from './frames.ts'
import { envelope, MESSAGES, readStamp, stampedMessage } from './messages.ts'

const SERVICES: readonly Service[] = ['trade', 'module']
const BLOCKS = SHAPES.flatMap((shape) => SERVICES.map((service) => [shape, service] as const))
const frameCount = (it: Block): number => it.offsets.length - 1

test.each(SERVICES)('messages of the %s service are 600 to 730 bytes long, more or less', (service) => {
  const all = MESSAGES[service]
  const mean = all.reduce((sum, { bytes }) => sum + bytes.length, 0) / all.length
  expect(mean).toBeGreaterThan(600)
  expect(mean).toBeLessThan(730)
})

/** Names and payload of each message that the frames carry. */
function messagesOf(it: Block, service: Service): { names: string[]; payload: string }[] {
  const bytes = Buffer.concat(createFrameReader()(it.bytes).map(({ payload }) => payload))
  const messages: { names: string[]; payload: string }[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 5 + bytes.readUInt32BE(at + 1)
    const body = bytes.subarray(at + 5, end)
    if (service === 'trade') {
      const { requestId, payload } = fromBinary(TradeSubscribeResponseSchema, body)
      messages.push({ names: [requestId], payload })
    } else {
      const { id, position, payload } = fromBinary(ModuleSubscribeResponseSchema, body)
      messages.push({ names: [id, position], payload })
    }
    at = end
  }
  return messages
}

describe.each(BLOCKS)('a block of %s, %s', (shape, service) => {
  const original = block(shape, service)
  const copy = blockOfStream(original, 77)
  const frames = createFrameReader()(copy.bytes)

  test('is DATA of one stream', () => {
    expect(frames).toHaveLength(frameCount(original))
    expect(frames.every(({ type, flags }) => type === FrameType.data && flags === 0)).toBe(true)
    expect(frames.every(({ streamId }) => streamId === 77)).toBe(true)
  })

  test('holds whole messages, as many as it says', () => {
    expect(frames.reduce((sum, { payload }) => sum + payload.length, 0)).toBe(original.dataBytes)
    const messages = messagesOf(copy, service)
    expect(messages).toHaveLength(original.messages)
    expect(messages.reduce((sum, { payload }) => sum + payload.length, 0)).toBe(original.payloadChars)
  })

  test('is numbered anew without a change of anything but the names, each of which is there once', () => {
    const numbered = blockOfStream(original, 77)
    renumber(numbered, 123_456_000)
    const before = messagesOf(copy, service)
    const after = messagesOf(numbered, service)
    expect(after.map(({ payload }) => payload)).toEqual(before.map(({ payload }) => payload))
    after.forEach(({ names }, n) => {
      const number = String(123_456_000 + n)
      expect(names.map((name) => name.slice(-9))).toEqual(names.map(() => number))
      expect(names.map((name) => name.slice(0, -9))).toEqual(
        before[n]?.names.map((name) => name.slice(0, -9)),
      )
    })
  })
})

test('permsg is one frame for each message, packed is full frames', () => {
  const lengths = (it: Block): number[] => createFrameReader()(it.bytes).map(({ payload }) => payload.length)
  expect(frameCount(block('permsg'))).toBe(block('permsg').messages)
  expect(lengths(block('permsg'))[0]).toBe(envelope(MESSAGES.trade[0]?.bytes ?? Buffer.alloc(0)).length)
  expect(new Set(lengths(block('packed')).slice(0, -1))).toEqual(new Set([16_384]))
})

test('a copy for a stream leaves the block as it is', () => {
  renumber(blockOfStream(block('packed'), 5), 7)
  expect(createFrameReader()(block('packed').bytes)[0]?.streamId).toBe(0)
  expect(messagesOf(block('packed'), 'trade')[0]?.names[0]).not.toMatch(/7$/)
})

test('framesThatFit finds what adding up frame by frame finds', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...SHAPES),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      fc.integer({ min: -1000, max: 1_200_000 }),
      (shape, part, room) => {
        const it = block(shape)
        const first = Math.floor(part * frameCount(it))
        let count = 0
        let data = 0
        for (let i = first; i < frameCount(it); i += 1) {
          data += (it.offsets[i + 1] ?? 0) - (it.offsets[i] ?? 0) - HEADER_BYTES
          if (data > room) break
          count += 1
        }
        expect(framesThatFit(it, first, room)).toBe(count)
      },
    ),
  )
})

test('the stamp and the number are in the message as any decoder reads it', () => {
  const nanoseconds = 123_456_789_012_345
  const bytes = stampedMessage(nanoseconds, 42)
  expect(readStamp(bytes)).toBe(nanoseconds)
  const message = fromBinary(TradeSubscribeResponseSchema, bytes.subarray(5))
  const fixture = fromBinary(TradeSubscribeResponseSchema, MESSAGES.trade[0]?.bytes ?? Buffer.alloc(0))
  const requestId = `${fixture.requestId.slice(0, -9)}000000042`
  expect(message).toEqual({ ...fixture, requestId, timestamp: BigInt(nanoseconds) })
})
