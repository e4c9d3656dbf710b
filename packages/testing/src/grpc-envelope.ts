/** Creates messages with gRPC's length prefix. The prefix may be invalid on purpose. */
import { create, toBinary } from '@bufbuild/protobuf'
import { StringValueSchema } from '@bufbuild/protobuf/wkt'

/** Returns a serialized `google.protobuf.StringValue`. */
export function textMessage(value: string): Uint8Array {
  return toBinary(StringValueSchema, create(StringValueSchema, { value }))
}

/**
 * Adds the prefix to a message.
 *
 * @param announced - The length in the prefix. Default: the real length of the message.
 */
export function envelope(body: Uint8Array, flags = 0, announced = body.length): Buffer {
  const prefix = Buffer.from([flags, 0, 0, 0, 0])
  prefix.writeUInt32BE(announced, 1)
  return Buffer.concat([prefix, body])
}

/** Returns `StringValue` messages with their prefixes. */
export function texts(...values: readonly string[]): Buffer {
  return Buffer.concat(values.map((value) => envelope(textMessage(value))))
}
