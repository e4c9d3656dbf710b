/** Whether a decoder does what protobuf-es' `fromBinary` does, for bytes that stand in the middle of a used buffer. */
import assert from 'node:assert/strict'
import { type DescMessage, equals, fromBinary, isMessage, type Message, toBinary } from '@bufbuild/protobuf'
import type { BufferDecoder } from '../transport/decoding/gen/range-reader.ts'

/** How an attempt ended. */
type Outcome = { readonly message: Message } | { readonly refusal: unknown }

function attempt(decode: () => Message): Outcome {
  try {
    return { message: decode() }
  } catch (refusal) {
    return { refusal }
  }
}

/**
 * Decodes `bytes` with both and asserts that both refuse, or that the messages are deeply equal, also for protobuf-es,
 * and are written as the same bytes, also after the buffer was used again.
 *
 * @param before - What stands before the message in the buffer.
 * @param after - What stands behind it.
 * @returns Whether both took it.
 */
export function assertParity(
  schema: DescMessage,
  decoder: BufferDecoder,
  bytes: Uint8Array,
  before: Uint8Array = new Uint8Array(),
  after: Uint8Array = new Uint8Array(),
): boolean {
  const theirs = attempt(() => fromBinary(schema, Uint8Array.from(bytes)))
  const buffer = Buffer.concat([before, bytes, after])
  const ours = attempt(() => decoder(buffer, before.length, before.length + bytes.length))
  buffer.fill(0xa5)
  if ('refusal' in ours) {
    assert.ok('refusal' in theirs, `refused what protobuf-es takes: ${String(ours.refusal)}`)
    assert.ok(ours.refusal instanceof Error)
    assert.match(ours.refusal.message, /^protobuf: /)
    return false
  }
  if ('refusal' in theirs) assert.fail(`took what protobuf-es refuses: ${String(theirs.refusal)}`)
  assert.deepStrictEqual(ours.message, theirs.message)
  assert.ok(isMessage(ours.message, schema))
  // NaN is no equal of NaN for protobuf-es.
  const isWithoutNaN = equals(schema, theirs.message, fromBinary(schema, bytes))
  assert.equal(equals(schema, ours.message, theirs.message), isWithoutNaN)
  const written = [ours.message, theirs.message].map((message) => toBinary(schema, message))
  // Which of the many forms of NaN an engine writes is its own affair, and one value may be written in two of them.
  const [one, other] = isWithoutNaN ? written : written.map((again) => fromBinary(schema, again))
  assert.deepStrictEqual(one, other)
  return true
}
