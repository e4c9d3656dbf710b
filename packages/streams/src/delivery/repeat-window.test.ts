/** What is a repeat, and what is not. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Decode, MessageBatch, roomFor } from '../transport/message-batch.ts'
import { FrameMemory, NOT_KEPT } from './frame-memory.ts'
import { RepeatWindow, type RepeatWindowOptions, type Verdict } from './repeat-window.ts'
import { SpelledName } from './spelled-name.ts'

const SEED = 0x1234_5678

interface Frame {
  readonly scope: number
  readonly text: string
}

interface TestWindow {
  judge(scope: number, name: string, text: string): Verdict
  know(name: string): void
}

/** Frames lie one after the other in chunks of 512 bytes, or each in memory of its own. */
const WAYS = ['shared chunks', 'own chunks'] as const

const decode = (bytes: Uint8Array, start: number, end: number) =>
  JSON.parse(Buffer.from(bytes.subarray(start, end)).toString())

const decoderOf = <T>(decode: Decode<T>) => ({
  decode,
  texts: { nameStart: 0, nameEnd: 0 },
  besides: () => 0,
})
const createBatch = <T>(decode: Decode<T>) => new MessageBatch<T>(decoderOf(decode), roomFor(100))

function createWindow(
  way: (typeof WAYS)[number],
  change: Partial<RepeatWindowOptions<Frame>> & { readonly maxBytes?: number } = {},
): TestWindow {
  const memory = new FrameMemory<Frame>({
    maxFrames: 4096,
    maxBytes: change.maxBytes ?? 1 << 20,
    decoder: decoderOf(decode),
  })
  const window = new RepeatWindow<Frame>({
    maxNames: 3,
    nameBytes: 1024,
    memory,
    compare(known, frame) {
      if (known.scope !== frame.scope) return 'new'
      return known.text === frame.text ? 'repeat' : 'conflict'
    },
    nameIsEnough: false,
    ...change,
  })
  const spelled = new SpelledName(() => SEED)
  const spell = (name: string): SpelledName => {
    spelled.spellText(name)
    return spelled
  }
  let chunk = Buffer.alloc(512)
  let at = 0
  return {
    know: (name) => window.know(spell(name)),
    judge(scope, name, text) {
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
      const verdict = window.judge(spell(name), frame)
      if (verdict !== 'repeat') window.remember(spelled, batch, 0)
      return verdict
    },
  }
}

