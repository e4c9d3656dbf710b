/** Which frames are duplicates or conflicts, and how much memory the filter takes. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBatch, createDecoder } from '../test/batch.ts'
import { DuplicateFilter, type DuplicateFilterOptions, type DuplicateResult } from './duplicate-filter.ts'
import { EncodedId } from './encoded-id.ts'
import { FrameRingBuffer } from './frame-ring-buffer.ts'

const SEED = 0x1234_5678

interface Frame {
  readonly scope: number
  readonly text: string
}

interface TestFilter {
  /** Checks a frame, and adds it unless it is a duplicate. */
  classify(scope: number, id: string, text: string): DuplicateResult
  addId(id: string): void
}

/** Frames are next to each other in chunks of 512 bytes, or each in a separate chunk. */
const LAYOUTS = ['shared chunks', 'separate chunks'] as const

const decode = (bytes: Uint8Array, start: number, end: number) =>
  JSON.parse(Buffer.from(bytes.subarray(start, end)).toString())

function createFilter(
  layout: (typeof LAYOUTS)[number],
  change: Partial<DuplicateFilterOptions<Frame>> & { readonly maxBytes?: number } = {},
): TestFilter {
  const frames = new FrameRingBuffer<Frame>({
    maxFrames: 4096,
    maxBytes: change.maxBytes ?? 1 << 20,
    decoder: createDecoder(decode),
  })
  const filter = new DuplicateFilter<Frame>({
    maxIds: 3,
    idBytes: 1024,
    frames,
    compare(known, frame) {
      if (known.scope !== frame.scope) return 'new'
      return known.text === frame.text ? 'duplicate' : 'conflict'
    },
    idOnly: false,
    ...change,
  })
  const encodedId = new EncodedId(() => SEED)
  const encode = (id: string): EncodedId => {
    encodedId.encodeString(id)
    return encodedId
  }
  let chunk = Buffer.alloc(512)
  let at = 0
  return {
    addId: (id) => filter.addId(encode(id)),
    classify(scope, id, text) {
      const frame = { scope, text }
      const bytes = Buffer.from(JSON.stringify(frame))
      if (layout === 'separate chunks' || at + bytes.length > chunk.length) {
        chunk = Buffer.alloc(layout === 'separate chunks' ? bytes.length : Math.max(512, bytes.length))
        at = 0
      }
      chunk.set(bytes, at)
      const batch = createBatch(() => frame)
      batch.read(chunk, at, at + bytes.length)
      at += bytes.length
      const result = filter.classify(encode(id), frame)
      if (result !== 'duplicate') filter.add(encodedId, batch, 0)
      return result
    },
  }
}

