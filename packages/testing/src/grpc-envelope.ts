/** Messages with gRPC's length prefix, which may be invalid. */
import { create, toBinary } from '@bufbuild/protobuf'
import { StringValueSchema } from '@bufbuild/protobuf/wkt'

/** A `google.protobuf.StringValue`, serialized. */
export function textMessage(value: string): Uint8Array {
  return toBinary(StringValueSchema, create(StringValueSchema, { value }))
}

/**
 * Adds the prefix to a message.
 *
 * @param announced - The length in the prefix, if it is not the real one.
 */
export function envelope(body: Uint8Array, flags = 0, announced = body.length): Buffer {
  const prefix = Buffer.from([flags, 0, 0, 0, 0])
  prefix.writeUInt32BE(announced, 1)
  return Buffer.concat([prefix, body])
}

/** `StringValue` messages with their prefixes. */
export function texts(...values: readonly string[]): Buffer {
  return Buffer.concat(values.map((value) => envelope(textMessage(value))))
}
