/** Envelopes are found in any chunks, and errors are detected at the header of an envelope. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EnvelopeReader } from './envelope-reader.ts'

function envelope(message: Uint8Array, flags = 0): Buffer {
  const head = Buffer.from([flags, 0, 0, 0, 0])
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

/** Reads all available envelopes. */
function takeAll(reader: EnvelopeReader): { text: string; compressed: boolean }[] {
  const taken: { text: string; compressed: boolean }[] = []
  while (reader.ready()) {
    expect(reader.read()).toBe('message')
    const { bytes, start, end, compressed } = reader
    taken.push({ text: bytes.toString('hex', start, end), compressed })
  }
  expect(reader.read()).toBe('incomplete')
  return taken
}

const messages = fc.array(fc.record({ body: fc.uint8Array({ maxLength: 40 }), compressed: fc.boolean() }), {
  maxLength: 30,
})
const cuts = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 40 })

describe('any messages in any chunks', () => {
  test.each([
    ['as they come', false],
    ['all at the end', true],
  ])('read %s', (_, late) => {
    fc.assert(
      fc.property(messages, cuts, (list, sizes) => {
        const body = Buffer.concat(list.map(({ body, compressed }) => envelope(body, compressed ? 1 : 0)))
        const reader = new EnvelopeReader(40)
        const taken: { text: string; compressed: boolean }[] = []
        for (let at = 0, n = 0; at < body.length; n++) {
          const size = sizes[n % sizes.length] ?? 1
          // Separate buffers, so that a read beyond a chunk would fail.
          reader.push(Buffer.from(body.subarray(at, at + size)))
          at += size
          if (!late) taken.push(...takeAll(reader))
        }
        taken.push(...takeAll(reader))
        const expected = list.map(({ body, compressed }) => ({
          text: Buffer.from(body).toString('hex'),
          compressed,
        }))
        expect(taken).toEqual(expected)
        expect(reader.available).toBe(0)
      }),
    )
  })

  test('are ranges of their chunk, not copies', () => {
    const chunk = Buffer.concat([envelope(Buffer.from('one')), envelope(Buffer.from('two'))])
    const reader = new EnvelopeReader(10)
    reader.push(chunk)
    expect(reader.read()).toBe('message')
    expect(reader.bytes).toBe(chunk)
    expect(reader).toMatchObject({ start: 5, end: 8 })
    expect(reader.read()).toBe('message')
    expect(reader.bytes).toBe(chunk)
    expect(reader).toMatchObject({ start: 13, end: 16 })
  })
})

describe('a wrong envelope', () => {
  test('that is too long is detected at its header, at each read', () => {
    const reader = new EnvelopeReader(3)
    reader.push(Buffer.from([0, 0, 0, 0]))
    expect(reader.ready()).toBe(false)
    reader.push(Buffer.from([4]))
    expect(reader.ready()).toBe(true)
    for (let n = 0; n < 2; n += 1) expect(reader.read()).toBe('too-long')
    expect(reader.length).toBe(4)
  })

  test('that is too long is skipped in any chunks, and no other message is', () => {
    fc.assert(
      fc.property(messages, cuts, (list, sizes) => {
        const body = Buffer.concat(list.map(({ body }) => envelope(body)))
        const reader = new EnvelopeReader(20)
        const found: (string | number)[] = []
        for (let at = 0, n = 0; at < body.length; n++) {
          const size = sizes[n % sizes.length] ?? 1
          reader.push(Buffer.from(body.subarray(at, at + size)))
          at += size
          for (let next = reader.read(); next !== 'incomplete'; next = reader.read()) {
            found.push(
              next === 'message' ? reader.bytes.toString('hex', reader.start, reader.end) : reader.length,
            )
            if (next === 'too-long') reader.skip()
          }
        }
        const text = ({ body }: { readonly body: Uint8Array }) => Buffer.from(body).toString('hex')
        expect(found).toEqual(list.map((one) => (one.body.length > 20 ? one.body.length : text(one))))
        expect(reader).toMatchObject({ available: 0, isWithinEnvelope: false })
      }),
    )
  })

  test('with an announced length of 4 GiB allocates no memory', () => {
    const reader = new EnvelopeReader(0xff_ff_ff_ff)
    reader.push(Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1]))
    expect(reader.read()).toBe('incomplete')
    expect(reader.needed).toBe(0xff_ff_ff_ff + 5)
  })
})

test('that is incomplete has its total length in `needed`', () => {
  const reader = new EnvelopeReader(100)
  expect(reader.needed).toBe(5)
  reader.push(envelope(Buffer.alloc(50)).subarray(0, 20))
  expect(reader.ready()).toBe(false)
  expect(reader).toMatchObject({ needed: 55, available: 20 })
})