describe.each(LAYOUTS)('the duplicate filter of trade and position streams, with frames in %s', (layout) => {
  const create = (change: Parameters<typeof createFilter>[1] = {}) => createFilter(layout, change)

  test('a duplicate has the event type, request id and payload of an earlier event', () => {
    const filter = create()
    expect(filter.classify(1024, 'r1', '{"a":1}')).toBe('new')
    expect(filter.classify(1024, 'r1', '{"a":1}')).toBe('duplicate')
    expect(filter.classify(1028, 'r1', '{"a":1}')).toBe('new')
    expect(filter.classify(1024, 'r2', '{"a":1}')).toBe('new')
  })

  test('an event with a known request id and another payload is a conflict, and is added too', () => {
    const filter = create()
    filter.classify(1024, 'r1', '{"a":1}')
    expect(filter.classify(1024, 'r1', '{"a":2}')).toBe('conflict')
    expect(filter.classify(1024, 'r1', '{"a":2}')).toBe('duplicate')
    expect(filter.classify(1024, 'r1', '{"a":1}')).toBe('duplicate')
  })

  test('an event without a request id is never a duplicate', () => {
    const filter = create()
    expect(filter.classify(1024, '', 'x')).toBe('new')
    expect(filter.classify(1024, '', 'x')).toBe('new')
  })

  test('discards the oldest events beyond its bound of events', () => {
    const filter = create()
    for (const id of ['r1', 'r2', 'r3', 'r4']) filter.classify(1024, id, 'x')
    expect(filter.classify(1024, 'r1', 'x')).toBe('new')
    expect(filter.classify(1024, 'r4', 'x')).toBe('duplicate')
  })

  test('discards the oldest events beyond the bound of frame bytes', () => {
    const filter = create({ maxBytes: 4096 })
    for (const id of ['r1', 'r2', 'r3', 'r4', 'r5']) filter.classify(1024, id, id.repeat(400))
    expect(filter.classify(1024, 'r1', 'r1'.repeat(400))).toBe('new')
    expect(filter.classify(1024, 'r5', 'r5'.repeat(400))).toBe('duplicate')
  })

  test.each([
    ['Latin-1 ids', 400, ['a', 'b', 'ÿ'] as const],
    ['other ids', 200, ['a\u0100', 'b\u0100', 'c\u0100'] as const],
  ])('discards the oldest events beyond the bound of id bytes, for %s', (_, length, letters) => {
    const filter = create({ maxIds: 100 })
    for (const id of letters) filter.classify(1024, id.repeat(length), 'x')
    expect(filter.classify(1024, letters[2].repeat(length), 'x')).toBe('duplicate')
    expect(filter.classify(1024, letters[0].repeat(length), 'x')).toBe('new')
  })

  test('does not add an event that is longer than a bound, and discards nothing for it', () => {
    const filter = create({ maxBytes: 4096 })
    filter.classify(1024, 'r1', 'x')
    for (let n = 0; n < 3; n += 1) expect(filter.classify(1024, 'long', 'x'.repeat(5000))).toBe('new')
    for (let n = 0; n < 3; n += 1) expect(filter.classify(1024, 'n'.repeat(1025), 'x')).toBe('new')
    for (let n = 0; n < 3; n += 1) expect(filter.classify(1024, 'ц'.repeat(513), 'x')).toBe('new')
    expect(filter.classify(1024, 'r1', 'x')).toBe('duplicate')
  })

  test('compares ids and payloads with lone surrogates exactly', () => {
    const filter = create()
    expect(filter.classify(1, 'r\ud800', 'é\ud800')).toBe('new')
    expect(filter.classify(1, 'r\ud801', 'é\ud800')).toBe('new')
    expect(filter.classify(1, 'r\ud800', 'é\ud801')).toBe('conflict')
    expect(filter.classify(1, 'r\ud800', 'é\ud800')).toBe('duplicate')
  })

  test('distinguishes ids that have the same hash', () => {
    const encodedId = new EncodedId(() => SEED)
    const hash = (id: string): number => {
      encodedId.encodeString(id)
      return encodedId.hash
    }
    const byHash = new Map<number, string>()
    const pairs: [string, string][] = []
    for (let n = 0; pairs.length < 3; n += 1) {
      const id = `id-${n.toString(36)}-${(n * 7919).toString(36)}`
      const other = byHash.get(hash(id))
      if (other !== undefined) pairs.push([id, other])
      else byHash.set(hash(id), id)
    }
    for (const [one, other] of pairs) {
      const filter = create()
      expect(filter.classify(0, one, 'x')).toBe('new')
      expect(filter.classify(0, other, 'x')).toBe('new')
      expect(filter.classify(0, one, 'y')).toBe('conflict')
      expect(filter.classify(0, other, 'x')).toBe('duplicate')
    }
  })

  test('an id that is a part of an earlier id is new', () => {
    const filter = create()
    expect(filter.classify(0, 'abc', 'x')).toBe('new')
    expect(filter.classify(0, 'ab', 'x')).toBe('new')
    expect(filter.classify(0, 'bc', 'x')).toBe('new')
  })
})

describe.each(LAYOUTS)('a duplicate filter with idOnly, with frames in %s', (layout) => {
  const create = (change: Parameters<typeof createFilter>[1] = {}) =>
    createFilter(layout, { idOnly: true, ...change })

  test('an id is new once, and an empty id always', () => {
    const filter = create()
    filter.addId('committed')
    const results = ['a', 'a', 'committed', '', ''].map((id) => filter.classify(0, id, 'x'))
    expect(results).toEqual(['new', 'duplicate', 'duplicate', 'new', 'new'])
  })

  test('discards the oldest ids first', () => {
    const filter = create({ maxIds: 2 })
    for (const id of ['a', 'b', 'c']) filter.classify(0, id, 'x')
    expect(filter.classify(0, 'c', 'x')).toBe('duplicate')
    expect(filter.classify(0, 'a', 'x')).toBe('new')
  })

  test('an id with another payload is a conflict while the frame is stored, then a duplicate', () => {
    const filter = create({ maxIds: 10, maxBytes: 4096 })
    filter.classify(0, 'a', 'one')
    expect(filter.classify(0, 'a', 'two')).toBe('conflict')
    expect(filter.classify(0, 'a', 'one')).toBe('duplicate')
    expect(filter.classify(0, 'a', 'two')).toBe('duplicate')
    for (const id of ['b', 'c', 'd', 'e']) filter.classify(0, id, 'x'.repeat(1500))
    expect(filter.classify(0, 'a', 'three')).toBe('duplicate')
  })

  test('adds an id even if its frame exceeds the bound of frame bytes', () => {
    const filter = create({ maxBytes: 4096 })
    expect(filter.classify(0, 'a', 'x'.repeat(5000))).toBe('new')
    expect(filter.classify(0, 'a', 'x'.repeat(5000))).toBe('duplicate')
  })
})

