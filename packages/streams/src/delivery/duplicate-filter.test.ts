/** What is a repeat, and what is not. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBatch, decoderOf } from '../test/batch.ts'
import { DuplicateFilter, type DuplicateFilterOptions, type DuplicateResult } from './duplicate-filter.ts'
import { EncodedId } from './encoded-id.ts'
import { FrameRingBuffer } from './frame-ring-buffer.ts'

const SEED = 0x1234_5678

interface Frame {
  readonly scope: number
  readonly text: string
}

interface TestWindow {
  classify(scope: number, name: string, text: string): DuplicateResult
  add(name: string): void
}

/** Frames lie one after the other in chunks of 512 bytes, or each in memory of its own. */
const WAYS = ['shared chunks', 'own chunks'] as const

const decode = (bytes: Uint8Array, start: number, end: number) =>
  JSON.parse(Buffer.from(bytes.subarray(start, end)).toString())

function createWindow(
  way: (typeof WAYS)[number],
  change: Partial<DuplicateFilterOptions<Frame>> & { readonly maxBytes?: number } = {},
): TestWindow {
  const memory = new FrameRingBuffer<Frame>({
    maxFrames: 4096,
    maxBytes: change.maxBytes ?? 1 << 20,
    decoder: decoderOf(decode),
  })
  const window = new DuplicateFilter<Frame>({
    maxIds: 3,
    idBytes: 1024,
    frames: memory,
    compare(known, frame) {
      if (known.scope !== frame.scope) return 'new'
      return known.text === frame.text ? 'duplicate' : 'conflict'
    },
    idOnly: false,
    ...change,
  })
  const spelled = new EncodedId(() => SEED)
  const spell = (name: string): EncodedId => {
    spelled.encodeString(name)
    return spelled
  }
  let chunk = Buffer.alloc(512)
  let at = 0
  return {
    add: (name) => window.add(spell(name)),
    classify(scope, name, text) {
      const frame = { scope, text }
      const bytes = Buffer.from(JSON.stringify(frame))
      if (way === 'own chunks' || at + bytes.length > chunk.length) {
        chunk = Buffer.alloc(way === 'own chunks' ? bytes.length : Math.max(512, bytes.length))
        at = 0
      }
      chunk.set(bytes, at)
      const batch = createBatch(() => frame)
      batch.read(chunk, at, at + bytes.length)
      at += bytes.length
      const result = window.classify(spell(name), frame)
      if (result !== 'duplicate') window.remember(spelled, batch, 0)
      return result
    },
  }
}

