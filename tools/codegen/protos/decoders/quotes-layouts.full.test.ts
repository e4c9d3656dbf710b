/**
 * Compares messages of market data, decoded with their layouts, with protobuf-es: the results are the same
 * for any bytes.
 */
import { marketDataFile } from '@brokerwire/protos/quotes'
import type { DescMessage, Message } from '@bufbuild/protobuf'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as generated from '../../../../packages/quotes/src/decoding/gen/quotes/quotes_layouts.ts'
import {
  type Layout,
  readTextFields,
  type TextFields,
} from '../../../../packages/quotes/src/decoding/gen/text-fields.ts'
import { assertParity } from '../../../../packages/streams/src/test/decoder-parity.ts'
import { wireBytes } from '../../../../packages/streams/src/test/wire-bytes.ts'
import { layoutModule } from './layout-module.ts'
import type { BufferDecoder } from './runtime/range-reader.ts'
import { compileSchemas } from './test/compile.ts'

/** Number of generated inputs for each message. */
const RUNS = 800

const layouts = new Map<string, Layout>(Object.entries(generated))
const constantOf = ({ name }: DescMessage): string =>
  [...name.matchAll(/[A-Z][a-z]+/g)].join('_').toUpperCase()

/** Converts a result to the form of protobuf-es. */
function messageOf(schema: DescMessage, { texts, parts, unknown }: TextFields): Message {
  const fields = schema.fields.flatMap((field): [string, unknown][] => {
    const inner = field.fieldKind === 'list' || field.fieldKind === 'message' ? field.message : undefined
    if (inner === undefined) return [[field.localName, texts[field.number] ?? '']]
    const messages = (parts[field.number] ?? []).map((part) => messageOf(inner, part))
    if (field.fieldKind === 'list') return [[field.localName, messages]]
    expect(messages.length).toBeLessThan(2)
    return messages.map((message) => [field.localName, message])
  })
  return {
    $typeName: schema.typeName,
    ...Object.fromEntries(fields),
    ...(unknown === undefined ? {} : { $unknown: unknown }),
  } as Message
}

function decoderOf(schema: DescMessage): BufferDecoder {
  const layout = layouts.get(constantOf(schema))
  if (layout === undefined) throw new Error(`no layout of ${schema.typeName}`)
  return (bytes, start, end) => {
    const fields = readTextFields(layout, bytes, start, end)
    expect(fields.hasUnknown).toBe(hasUnknown(fields))
    return messageOf(schema, fields)
  }
}

const hasUnknown = ({ unknown, parts }: TextFields): boolean =>
  unknown !== undefined || parts.flat().some(hasUnknown)

const schemas = marketDataFile.messages.map((schema) => [schema.name, schema] as const)

test('every message has a layout', () => {
  expect([...layouts.keys()].sort()).toEqual(schemas.map(([, schema]) => constantOf(schema)).sort())
})

describe('the same result as protobuf-es', () => {
  test.each(schemas)('%s: for any bytes', (_, schema) => {
    const surroundings = fc.uint8Array({ maxLength: 9 })
    const counts = { taken: 0, refused: 0 }
    fc.assert(
      fc.property(wireBytes(schema.fields.length), surroundings, surroundings, (bytes, before, after) => {
        counts[assertParity(schema, decoderOf(schema), bytes, before, after) ? 'taken' : 'refused'] += 1
      }),
      { numRuns: RUNS },
    )
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(RUNS / 20)
  })

  test.each([
    ['two parts of basic, which are merged', '0a 03 0a0141 0a 03 1a0142 22 00', true],
    ['a second part of basic with an empty symbol', '0a 03 0a0141 0a 02 0a00', true],
    ['a string of 17 bytes', '1a 11 3131313131313131313131313131313131', true],
    ['a string of 17 bytes that is not UTF-8', '1a 11 31313131313131313131313131313131ff', false],
    ['a byte order mark, which is removed', '1a 04 efbbbf 41', true],
    ['two byte order marks, of which one is removed', '1a 07 efbbbf efbbbf 41', true],
  ])('a tick with %s', (_, text, taken) => {
    const schema = schemas.find(([name]) => name === 'Tick')?.[1]
    if (schema === undefined) throw new Error('no Tick')
    const bytes = Buffer.from(text.replaceAll(' ', ''), 'hex')
    const neighbours = [Buffer.alloc(3, 0x41), Buffer.alloc(16, 0x01)] as const
    expect(assertParity(schema, decoderOf(schema), bytes)).toBe(taken)
    expect(assertParity(schema, decoderOf(schema), bytes, ...neighbours)).toBe(taken)
  })
})

const REJECTED = [
  ['a number', 'message A { int32 b = 1; }', 'A.b'],
  ['a string with explicit presence', 'message A { optional string b = 1; }', 'A.b'],
  ['a list of strings', 'message A { repeated string b = 1; }', 'A.b'],
  ['a choice', 'message A { oneof c { string b = 1; } }', 'A.b'],
  ['a map', 'message A { map<string, string> b = 1; }', 'A.b'],
  ['a gap', 'message A { string b = 2; }', 'gaps'],
  ['a message that contains itself', 'message A { A b = 1; }', 'contains itself'],
] as const
const refused = await compileSchemas(
  Object.fromEntries(
    REJECTED.map(([, text], n) => [`${n}.proto`, `syntax = "proto3"; package test${n}; ${text}`]),
  ),
)

test.each(REJECTED.map(([kind, , problem], n) => [kind, problem, refused.get(`${n}`)] as const))(
  'rejects %s',
  (_, problem, file) => {
    if (file === undefined) throw new Error('no file')
    expect(() => layoutModule(file, './text-fields.ts')).toThrow(problem)
  },
)
