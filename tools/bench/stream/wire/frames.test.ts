import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createFrameReader,
  dataOf,
  decodeSettings,
  encodeFrame,
  encodeSettings,
  encodeWindowUpdate,
  Flag,
  FrameType,
  PREFACE,
} from './frames.ts'

const frames = fc.array(
  fc.record({
    type: fc.constantFrom(...Object.values(FrameType)),
    flags: fc.integer({ min: 0, max: 255 }),
    streamId: fc.integer({ min: 0, max: 0x7f_ff_ff_ff }),
    payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  }),
)

test('frames that are cut anywhere come out as they went in', () => {
  fc.assert(
    fc.property(frames, fc.integer({ min: 1, max: 50 }), (sent, size) => {
      const bytes = Buffer.concat(sent.map((f) => encodeFrame(f.type, f.flags, f.streamId, f.payload)))
      const read = createFrameReader()
      const received = []
      for (let at = 0; at < bytes.length; at += size) received.push(...read(bytes.subarray(at, at + size)))
      expect(received).toEqual(sent)
    }),
  )
})

test('settings are read as they were written', () => {
  const settings: [number, number][] = [
    [4, 1_048_576],
    [5, 16_384],
  ]
  const [frame] = createFrameReader()(encodeSettings(settings))
  expect(frame).toMatchObject({ type: FrameType.settings, flags: 0, streamId: 0 })
  expect(decodeSettings(frame?.payload ?? Buffer.alloc(0))).toEqual(settings)
})

test('the bytes of RFC 9113: preface, acknowledgement, window update', () => {
  expect(PREFACE.toString('hex')).toBe('505249202a20485454502f322e300d0a0d0a534d0d0a0d0a')
  expect(encodeFrame(FrameType.settings, Flag.ack, 0).toString('hex')).toBe('000000040100000000')
  expect(encodeWindowUpdate(3, 65_536).toString('hex')).toBe('00000408000000000300010000')
})

test('padding is no data', () => {
  const payload = Buffer.from([2, 7, 8, 9, 0, 0])
  const frame = { type: FrameType.data, flags: Flag.padded, streamId: 1, payload }
  expect([...dataOf(frame)]).toEqual([7, 8, 9])
  expect(dataOf({ ...frame, flags: 0 })).toBe(payload)
})
