/** Compares a decoder with protobuf-es' `fromBinary`, for bytes in the middle of a buffer. */
import assert from 'node:assert/strict'
import { type DescMessage, equals, fromBinary, isMessage, type Message, toBinary } from '@bufbuild/protobuf'
import type { BufferDecoder } from '../transport/decoding/gen/range-reader.ts'

/** The result of decoding. */
type Outcome = { readonly message: Message } | { readonly error: unknown }

function tryDecode(decode: () => Message): Outcome {
  try {
    return { message: decode() }
  } catch (error) {
    return { error }
  }
}

/**
 * Decodes `bytes` with both decoders, and asserts that both fail, or that the messages are equal and serialize to the same bytes.
 * The buffer is overwritten before the comparison, so a message must not refer to it.
 *
 * @param before - Bytes before the message in the buffer.
 * @param after - Bytes after the message in the buffer.
 * @returns Whether both decoders accepted the message.
 */
export function assertParity(
  schema: DescMessage,
  decoder: BufferDecoder,
  bytes: Uint8Array,
  before: Uint8Array = new Uint8Array(),
  after: Uint8Array = new Uint8Array(),
): boolean {
  const theirs = tryDecode(() => fromBinary(schema, Uint8Array.from(bytes)))
  const buffer = Buffer.concat([before, bytes, after])
  const ours = tryDecode(() => decoder(buffer, before.length, before.length + bytes.length))
  buffer.fill(0xa5)
  if ('error' in ours) {
    assert.ok('error' in theirs, `failed, but protobuf-es accepts the message: ${String(ours.error)}`)
    assert.ok(ours.error instanceof Error)
    assert.match(ours.error.message, /^protobuf: /)
    return false
  }
  if ('error' in theirs) assert.fail(`accepted, but protobuf-es fails: ${String(theirs.error)}`)
  assert.deepStrictEqual(ours.message, theirs.message)
  assert.ok(isMessage(ours.message, schema))
  // For protobuf-es NaN is not equal to NaN.
  const isWithoutNaN = equals(schema, theirs.message, fromBinary(schema, bytes))
  assert.equal(equals(schema, ours.message, theirs.message), isWithoutNaN)
  const written = [ours.message, theirs.message].map((message) => toBinary(schema, message))
  // NaN has many binary forms, and an engine may write one value in two of them: compare the decoded messages instead.
  const [one, other] = isWithoutNaN ? written : written.map((again) => fromBinary(schema, again))
  assert.deepStrictEqual(one, other)
  return true
}