describe.each(WAYS)('the window of trade and position streams, over %s', (way) => {
  const window = (change: Parameters<typeof createWindow>[1] = {}) => createWindow(way, change)

  test('a repeat equals in event type, request id and payload', () => {
    const seen = window()
    expect(seen.judge(1024, 'r1', '{"a":1}')).toBe('new')
    expect(seen.judge(1024, 'r1', '{"a":1}')).toBe('repeat')
    expect(seen.judge(1028, 'r1', '{"a":1}')).toBe('new')
    expect(seen.judge(1024, 'r2', '{"a":1}')).toBe('new')
  })

  test('the same request id with other bytes is a conflict, and is remembered too', () => {
    const seen = window()
    seen.judge(1024, 'r1', '{"a":1}')
    expect(seen.judge(1024, 'r1', '{"a":2}')).toBe('conflict')
    expect(seen.judge(1024, 'r1', '{"a":2}')).toBe('repeat')
    expect(seen.judge(1024, 'r1', '{"a":1}')).toBe('repeat')
  })

  test('a message without a request id is never a repeat', () => {
    const seen = window()
    expect([seen.judge(1024, '', 'x'), seen.judge(1024, '', 'x')]).toEqual(['new', 'new'])
  })

  test('forgets the oldest past its bound of messages', () => {
    const seen = window()
    for (const id of ['r1', 'r2', 'r3', 'r4']) seen.judge(1024, id, 'x')
    expect(seen.judge(1024, 'r1', 'x')).toBe('new')
    expect(seen.judge(1024, 'r4', 'x')).toBe('repeat')
  })

  test('forgets a frame with its content, past the bound of bytes', () => {
    const seen = window({ maxBytes: 4096 })
    for (const id of ['r1', 'r2', 'r3', 'r4', 'r5']) seen.judge(1024, id, id.repeat(400))
    expect(seen.judge(1024, 'r1', 'r1'.repeat(400))).toBe('new')
    expect(seen.judge(1024, 'r5', 'r5'.repeat(400))).toBe('repeat')
  })

  test.each([
    ['Latin-1', 400, ['a', 'b', 'ÿ'] as const],
    ['others', 200, ['a\u0100', 'b\u0100', 'c\u0100'] as const],
  ])('forgets a message with its name, past the bound of their bytes: %s', (_, length, letters) => {
    const seen = window({ maxNames: 100 })
    for (const id of letters) seen.judge(1024, id.repeat(length), 'x')
    expect(seen.judge(1024, letters[2].repeat(length), 'x')).toBe('repeat')
    expect(seen.judge(1024, letters[0].repeat(length), 'x')).toBe('new')
  })

  test('what is longer than all that is kept is not remembered, and nothing else is lost for it', () => {
    const seen = window({ maxBytes: 4096 })
    seen.judge(1024, 'r1', 'x')
    for (let n = 0; n < 3; n += 1) expect(seen.judge(1024, 'long', 'x'.repeat(5000))).toBe('new')
    for (let n = 0; n < 3; n += 1) expect(seen.judge(1024, 'n'.repeat(1025), 'x')).toBe('new')
    for (let n = 0; n < 3; n += 1) expect(seen.judge(1024, 'ц'.repeat(513), 'x')).toBe('new')
    expect(seen.judge(1024, 'r1', 'x')).toBe('repeat')
  })

  test('texts are compared unit by unit, lone surrogates among them', () => {
    const seen = window()
    expect(seen.judge(1, 'r\ud800', 'é\ud800')).toBe('new')
    expect(seen.judge(1, 'r\ud801', 'é\ud800')).toBe('new')
    expect(seen.judge(1, 'r\ud800', 'é\ud801')).toBe('conflict')
    expect(seen.judge(1, 'r\ud800', 'é\ud800')).toBe('repeat')
  })

  test('names whose hashes are equal are told apart', () => {
    const spelled = new SpelledName(() => SEED)
    const hashOf = (name: string): number => {
      spelled.spellText(name)
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
      expect([seen.judge(0, one, 'x'), seen.judge(0, other, 'x')]).toEqual(['new', 'new'])
      expect([seen.judge(0, one, 'y'), seen.judge(0, other, 'x')]).toEqual(['conflict', 'repeat'])
    }
  })

  test('a name that is a part of what was written before is no repeat of it', () => {
    const seen = window()
    expect(seen.judge(0, 'abc', 'x')).toBe('new')
    expect(seen.judge(0, 'ab', 'x')).toBe('new')
    expect(seen.judge(0, 'bc', 'x')).toBe('new')
  })
})

describe.each(WAYS)('the window of ids, over %s', (way) => {
  const ids = (change: Parameters<typeof createWindow>[1] = {}) =>
    createWindow(way, { nameIsEnough: true, ...change })

  test('an id is new once; an empty one always', () => {
    const seen = ids()
    seen.know('committed')
    const verdicts = ['a', 'a', 'committed', '', ''].map((id) => seen.judge(0, id, 'x'))
    expect(verdicts).toEqual(['new', 'repeat', 'repeat', 'new', 'new'])
  })

  test('the oldest ids go first', () => {
    const seen = ids({ maxNames: 2 })
    for (const id of ['a', 'b', 'c']) seen.judge(0, id, 'x')
    expect([seen.judge(0, 'c', 'x'), seen.judge(0, 'a', 'x')]).toEqual(['repeat', 'new'])
  })

  test('an id with another content is a conflict for as long as the frame is known, then a repeat', () => {
    const seen = ids({ maxNames: 10, maxBytes: 4096 })
    seen.judge(0, 'a', 'one')
    expect(seen.judge(0, 'a', 'two')).toBe('conflict')
    expect([seen.judge(0, 'a', 'one'), seen.judge(0, 'a', 'two')]).toEqual(['repeat', 'repeat'])
    for (const id of ['b', 'c', 'd', 'e']) seen.judge(0, id, 'x'.repeat(1500))
    expect(seen.judge(0, 'a', 'three')).toBe('repeat')
  })

  test('an id is remembered also where its frame is longer than all that is kept', () => {
    const seen = ids({ maxBytes: 4096 })
    expect(seen.judge(0, 'a', 'x'.repeat(5000))).toBe('new')
    expect(seen.judge(0, 'a', 'x'.repeat(5000))).toBe('repeat')
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
      const seen = createWindow(way, { maxNames: max, nameBytes: 1 << 12 })
      let known: (typeof messages)[number][] = []
      for (const message of messages) {
        const [scope, name, text] = message
        const same = known.filter((it) => it[0] === scope && it[1] === name)
        const expected =
          name === '' || same.length === 0 ? 'new' : same.some((it) => it[2] === text) ? 'repeat' : 'conflict'
        expect(seen.judge(scope, name, text)).toBe(expected)
        if (name !== '' && expected !== 'repeat') known = [...known, message].slice(-max)
      }
    }),
  )
})

