/**
 * The fast path of decoders: generated straight-line code for the most frequent payloads.
 *
 * It reads clean payloads only. For all others it returns `undefined`, and the decoder reads again and reports problems.
 */
import type { Decoder } from './decoder.ts'
import type { JsonText } from './exact-values.ts'

/** Reads a clean value of a JSON text as its decoder would; `undefined` for any other. */
export type FastDecodeFunction = (value: unknown, json: JsonText) => object | undefined

/** The same decoder with straight-line code for lenient decoding of parsed JSON text. */
export function withFastPath<T extends object>(decoder: Decoder<T>, read: FastDecodeFunction): Decoder<T> {
  return { ...decoder, '~fastPath': read as (value: unknown, json: JsonText) => T | undefined }
}

/** Reads a list; `undefined` if the value or one of its items is not clean. */
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
