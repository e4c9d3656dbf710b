/** Reads a JSON object from a body. */
import { parseJsonObject, utf8Decode } from '@brokerwire/core'

/** The object, or `undefined` where the bytes are something else. */
export function jsonObject(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  return parseJsonObject(utf8Decode(body))
}
