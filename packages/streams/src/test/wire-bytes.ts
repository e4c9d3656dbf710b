/** Random bytes for decoders: valid messages, and messages that only an attacker or a broken connection sends. */
import * as fc from 'fast-check'

type Bytes = readonly number[]

function varint(value: bigint): Bytes {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  return [...bytes, Number(rest)]
}

/** Varints of all sizes and single bits; some have more bytes than needed, up to one more than allowed. */
const anyVarint: fc.Arbitrary<Bytes> = fc
  .tuple(
    fc.oneof(
      fc
        .tuple(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.nat(63))
        .map(([value, shift]) => value >> BigInt(shift)),
      fc.nat(63).map((bit) => 1n << BigInt(bit)),
    ),
    fc.oneof(
      { weight: 8, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: fc.integer({ min: 2, max: 11 }) },
    ),
  )
  .map(([value, length]) => {
    const bytes = [...varint(value)]
    while (bytes.length < length) {
      bytes.push((bytes.pop() ?? 0) | 0x80, 0)
    }
    return bytes
  })

/** Bytes of strings: ASCII, multi-byte characters, byte order marks, and invalid UTF-8 of several kinds. */
const anyText: fc.Arbitrary<Bytes> = fc
  .array(
    fc.oneof(
      fc.string().map((text) => [...Buffer.from(text)]),
      fc.string({ unit: 'binary' }).map((text) => [...Buffer.from(text)]),
      fc.constantFrom<Bytes[]>(
        [0xef, 0xbb, 0xbf],
        [0xef, 0xbb],
        [0xef, 0xbf, 0xbd],
        [0xed, 0xa0, 0x80],
        [0xc0, 0x80],
        [0xf4, 0x90, 0x80, 0x80],
        [0xf0, 0x9f, 0x98, 0x80],
        [0x80],
        [0xff],
        [0],
      ),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.flat())

function lengthOf(length: number): fc.Arbitrary<Bytes> {
  const right = varint(BigInt(length))
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant(right) },
    { weight: 1, arbitrary: fc.constant([...right.slice(0, -1), (right.at(-1) ?? 0) | 0x80, 0x00]) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: -3, max: 3 }).map((off) => varint(BigInt(Math.max(0, length + off)))),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(2n ** 31n - 1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 63n).map(varint),
    },
  )
}

function withLength(content: fc.Arbitrary<Bytes>): fc.Arbitrary<Bytes> {
  return content.chain((bytes) => lengthOf(bytes.length).map((length) => [...length, ...bytes]))
}

/** Tags, mostly of fields in the schema and near them; also field 0, the largest number, and larger ones. */
function tags(
  fields: number,
): fc.Arbitrary<{ readonly bytes: Bytes; readonly wireType: number; readonly field: bigint }> {
  const field = fc.oneof(
    { weight: 12, arbitrary: fc.bigInt({ min: 1n, max: BigInt(fields) + 2n }) },
    { weight: 1, arbitrary: fc.constantFrom(0n, 15n, 16n, 2n ** 28n, 2n ** 29n - 1n, 2n ** 29n) },
  )
  const wireType = fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(0, 0, 1, 2, 2, 2, 3, 5) },
    { weight: 1, arbitrary: fc.constantFrom(4, 6, 7) },
  )
  return fc.tuple(field, wireType, fc.nat(15)).map(([number, type, overlong]) => {
    const bytes = varint((number << 3n) | BigInt(type))
    const longer = [
      ...bytes.slice(0, -1),
      (bytes.at(-1) ?? 0) | 0x80,
      ...(overlong === 1 ? [0x80, 0x80, 0x80] : []),
      0,
    ]
    return { bytes: overlong < 2 ? longer : bytes, wireType: type, field: number }
  })
}

function fixed(length: number): fc.Arbitrary<Bytes> {
  return fc.array(fc.integer({ min: 0, max: 255 }), { minLength: length, maxLength: length })
}

/** A sequence of fields. @param depth - How many levels of nested messages and groups are allowed. */
function fieldsOf(fields: number, depth: number): fc.Arbitrary<Bytes> {
  const one = tags(fields).chain(({ bytes, wireType, field }) => {
    const head = (rest: fc.Arbitrary<Bytes>): fc.Arbitrary<Bytes> => rest.map((more) => [...bytes, ...more])
    switch (wireType) {
      case 0:
        return head(anyVarint)
      case 1:
        return head(fixed(8))
      case 2: {
        const packed = fc.array(anyVarint, { maxLength: 4 }).map((values) => values.flat())
        const inner = depth > 0 ? [fieldsOf(fields, depth - 1)] : []
        return head(withLength(fc.oneof(anyText, anyText, packed, ...inner)))
      }
      case 3: {
        const inner = depth > 0 ? fieldsOf(fields, depth - 1) : fc.constant([])
        const end = fc.oneof(
          { weight: 6, arbitrary: fc.constant(varint((field << 3n) | 4n)) },
          { weight: 1, arbitrary: fc.constantFrom<Bytes[]>([], [0x0c], [0x14]) },
        )
        return head(fc.tuple(inner, end).map(([content, close]) => [...content, ...close]))
      }
      case 5:
        return head(fixed(4))
      default:
        return fc.constant(bytes)
    }
  })
  return fc.array(one, { maxLength: depth > 1 ? 6 : 3 }).map((parts) => parts.flat())
}

/**
 * Messages for a schema with the fields 1 to `fields`: valid ones, ones with wrong wire types, wrong lengths and unknown fields,
 * truncated ones, ones with changed bytes, and random bytes.
 */
export function wireBytes(fields: number): fc.Arbitrary<Uint8Array> {
  const whole = fieldsOf(fields, 2)
  const cut = fc
    .tuple(whole, fc.nat(12))
    .map(([bytes, off]) => bytes.slice(0, Math.max(0, bytes.length - off)))
  const changed = fc
    .tuple(whole, fc.nat(), fc.integer({ min: 0, max: 255 }))
    .map(([bytes, at, byte]) => bytes.map((old, index) => (index === at % bytes.length ? byte : old)))
  const noise = fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 40 })
  return fc
    .oneof(
      { weight: 6, arbitrary: whole },
      { weight: 2, arbitrary: cut },
      { weight: 2, arbitrary: changed },
      { weight: 1, arbitrary: noise },
    )
    .map((bytes) => Uint8Array.from(bytes))
}