describe.each(WAYS)('the window of trade and position streams, over %s', (way) => {
  const window = (change: Parameters<typeof createWindow>[1] = {}) => createWindow(way, change)

  test('a repeat equals in event type, request id and payload', () => {
    const seen = window()
    expect(seen.classify(1024, 'r1', '{"a":1}')).toBe('new')
    expect(seen.classify(1024, 'r1', '{"a":1}')).toBe('duplicate')
    expect(seen.classify(1028, 'r1', '{"a":1}')).toBe('new')
    expect(seen.classify(1024, 'r2', '{"a":1}')).toBe('new')
  })

  test('the same request id with other bytes is a conflict, and is remembered too', () => {
    const seen = window()
    seen.classify(1024, 'r1', '{"a":1}')
    expect(seen.classify(1024, 'r1', '{"a":2}')).toBe('conflict')
    expect(seen.classify(1024, 'r1', '{"a":2}')).toBe('duplicate')
    expect(seen.classify(1024, 'r1', '{"a":1}')).toBe('duplicate')
  })

  test('a message without a request id is never a repeat', () => {
    const seen = window()
    expect([seen.classify(1024, '', 'x'), seen.classify(1024, '', 'x')]).toEqual(['new', 'new'])
  })

  test('forgets the oldest past its bound of messages', () => {
    const seen = window()
    for (const id of ['r1', 'r2', 'r3', 'r4']) seen.classify(1024, id, 'x')
    expect(seen.classify(1024, 'r1', 'x')).toBe('new')
    expect(seen.classify(1024, 'r4', 'x')).toBe('duplicate')
  })

  test('forgets a frame with its content, past the bound of bytes', () => {
    const seen = window({ maxBytes: 4096 })
    for (const id of ['r1', 'r2', 'r3', 'r4', 'r5']) seen.classify(1024, id, id.repeat(400))
    expect(seen.classify(1024, 'r1', 'r1'.repeat(400))).toBe('new')
    expect(seen.classify(1024, 'r5', 'r5'.repeat(400))).toBe('duplicate')
  })

  test.each([
    ['Latin-1', 400, ['a', 'b', 'ÿ'] as const],
    ['others', 200, ['a\u0100', 'b\u0100', 'c\u0100'] as const],
  ])('forgets a message with its name, past the bound of their bytes: %s', (_, length, letters) => {
    const seen = window({ maxIds: 100 })
    for (const id of letters) seen.classify(1024, id.repeat(length), 'x')
    expect(seen.classify(1024, letters[2].repeat(length), 'x')).toBe('duplicate')
    expect(seen.classify(1024, letters[0].repeat(length), 'x')).toBe('new')
  })

  test('what is longer than all that is kept is not remembered, and nothing else is lost for it', () => {
    const seen = window({ maxBytes: 4096 })
    seen.classify(1024, 'r1', 'x')
    for (let n = 0; n < 3; n += 1) expect(seen.classify(1024, 'long', 'x'.repeat(5000))).toBe('new')
    for (let n = 0; n < 3; n += 1) expect(seen.classify(1024, 'n'.repeat(1025), 'x')).toBe('new')
    for (let n = 0; n < 3; n += 1) expect(seen.classify(1024, 'ц'.repeat(513), 'x')).toBe('new')
    expect(seen.classify(1024, 'r1', 'x')).toBe('duplicate')
  })

  test('texts are compared unit by unit, lone surrogates among them', () => {
    const seen = window()
    expect(seen.classify(1, 'r\ud800', 'é\ud800')).toBe('new')
    expect(seen.classify(1, 'r\ud801', 'é\ud800')).toBe('new')
    expect(seen.classify(1, 'r\ud800', 'é\ud801')).toBe('conflict')
    expect(seen.classify(1, 'r\ud800', 'é\ud800')).toBe('duplicate')
  })

  test('names whose hashes are equal are told apart', () => {
    const spelled = new EncodedId(() => SEED)
    const hashOf = (name: string): number => {
      spelled.encodeString(name)
      return spelled.hash
    }
    const byHash = new Map<number, string>()
    const pairs: [string, string][] = []
    for (let n = 0; pairs.length < 3; n += 1) {
      const name = `id-${n.toString(36)}-${(n * 7919).toString(36)}`
      const other = byHash.get(hashOf(name))
      if (other !== undefined) pairs.push([name, other])
      else byHash.set(hashOf(name), name)
    }
    for (const [one, other] of pairs) {
      const seen = window()
      expect([seen.classify(0, one, 'x'), seen.classify(0, other, 'x')]).toEqual(['new', 'new'])
      expect([seen.classify(0, one, 'y'), seen.classify(0, other, 'x')]).toEqual(['conflict', 'duplicate'])
    }
  })

  test('a name that is a part of what was written before is no repeat of it', () => {
    const seen = window()
    expect(seen.classify(0, 'abc', 'x')).toBe('new')
    expect(seen.classify(0, 'ab', 'x')).toBe('new')
    expect(seen.classify(0, 'bc', 'x')).toBe('new')
  })
})

describe.each(WAYS)('the window of ids, over %s', (way) => {
  const ids = (change: Parameters<typeof createWindow>[1] = {}) =>
    createWindow(way, { idOnly: true, ...change })

  test('an id is new once; an empty one always', () => {
    const seen = ids()
    seen.add('committed')
    const results = ['a', 'a', 'committed', '', ''].map((id) => seen.classify(0, id, 'x'))
    expect(results).toEqual(['new', 'duplicate', 'duplicate', 'new', 'new'])
  })

  test('the oldest ids go first', () => {
    const seen = ids({ maxIds: 2 })
    for (const id of ['a', 'b', 'c']) seen.classify(0, id, 'x')
    expect([seen.classify(0, 'c', 'x'), seen.classify(0, 'a', 'x')]).toEqual(['duplicate', 'new'])
  })

  test('an id with another content is a conflict for as long as the frame is known, then a repeat', () => {
    const seen = ids({ maxIds: 10, maxBytes: 4096 })
    seen.classify(0, 'a', 'one')
    expect(seen.classify(0, 'a', 'two')).toBe('conflict')
    expect([seen.classify(0, 'a', 'one'), seen.classify(0, 'a', 'two')]).toEqual(['duplicate', 'duplicate'])
    for (const id of ['b', 'c', 'd', 'e']) seen.classify(0, id, 'x'.repeat(1500))
    expect(seen.classify(0, 'a', 'three')).toBe('duplicate')
  })

  test('an id is remembered also where its frame is longer than all that is kept', () => {
    const seen = ids({ maxBytes: 4096 })
    expect(seen.classify(0, 'a', 'x'.repeat(5000))).toBe('new')
    expect(seen.classify(0, 'a', 'x'.repeat(5000))).toBe('duplicate')
  })
})