test('names are known while the room for them grows, of all lengths', () => {
  const names = Array.from({ length: 3000 }, (_, n) =>
    `${n}`.padEnd(1 + ((n * 7) % 90), n % 5 === 0 ? 'ц' : 'x'),
  )
  const seen = createWindow('shared chunks', { maxNames: 4096, nameBytes: 1 << 20, nameIsEnough: true })
  for (const name of names) expect(seen.judge(0, name, 'x')).toBe('new')
  for (const name of names) expect(seen.judge(0, name, 'x')).toBe('repeat')
})

test('a name whose number came round again is told from the one that had it', () => {
  const seen = createWindow('shared chunks', { maxNames: 40, nameBytes: 1 << 12 })
  for (let n = 0; n < 80_000; n += 1) {
    if (seen.judge(0, `id-${n}`, 'x') !== 'new') throw new Error(`id-${n} is new`)
    if (n > 40 && n % 997 === 0) {
      expect(seen.judge(0, `id-${n - 30}`, 'x')).toBe('repeat')
      expect(seen.judge(1, `id-${n - 45}`, 'x')).toBe('new')
    }
  }
})

test('of what the socket gave, a frame keeps its own bytes and no more', () => {
  const decode = (bytes: Uint8Array, start: number, end: number) =>
    Buffer.from(bytes).toString('latin1', start, end)
  const memory = new FrameMemory<string>({ maxFrames: 4096, maxBytes: 1000, decoder: decoderOf(decode) })
  const chunk = Buffer.alloc(65_536)
  const numbers = Array.from({ length: 100 }, (_, n) => {
    const batch = createBatch(decode)
    const text = `frame ${n}`.padEnd(100)
    chunk.write(text, 60_000, 'latin1')
    batch.read(chunk, 60_000, 60_100)
    return memory.keep(batch, 0)
  })
  const held = numbers.filter((number) => memory.holds(number))
  expect(held).toEqual(numbers.slice(-10))
  chunk.fill(0)
  expect(held.map((number) => memory.recall(number).trimEnd())).toEqual(
    held.map((number) => `frame ${number - 1}`),
  )
})

