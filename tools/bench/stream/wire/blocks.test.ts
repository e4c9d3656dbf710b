import { TradeSubscribeResponseSchema } from '@brokerwire/protos/trade'
import { fromBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { block, blockOfStream, framesThatFit } from './blocks.ts'
import { createFrameReader, FrameType, HEADER_BYTES } from './frames.ts'
import { envelope, MESSAGES, readStamp, stampedMessage } from './messages.ts'

const SHAPES = ['permsg', 'packed'] as const
const frameCount = (shape: (typeof SHAPES)[number]): number => block(shape).offsets.length - 1

test('messages are 700 bytes long, more or less', () => {
  const mean = MESSAGES.reduce((sum, { bytes }) => sum + bytes.length, 0) / MESSAGES.length
  expect(mean).toBeGreaterThan(680)
  expect(mean).toBeLessThan(730)
})

describe.each(SHAPES)('a block of %s', (shape) => {
  const frames = createFrameReader()(blockOfStream(shape, 77).bytes)

  test('is DATA of one stream', () => {
    expect(frames).toHaveLength(frameCount(shape))
    expect(frames.every(({ type, flags }) => type === FrameType.data && flags === 0)).toBe(true)
    expect(frames.every(({ streamId }) => streamId === 77)).toBe(true)
  })

  test('holds whole messages, as many as it says', () => {
    const bytes = Buffer.concat(frames.map(({ payload }) => payload))
    expect(bytes).toHaveLength(block(shape).dataBytes)
    let messages = 0
    let characters = 0
    for (let at = 0; at < bytes.length; messages += 1) {
      const end = at + 5 + bytes.readUInt32BE(at + 1)
      characters += fromBinary(TradeSubscribeResponseSchema, bytes.subarray(at + 5, end)).payload.length
      at = end
    }
    expect(messages).toBe(block(shape).messages)
    expect(characters).toBe(block(shape).payloadChars)
  })
})

test('permsg is one frame for each message, packed is full frames', () => {
  const lengths = (shape: (typeof SHAPES)[number]): number[] =>
    createFrameReader()(block(shape).bytes).map(({ payload }) => payload.length)
  expect(frameCount('permsg')).toBe(block('permsg').messages)
  expect(lengths('permsg')[0]).toBe(envelope(MESSAGES[0]?.bytes ?? Buffer.alloc(0)).length)
  expect(new Set(lengths('packed').slice(0, -1))).toEqual(new Set([16_384]))
})

test('a copy for a stream leaves the block as it is', () => {
  blockOfStream('packed', 5)
  expect(createFrameReader()(block('packed').bytes)[0]?.streamId).toBe(0)
})

test('framesThatFit finds what adding up frame by frame finds', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...SHAPES),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      fc.integer({ min: -1000, max: 1_200_000 }),
      (shape, part, room) => {
        const it = block(shape)
        const first = Math.floor(part * frameCount(shape))
        let count = 0
        let data = 0
        for (let i = first; i < frameCount(shape); i += 1) {
          data += (it.offsets[i + 1] ?? 0) - (it.offsets[i] ?? 0) - HEADER_BYTES
          if (data > room) break
          count += 1
        }
        expect(framesThatFit(it, first, room)).toBe(count)
      },
    ),
  )
})

test('the stamp is the message as any decoder reads it', () => {
  const nanoseconds = 123_456_789_012_345
  const bytes = stampedMessage(nanoseconds)
  expect(readStamp(bytes)).toBe(nanoseconds)
  const message = fromBinary(TradeSubscribeResponseSchema, bytes.subarray(5))
  expect(message).toEqual({ ...MESSAGES[0]?.message, timestamp: BigInt(nanoseconds) })
})