test.each(WAYS)('through thousands of frames it says what a list of the last ones says, over %s', (way) => {
  const message = fc.tuple(
    fc.constantFrom(1024, 1028),
    fc.string({ maxLength: 3, unit: fc.constantFrom('a', 'b', 'é', '\u0100') }),
    fc.constantFrom('x', 'y', ''),
  )
  fc.assert(
    fc.property(fc.array(message, { maxLength: 400 }), fc.integer({ min: 1, max: 40 }), (messages, max) => {
      const seen = createWindow(way, { maxIds: max, idBytes: 1 << 12 })
      let known: (typeof messages)[number][] = []
      for (const message of messages) {
        const [scope, name, text] = message
        const same = known.filter((it) => it[0] === scope && it[1] === name)
        const expected =
          name === '' || same.length === 0
            ? 'new'
            : same.some((it) => it[2] === text)
              ? 'duplicate'
              : 'conflict'
        expect(seen.classify(scope, name, text)).toBe(expected)
        if (name !== '' && expected !== 'duplicate') known = [...known, message].slice(-max)
      }
    }),
  )
})

test('names are known while the room for them grows, of all lengths', () => {
  const names = Array.from({ length: 3000 }, (_, n) =>
    `${n}`.padEnd(1 + ((n * 7) % 90), n % 5 === 0 ? 'ц' : 'x'),
  )
  const seen = createWindow('shared chunks', { maxIds: 4096, idBytes: 1 << 20, idOnly: true })
  for (const name of names) expect(seen.classify(0, name, 'x')).toBe('new')
  for (const name of names) expect(seen.classify(0, name, 'x')).toBe('duplicate')
})

test('a name whose number came round again is told from the one that had it', () => {
  const seen = createWindow('shared chunks', { maxIds: 40, idBytes: 1 << 12 })
  for (let n = 0; n < 80_000; n += 1) {
    if (seen.classify(0, `id-${n}`, 'x') !== 'new') throw new Error(`id-${n} is new`)
    if (n > 40 && n % 997 === 0) {
      expect(seen.classify(0, `id-${n - 30}`, 'x')).toBe('duplicate')
      expect(seen.classify(1, `id-${n - 45}`, 'x')).toBe('new')
    }
  }
})

test('its memory grows with the names, up to the bound, and is given back when they become fewer', () => {
  const bytes: number[] = []
  const memory = new FrameRingBuffer<Buffer>({
    maxFrames: 4096,
    maxBytes: 1 << 20,
    decoder: decoderOf((chunk, start, end) => Buffer.from(chunk.subarray(start, end))),
  })
  const window = new DuplicateFilter<Buffer>({
    maxIds: 4096,
    idBytes: 1 << 20,
    frames: memory,
    compare: (known, frame) => (known.equals(frame) ? 'duplicate' : 'conflict'),
    idOnly: false,
  })
  const name = new EncodedId(() => SEED)
  const result = (id: number, frame: Buffer): DuplicateResult => {
    name.encodeString(`request id number ${id}`)
    return window.classify(name, frame)
  }
  const receive = (from: number, to: number, frame: Buffer): void => {
    for (let id = from; id < to; id += 1) {
      const batch = createBatch(() => frame)
      batch.read(frame, 0, frame.length)
      expect(result(id, frame)).toBe('new')
      window.remember(name, batch, 0)
    }
    bytes.push(window.allocatedBytes)
  }
  const small = Buffer.from('{"a":1}')
  receive(0, 0, small)
  receive(0, 100, small)
  receive(100, 5000, small)
  for (const id of [904, 2000, 4999]) expect(result(id, small)).toBe('duplicate')
  expect(result(903, small)).toBe('new')
  receive(5000, 12_000, small)
  // Of frames as large as these only ten fit, so the names of the others are forgotten with them.
  const large = Buffer.alloc(100_000)
  receive(12_000, 12_020, large)
  for (const id of [12_010, 12_019]) expect(result(id, large)).toBe('duplicate')
  expect(result(12_000, large)).toBe('new')
  const [empty = 0, hundred = 0, full = 0, later, fewer = 0] = bytes
  expect(empty).toBeLessThan(1024)
  expect(hundred).toBeLessThan(10 * 1024)
  expect(full).toBeLessThan(360 * 1024)
  expect(later).toBe(full)
  expect(fewer).toBeLessThan(4096)
})
