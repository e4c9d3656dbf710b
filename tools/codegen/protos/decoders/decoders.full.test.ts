/**
 * The generator on every kind of field: its decoders have the same results as protobuf-es, or it rejects the
 * field.
 */
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

/** Number of generated inputs for each message. */
const RUNS = 3000

/** Fields that the generator rejects, and the kind that the error names. */
const REJECTED = [
  ['map<string, int32> a = 1;', 'a map'],
  ['int64 a = 1 [jstype = JS_STRING];', 'a 64-bit number as a string (jstype)'],
  ['test.everything.Empty a = 1;', 'a message of another file'],
  ['repeated test.everything.Empty a = 1;', 'a message of another file'],
  ['M a = 1;', 'a message outside of a list'],
  ['optional int32 a = 1;', '"optional" or "oneof"'],
  ['oneof c { string a = 1; }', '"optional" or "oneof"'],
  ['double a = 1;', 'this type'],
  ['bytes a = 1;', 'this type'],
  ['repeated uint32 a = 1;', 'a list of numbers'],
  ['repeated test.everything.Kind a = 1;', 'a list of numbers'],
] as const

const files = await compileSchemas({
  'everything.proto': readFileSync(join(import.meta.dirname, 'test/everything.proto'), 'utf8'),
  'proto2.proto': 'syntax = "proto2"; package proto2; message M {}',
  'edition.proto': 'edition = "2023"; package edition; message M {}',
  ...Object.fromEntries(
    REJECTED.map(([field], n) => [
      `refused${n}.proto`,
      `syntax = "proto3"; package refused${n}; import "everything.proto"; message M { ${field} }`,
    ]),
  ),
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

test('every message has a decoder, including nested messages', () => {
  expect([...decoders.keys()].sort()).toEqual(schemas.map(({ typeName }) => typeName).sort())
  expect(decoders.has('test.everything.Message.Uint8Array')).toBe(true)
})

describe('decodes any bytes to the same result as protobuf-es', () => {
  test.each(schemas.map((schema) => [schema.name, schema] as const))('%s', (_, schema) => {
    const [, decoder] = required(schema)
    const surroundings = fc.uint8Array({ maxLength: 9 })
    const counts = { taken: 0, refused: 0 }
    fc.assert(
      fc.property(wireBytes(schema.fields.length), surroundings, surroundings, (bytes, before, after) => {
        counts[assertParity(schema, decoder, bytes, before, after) ? 'taken' : 'refused'] += 1
      }),
      { numRuns: RUNS },
    )
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(RUNS / 20)
  })
})

/**
 * Bytes of a message in which field 1 contains a message, whose field 1 contains a message, and so on,
 * `levels` deep. Each message has the shortest length.
 */
function nested(levels: number): Uint8Array {
  const bytes = new Uint8Array(levels * 6)
  // The innermost message is written first, because a length must be known before it is written.
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
  ])('%d nested messages: accepted %s', (levels, taken) => {
    expect(assertParity(schema, decoder, nested(levels))).toBe(taken)
  })

  test.each([
    [99, true],
    [100, false],
    [10_000_000, false],
  ])('%d nested unknown groups: accepted %s', (levels, taken) => {
    const bytes = new Uint8Array(levels * 2).fill(0x7b, 0, levels).fill(0x7c, levels)
    expect(assertParity(schema, decoder, bytes)).toBe(taken)
  })
})

test('rejects more than 65,536 unknown fields of one message', () => {
  const [schema, decoder] = required(schemas.find(({ name }) => name === 'Empty'))
  const fields = (count: number) => Buffer.alloc(2 * count, Buffer.of(0x78, 1))
  expect(assertParity(schema, decoder, fields(65_536))).toBe(true)
  expect(() => decoder(fields(65_537), 0, 2 * 65_537)).toThrow('too many unknown fields')
})

describe('unsupported kinds of field', () => {
  test.each(REJECTED.map(([field, kind], n) => [field, kind, `refused${n}`]))('%s', (_, kind, name) => {
    const error = `${name}.M.a: decoders are not generated for ${kind}`
    expect(() => decoderModule(file(name), 'reader')).toThrow(error)
  })

  test.each(['proto2', 'edition'])('every file of %s', (name) => {
    expect(() => decoderModule(file(name), 'reader')).toThrow(
      `${name}.proto: decoders are generated for proto3 only`,
    )
  })
})

describe('messages that are read field by field', () => {
  const write = (message: string, known: readonly string[], name: string) =>
    decoderModule(everything, 'reader', new Map([[`test.everything.${message}`, { known, name }]]))

  test('looks up known strings, cuts others from a run, and records the position of the name', () => {
    const text = write('Texts', ['kind'], 'name')
    for (const line of ['kind = reader.knownString(texts)', 'value = reader.cutString(texts)'])
      expect(text).toContain(line)
    expect(text).toContain(
      'name = reader.cutString(texts)\ntexts.idStart = texts.textStart\ntexts.idEnd = reader.pos',
    )
    expect(text.match(/texts\.idEnd/g)).toHaveLength(1)
    expect(text.match(/texts\.begin\(start\)/g)).toHaveLength(1)
    expect(() => write('Texts', ['name'], 'kind')).not.toThrow()
  })

  test('an int64 is a number if a number can represent it', () => {
    const text = write('Scalars', [], 'aString')
    expect(text).toContain('export function fieldsOfScalars<T>(')
    expect(text).toContain('anInt64: number | bigint')
    expect(text).toContain('anInt64 = reader.wholeNumber()')
    expect(text).toContain('aUint32 = reader.uint32()')
  })

  test.each([
    ['Lists', [], 'strings', 'test.everything.Lists.strings: lists are not read field by field'],
    ['Scalars', ['aKind'], 'aString', 'test.everything.Scalars.aKind: must be the name of a string field'],
    [
      'Scalars',
      ['missing'],
      'aString',
      'test.everything.Scalars.missing: must be the name of a string field',
    ],
    ['Scalars', [], 'anInt32', 'test.everything.Scalars.anInt32: must be the name of a string field'],
    ['Texts', ['name'], 'name', 'Texts.name: must be the name of a string field'],
  ])('%s with the known strings %j and the name %s is rejected', (message, known, name, error) => {
    expect(() => write(message, known, name)).toThrow(error)
  })
})