test('frames of any length and any order of chunks are recalled as they were, within the bound of bytes', () => {
  const decode = (bytes: Uint8Array, start: number, end: number) => Buffer.from(bytes.subarray(start, end))
  const frame = fc.record({
    length: fc.integer({ min: 0, max: 700 }),
    isKept: fc.boolean(),
    isOfNewChunk: fc.boolean(),
    isOfNewBatch: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 80 }), fc.integer({ min: 1, max: 600 }), (frames, maxBytes) => {
      const memory = new FrameMemory<Buffer>({ maxFrames: 32, maxBytes, decoder: decoderOf(decode) })
      const kept = new Map<number, Buffer>()
      let value = 0
      for (const batchFrames of splitBefore(frames, ({ isOfNewBatch }) => isOfNewBatch)) {
        const batch = createBatch(decode)
        for (const chunkFrames of splitBefore(batchFrames, ({ isOfNewChunk }) => isOfNewChunk)) {
          const chunk = Buffer.alloc(chunkFrames.reduce((sum, { length }) => sum + length, 0))
          let at = 0
          for (const { length } of chunkFrames) {
            value += 1
            chunk.fill(value, at, at + length)
            batch.read(chunk, at, at + length)
            at += length
          }
        }
        for (const [index, { isKept, length }] of batchFrames.entries()) {
          if (!isKept) continue
          const number = memory.keep(batch, index)
          expect(number === NOT_KEPT).toBe(length > maxBytes)
          if (number !== NOT_KEPT) kept.set(number, batch.messages[index] as Buffer)
        }
      }
      const held = [...kept].filter(([number]) => memory.holds(number))
      for (const [number, bytes] of held) expect(memory.recall(number)).toEqual(bytes)
      expect(held.reduce((sum, [, { length }]) => sum + length, 0)).toBeLessThanOrEqual(maxBytes)
      if (kept.size > 0) expect(held.length).toBeGreaterThan(0)
    }),
  )
})

test('while the room for them grows, frames stay as they were, and none is forgotten that has room within the bound', () => {
  const decode = (bytes: Uint8Array, start: number, end: number) => Buffer.from(bytes.subarray(start, end))
  const maxBytes = 1 << 20
  const lengths = fc.array(fc.integer({ min: 0, max: 90_000 }), { maxLength: 60 })
  fc.assert(
    fc.property(lengths, fc.integer({ min: 1, max: 5 }), (frames, perBatch) => {
      const memory = new FrameMemory<Buffer>({ maxFrames: 32, maxBytes, decoder: decoderOf(decode) })
      const kept: Buffer[] = []
      for (let from = 0; from < frames.length; from += perBatch) {
        const some = frames.slice(from, from + perBatch)
        const batch = createBatch(decode)
        const chunk = Buffer.alloc(some.reduce((sum, length) => sum + length, 0))
        let at = 0
        for (const [n, length] of some.entries()) {
          chunk.fill(from + n + 1, at, at + length)
          batch.read(chunk, at, at + length)
          at += length
        }
        for (const [n, bytes] of batch.messages.entries())
          expect(memory.keep(batch, n)).toBe(kept.push(bytes))
      }
      for (const [n, bytes] of kept.entries()) {
        if (memory.holds(n + 1)) expect(memory.recall(n + 1).equals(bytes)).toBe(true)
        else {
          // Not more than one batch goes to waste at the end of the room.
          const since = kept.slice(n).reduce((sum, { length }) => sum + length, 0)
          expect(kept.length - n > 32 || since > maxBytes - 5 * 90_000).toBe(true)
        }
      }
    }),
    { numRuns: 60 },
  )
})

/** Parts of a list, each of which begins where the function says so. */
function splitBefore<T>(list: readonly T[], begins: (item: T) => boolean): T[][] {
  const parts: T[][] = []
  for (const item of list) {
    const part = parts.at(-1)
    if (part === undefined || begins(item)) parts.push([item])
    else part.push(item)
  }
  return parts
}

test('the last frames are held, and no more of them than the bound, whether they share chunks or not', () => {
  const decode = (bytes: Uint8Array, start: number) => bytes[start] as number
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 }), (sizes) => {
      const memory = new FrameMemory<number>({
        maxFrames: 16,
        maxBytes: 1 << 20,
        decoder: decoderOf(decode),
      })
      const kept: number[] = []
      for (const size of sizes) {
        const chunk = Buffer.from(new ArrayBuffer(size))
        const batch = createBatch(decode)
        for (let at = 0; at < size; at += 1) {
          chunk[at] = kept.length & 0xff
          batch.read(chunk, at, at + 1)
          kept.push(memory.keep(batch, at))
        }
      }
      const held = kept.filter((number) => memory.holds(number))
      expect(held).toEqual(kept.slice(-16))
      expect(held.map((number) => memory.recall(number))).toEqual(held.map((number) => (number - 1) & 0xff))
    }),
  )
})
