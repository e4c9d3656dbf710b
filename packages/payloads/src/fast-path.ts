/**
 * The fast path of decoders: generated straight-line code for the most frequent payloads. It decodes only
 * payloads without any difference from the documents. For any other payload it returns `undefined`, so that
 * the decoder decodes the payload and reports problems.
 */
import type { Decoder } from './decoder.ts'
import type { JsonText } from './exact-values.ts'

/** Decodes a value without any difference from the documents. Returns `undefined` for any other value. */
export type FastDecodeFunction = (value: unknown, json: JsonText) => object | undefined

/** Adds a fast path to a decoder, for lenient decoding of parsed JSON text. */
export function withFastPath<T extends object>(decoder: Decoder<T>, read: FastDecodeFunction): Decoder<T> {
  return { ...decoder, '~fastPath': read as (value: unknown, json: JsonText) => T | undefined }
}

/** Decodes an array. Returns `undefined` if the value or one of its items needs the decoder. */
export function fastList<T>(
  value: unknown,
  json: JsonText,
  read: (item: unknown, json: JsonText) => T | undefined,
): T[] | undefined {
  if (!Array.isArray(value)) return undefined
  const output: T[] = []
  for (let index = 0; index < value.length; index += 1) {
    const item = read(value[index], json)
    if (item === undefined) return undefined
    output.push(item)
  }
  return output
}
