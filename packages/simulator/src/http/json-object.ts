/** Reads a JSON object from a body. */
import { isRecord, utf8Decode } from '@brokerwire/core'

/** The object, or `undefined` where the bytes are something else. */
export function jsonObject(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(utf8Decode(body) ?? '')
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