test.each(LAYOUTS)(
  'gives the results of a simple list of the last events, for random events in %s',
  (layout) => {
    const message = fc.tuple(
      fc.constantFrom(1024, 1028),
      fc.string({ maxLength: 3, unit: fc.constantFrom('a', 'b', 'é', '\u0100') }),
      fc.constantFrom('x', 'y', ''),
    )
    fc.assert(
      fc.property(fc.array(message, { maxLength: 400 }), fc.integer({ min: 1, max: 40 }), (messages, max) => {
        const filter = createFilter(layout, { maxIds: max, idBytes: 1 << 12 })
        let known: (typeof messages)[number][] = []
        for (const message of messages) {
          const [scope, id, text] = message
          const same = known.filter((it) => it[0] === scope && it[1] === id)
          const expected =
            id === '' || same.length === 0
              ? 'new'
              : same.some((it) => it[2] === text)
                ? 'duplicate'
                : 'conflict'
          expect(filter.classify(scope, id, text)).toBe(expected)
          if (id !== '' && expected !== 'duplicate') known = [...known, message].slice(-max)
        }
      }),
    )
  },
)

test('finds ids of any length while its memory grows', () => {
  const ids = Array.from({ length: 3000 }, (_, n) =>
    `${n}`.padEnd(1 + ((n * 7) % 90), n % 5 === 0 ? 'ц' : 'x'),
  )
  const filter = createFilter('shared chunks', { maxIds: 4096, idBytes: 1 << 20, idOnly: true })
  for (const id of ids) expect(filter.classify(0, id, 'x')).toBe('new')
  for (const id of ids) expect(filter.classify(0, id, 'x')).toBe('duplicate')
})

test('does not confuse entries whose numbers are equal modulo 2^16', () => {
  const filter = createFilter('shared chunks', { maxIds: 40, idBytes: 1 << 12 })
  for (let n = 0; n < 80_000; n += 1) {
    if (filter.classify(0, `id-${n}`, 'x') !== 'new') throw new Error(`id-${n} is new`)
    if (n > 40 && n % 997 === 0) {
      expect(filter.classify(0, `id-${n - 30}`, 'x')).toBe('duplicate')
      expect(filter.classify(1, `id-${n - 45}`, 'x')).toBe('new')
    }
  }
})

test('grows with the ids up to the bound, and shrinks when they become fewer', () => {
  const bytes: number[] = []
  const frames = new FrameRingBuffer<Buffer>({
    maxFrames: 4096,
    maxBytes: 1 << 20,
    decoder: createDecoder((chunk, start, end) => Buffer.from(chunk.subarray(start, end))),
  })
  const filter = new DuplicateFilter<Buffer>({
    maxIds: 4096,
    idBytes: 1 << 20,
    frames,
    compare: (known, frame) => (known.equals(frame) ? 'duplicate' : 'conflict'),
    idOnly: false,
  })
  const encodedId = new EncodedId(() => SEED)
  const classify = (id: number, frame: Buffer): DuplicateResult => {
    encodedId.encodeString(`request id number ${id}`)
    return filter.classify(encodedId, frame)
  }
  const receive = (from: number, to: number, frame: Buffer): void => {
    for (let id = from; id < to; id += 1) {
      const batch = createBatch(() => frame)
      batch.read(frame, 0, frame.length)
      expect(classify(id, frame)).toBe('new')
      filter.add(encodedId, batch, 0)
    }
    bytes.push(filter.allocatedBytes)
  }
  const small = Buffer.from('{"a":1}')
  receive(0, 0, small)
  receive(0, 100, small)
  receive(100, 5000, small)
  for (const id of [904, 2000, 4999]) expect(classify(id, small)).toBe('duplicate')
  expect(classify(903, small)).toBe('new')
  receive(5000, 12_000, small)
  // Only ten of these large frames fit, so the ids of the others are discarded with them.
  const large = Buffer.alloc(100_000)
  receive(12_000, 12_020, large)
  for (const id of [12_010, 12_019]) expect(classify(id, large)).toBe('duplicate')
  expect(classify(12_000, large)).toBe('new')
  const [empty = 0, hundred = 0, full = 0, later, fewer = 0] = bytes
  expect(empty).toBeLessThan(1024)
  expect(hundred).toBeLessThan(10 * 1024)
  expect(full).toBeLessThan(360 * 1024)
  expect(later).toBe(full)
  expect(fewer).toBeLessThan(4096)
})
