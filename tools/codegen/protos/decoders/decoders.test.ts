/** The generator on every kind of field: what it writes does what protobuf-es does, or it refuses to write. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DescFile, DescMessage } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assertParity } from '../../../../packages/streams/src/test/decoder-parity.ts'
import { wireBytes } from '../../../../packages/streams/src/test/wire-bytes.ts'
import { decoderModule } from './decoder-module.ts'
import type { BufferDecoder } from './runtime/range-reader.ts'
import { compileSchemas, loadDecoders } from './test/compile.ts'

const proto3 = (body: string): string => `syntax = "proto3"; package test; ${body}`
const files = await compileSchemas({
  'everything.proto': readFileSync(join(import.meta.dirname, 'test/everything.proto'), 'utf8'),
  'map.proto': proto3('message M { int32 a = 1; map<string, int32> counts = 2; }'),
  'texts.proto':
    'syntax = "proto3"; package test.everything; message Texts { string kind = 1; string name = 2; string value = 3; }',
  'jstype.proto': proto3('message J { int64 id = 1 [jstype = JS_STRING]; }'),
  'jstypes.proto': proto3('message K { repeated int64 ids = 1 [jstype = JS_STRING]; }'),
  'other.proto': proto3('import "everything.proto"; message O { test.everything.Empty empty = 1; }'),
  'wrapped.proto': proto3(
    'import "google/protobuf/wrappers.proto"; message W { google.protobuf.Int32Value w = 1; }',
  ),
  'choice.proto': proto3(
    'import "google/protobuf/struct.proto"; message C { oneof c { google.protobuf.Struct s = 1; } }',
  ),
  'old.proto': 'syntax = "proto2"; package test; message P { optional int32 a = 1; }',
  'edition.proto': 'edition = "2023"; package test; message E { int32 a = 1; }',
})

function file(name: string): DescFile {
  const found = files.get(name)
  if (found === undefined) throw new Error(`no ${name}.proto`)
  return found
}

const everything = file('everything')
const decoders = await loadDecoders(everything)
const schemas = [...nestedTypes(everything)].filter((type): type is DescMessage => type.kind === 'message')

function required(schema: DescMessage | undefined): [DescMessage, BufferDecoder] {
  const decoder = decoders.get(schema?.typeName ?? '')
  if (schema === undefined || decoder === undefined) throw new Error('no decoder')
  return [schema, decoder]
}

test('every message has a decoder, nested ones too', () => {
  expect([...decoders.keys()].sort()).toEqual(schemas.map(({ typeName }) => typeName).sort())
  expect(decoders.has('test.everything.Choices.Leaf')).toBe(true)
})

describe('the same outcome as protobuf-es, for any bytes', () => {
  test.each(schemas.map((schema) => [schema.name, schema] as const))('%s', (_, schema) => {
    const [, decoder] = required(schema)
    const surroundings = fc.uint8Array({ maxLength: 9 })
    const counts = { taken: 0, refused: 0 }
    fc.assert(
      fc.property(wireBytes(schema.fields.length), surroundings, surroundings, (bytes, before, after) => {
        counts[assertParity(schema, decoder, bytes, before, after) ? 'taken' : 'refused'] += 1
      }),
      { numRuns: 3000 },
    )
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(150)
  })
})

test('a signaling NaN is a NaN', () => {
  const schema = schemas.find(({ name }) => name === 'Lists')
  const bytes = Uint8Array.from([9, 0, 0, 0, 0, 0, 0, 0xf1, 0x7f])
  for (let times = 0; times < 2000; times += 1) expect(assertParity(...required(schema), bytes)).toBe(true)
})

/** A message of field 1 in a message of field 1, and so on, `levels` deep, none of them longer than it must be. */
function nested(levels: number): Uint8Array {
  const bytes = new Uint8Array(levels * 6)
  // From the innermost one on, so that each length is known when it is written.
  let start = bytes.length
  for (let level = 0; level < levels; level += 1) {
    const head = [0x0a]
    let rest = bytes.length - start
    for (; rest > 0x7f; rest >>>= 7) head.push((rest & 0x7f) | 0x80)
    head.push(rest)
    start -= head.length
    bytes.set(head, start)
  }
  return bytes.subarray(start)
}

