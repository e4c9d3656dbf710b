/**
 * Decodes short ASCII strings without a call of `utf8Slice`: a string of 16 bytes takes a third of the time.
 * Each length has its own call of `String.fromCharCode`. A concatenation would be slower: V8 keeps its
 * pieces, if it has 13 characters or more, and copies them at the first read.
 */

/** The maximum length in bytes: that of `application/json` and of many identifiers. */
export const MAX_SHORT_TEXT = 16

const { fromCharCode: text } = String

/**
 * @param length - The number of bytes, from 1 to {@link MAX_SHORT_TEXT}.
 * @returns `undefined` if a byte is not ASCII.
 */
export function shortAscii(bytes: Buffer, start: number, length: number): string | undefined {
  const a = bytes[start] as number
  let all = a
  if (length === 1) return all < 0x80 ? text(a) : undefined
  const b = bytes[start + 1] as number
  all |= b
  if (length === 2) return all < 0x80 ? text(a, b) : undefined
  const c = bytes[start + 2] as number
  all |= c
  if (length === 3) return all < 0x80 ? text(a, b, c) : undefined
  const d = bytes[start + 3] as number
  all |= d
  if (length === 4) return all < 0x80 ? text(a, b, c, d) : undefined
  const e = bytes[start + 4] as number
  all |= e
  if (length === 5) return all < 0x80 ? text(a, b, c, d, e) : undefined
  const f = bytes[start + 5] as number
  all |= f
  if (length === 6) return all < 0x80 ? text(a, b, c, d, e, f) : undefined
  const g = bytes[start + 6] as number
  all |= g
  if (length === 7) return all < 0x80 ? text(a, b, c, d, e, f, g) : undefined
  const h = bytes[start + 7] as number
  all |= h
  if (length === 8) return all < 0x80 ? text(a, b, c, d, e, f, g, h) : undefined
  const i = bytes[start + 8] as number
  all |= i
  if (length === 9) return all < 0x80 ? text(a, b, c, d, e, f, g, h, i) : undefined
  const j = bytes[start + 9] as number
  all |= j
  if (length === 10) return all < 0x80 ? text(a, b, c, d, e, f, g, h, i, j) : undefined
  const k = bytes[start + 10] as number
  all |= k
  if (length === 11) return all < 0x80 ? text(a, b, c, d, e, f, g, h, i, j, k) : undefined
  const l = bytes[start + 11] as number
  all |= l
  if (length === 12) return all < 0x80 ? text(a, b, c, d, e, f, g, h, i, j, k, l) : undefined
  const m = bytes[start + 12] as number
  all |= m
  if (length === 13) return all < 0x80 ? text(a, b, c, d, e, f, g, h, i, j, k, l, m) : undefined
  const n = bytes[start + 13] as number
  all |= n
  if (length === 14) return all < 0x80 ? text(a, b, c, d, e, f, g, h, i, j, k, l, m, n) : undefined
  const o = bytes[start + 14] as number
  all |= o
  if (length === 15) return all < 0x80 ? text(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o) : undefined
  const p = bytes[start + 15] as number
  all |= p
  return all < 0x80 ? text(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) : undefined
}
