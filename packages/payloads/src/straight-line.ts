/**
 * What straight-line code is made of, and how a decoder gets some.
 *
 * Generated from the definitions for the payloads that come most often. It reads clean payloads alone and gives up
 * on everything else: then the decoder itself reads again and says what is wrong. So it needs to be fast, and the
 * decoder right.
 */
import type { Decoder } from './decoder.ts'
import type { JsonText } from './exact-values.ts'

/** Reads a clean value of a JSON text as its decoder would; `undefined` for any other. */
export type StraightLine = (value: unknown, json: JsonText) => object | undefined

/** The same decoder with straight-line code for lenient reading of parsed JSON text. */
export function withStraightLine<T extends object>(decoder: Decoder<T>, read: StraightLine): Decoder<T> {
  return { ...decoder, '~straightLine': read as (value: unknown, json: JsonText) => T | undefined }
}

/** Reads a list; `undefined` where it is none, or one of its items is not clean. */
export function straightList<T>(
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