describe('depth', () => {
  const [schema, decoder] = required(schemas.find(({ name }) => name === 'Tree'))

  test.each([
    [99, true],
    [100, false],
    [2_000_000, false],
  ])('%d messages in the message: taken %s', (levels, taken) => {
    expect(assertParity(schema, decoder, nested(levels))).toBe(taken)
  })

  test.each([
    [99, true],
    [100, false],
    [10_000_000, false],
  ])('%d groups that nobody knows: taken %s', (levels, taken) => {
    const bytes = new Uint8Array(levels * 2).fill(0x7b, 0, levels).fill(0x7c, levels)
    expect(assertParity(schema, decoder, bytes)).toBe(taken)
  })
})

test('more than 65,536 unknown fields of one message are refused', () => {
  const [schema, decoder] = required(schemas.find(({ name }) => name === 'Empty'))
  const fields = (count: number) => Buffer.alloc(2 * count, Buffer.of(0x78, 1))
  expect(assertParity(schema, decoder, fields(65_536))).toBe(true)
  expect(() => decoder(fields(65_537), 0, 2 * 65_537)).toThrow('too many unknown fields')
})

describe('what decoders are not generated for is refused by name', () => {
  test.each([
    ['map', 'test.M.counts: decoders are not generated for a map'],
    ['jstype', 'test.J.id: decoders are not generated for a 64-bit number as text (jstype)'],
    ['jstypes', 'test.K.ids: decoders are not generated for a 64-bit number as text (jstype)'],
    ['other', 'test.O.empty: decoders are not generated for a message of another file'],
    ['wrapped', 'test.W.w: decoders are not generated for a message of another file'],
    ['choice', 'test.C.s: decoders are not generated for a message of another file'],
    ['old', 'old.proto: decoders are generated for proto3 only'],
    ['edition', 'edition.proto: decoders are generated for proto3 only'],
  ])('%s.proto', (name, message) => {
    expect(() => decoderModule(file(name), 'reader')).toThrow(message)
  })
})

describe('messages that are read field by field', () => {
  const write = (message: string, known: readonly string[], name = 'aString', of = everything) =>
    decoderModule(of, 'reader', new Map([[`test.everything.${message}`, { known, name }]]))

  test('texts that often come again are looked up, others are cut from one, and where the name is is noted', () => {
    const text = write('Texts', ['kind'], 'name', file('texts'))
    for (const line of ['kind = reader.knownString(texts)', 'value = reader.cutString(texts)'])
      expect(text).toContain(line)
    expect(text).toContain(
      'name = reader.cutString(texts)\ntexts.nameStart = texts.textStart\ntexts.nameEnd = reader.pos',
    )
    expect(text.match(/texts\.nameEnd/g)).toHaveLength(1)
    expect(text.match(/texts\.begin\(start\)/g)).toHaveLength(1)
    expect(() => write('Texts', ['name'], 'kind', file('texts'))).not.toThrow()
    expect(() => write('Texts', ['name'], 'name', file('texts'))).toThrow(
      'Texts.name: no text that could be known',
    )
  })

  test('each field is handed on: an int64 is a number where one holds it', () => {
    const text = write('Scalars', [])
    expect(text).toContain('export function fieldsOfScalars<T>(')
    expect(text).toContain('anInt64: number | bigint')
    expect(text).toContain('anInt64 = reader.wholeNumber()')
    expect(text).toContain('aUint64 = reader.uint64()')
  })

  test.each([
    [
      'Lists',
      [],
      'test.everything.Lists.doubles: only single scalars are handed on by themselves',
      'aString',
    ],
    [
      'Choices',
      [],
      'test.everything.Choices.number: only single scalars are handed on by themselves',
      'aString',
    ],
    ['Scalars', ['aKind'], 'test.everything.Scalars.aKind: no text that could be known', 'aString'],
    ['Scalars', ['missing'], 'test.everything.Scalars.missing: no text that could be known', 'aString'],
    ['Scalars', [], 'test.everything.Scalars.anInt32: no text that could be known', 'anInt32'],
  ])('of %s with %j nothing is written', (message, known, error, name) => {
    expect(() => write(message, known, name)).toThrow(error)
  })
})
