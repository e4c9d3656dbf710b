/**
 * The readings of a string that may be encoded: the string unchanged, without invisible characters, and
 * decoded up to three times. Each reading records the position of its units in the original string. There are
 * at most {@link MAX_READINGS} readings, and none is longer than the original, so the work is linear in its
 * length.
 */
import { UNSEEN_CLASSES } from './escape-control-chars.ts'

/** One reading of a string. The arrays have at least one entry for each UTF-16 unit of `text`. */
export interface Reading {
  readonly text: string
  /** For each unit, the start in the original string of the escape or unit that it was decoded from. */
  readonly from: Uint32Array
  /** For each unit, the exclusive end of that escape or unit in the original string. */
  readonly to: Uint32Array
}

/**
 * Replacement for an HTML entity whose name is not decoded. The search lets it match any character except a
 * letter or digit. It is a Unicode noncharacter, which normal text does not contain.
 */
export const ANY_SIGN = '\uffff'

/**
 * Maximum number of decoding steps. A string that is percent-encoded twice inside of JSON needs three steps.
 */
const MAX_DEPTH = 3

const HEX = '[\\da-fA-F]'
const NEXT_BYTE = `%[89abAB]${HEX}`
/**
 * A percent-encoded character in UTF-8 of one to four bytes, or a unit in the form of JavaScript's `escape`.
 */
const PERCENT = `%(?:[uU]${HEX}{4}|[0-7]${HEX}|[cdCD]${HEX}${NEXT_BYTE}|[eE]${HEX}(?:${NEXT_BYTE}){2}|[fF]${HEX}(?:${NEXT_BYTE}){3})`
const NUMBER = `#(?:[xX]${HEX}{1,32}|\\d{1,32})`
const ENTITY = `&(?:${NUMBER};?|\\w{1,32};)`
/** Escapes with hexadecimal digits. `\U` has eight digits, as in C, Go and Python. */
const NUMBERED = `U${HEX}{8}|[uU]${HEX}{4}|[uU]\\{${HEX}{1,6}\\}|[xX]${HEX}{2}`
const OCTAL = '[0-3]?[0-7]{1,2}'
const BACKSLASH = `\\\\(?:${NUMBERED}|${OCTAL}|[\\s\\S])`
/** All kinds of escapes. If the digits of an escape are encoded too, the digits are decoded first. */
const ALL = [
  `\\\\(?:${NUMBERED}|${OCTAL}(?![0-7]*${PERCENT})|(?!${PERCENT}|${ENTITY})[^0-7uUxX])`,
  PERCENT,
  `&(?:${NUMBER}(?:;|(?!${HEX}*(?:${PERCENT}|\\\\)))|\\w{1,32};)`,
].join('|')

const rule = (source: string): RegExp => new RegExp(source, 'g')

/**
 * Rules for escapes of several kinds inside one another, without and with the `+` that forms write for a
 * space.
 */
const MIXED: readonly RegExp[] = [ALL, `${ALL}|\\+`].map(rule)
/**
 * Rules for one kind of escapes each, for a secret that itself contains text in the form of an escape of
 * another kind. With these rules, invisible characters are removed after the decoding, because a backslash at
 * the end of a line continues a string literal.
 */
const SINGLE: readonly RegExp[] = [BACKSLASH, PERCENT, ENTITY].map(rule)

/**
 * The maximum number of readings: the string, the string without invisible characters, and each rule up to
 * {@link MAX_DEPTH} times.
 */
export const MAX_READINGS = 2 + (MIXED.length + SINGLE.length) * MAX_DEPTH

/**
 * Invisible characters: the indentation of a folded line, control characters, soft hyphens, zero-width
 * characters.
 */
const INVISIBLE = new RegExp(`\\r?\\n[ \\t]+|[${UNSEEN_CLASSES}\\p{DI}]+`, 'gu')

/** Yields the readings of a text. */
export function* readingsOf(text: string): Generator<Reading, void, undefined> {
  const from = Uint32Array.from({ length: text.length }, (_, at) => at)
  const original = { text, from, to: from.map((at) => at + 1) }
  yield original
  const visible = withoutInvisibleUnits(original)
  if (visible !== undefined) yield visible
  for (const pattern of MIXED) yield* decoded(visible ?? original, pattern)
  for (const pattern of SINGLE) yield* decoded(original, pattern)
}

function* decoded(original: Reading, pattern: RegExp): Generator<Reading, void, undefined> {
  let reading: Reading | undefined = original
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    reading = replaced(reading, pattern, decode)
    if (reading === undefined) return
    reading = withoutInvisibleUnits(reading) ?? reading
    yield reading
  }
}

const withoutInvisibleUnits = (reading: Reading): Reading | undefined =>
  replaced(reading, INVISIBLE, () => '')

/** Returns the text without the characters that {@link readingsOf} removes before it decodes. */
export const withoutInvisible = (text: string): string => text.replace(INVISIBLE, '')

/**
 * Replaces each match. A replacement is never longer than the match.
 *
 * @param read - Returns the replacement. `undefined` leaves a match unchanged.
 * @returns The new reading; `undefined` if nothing was replaced.
 */
function replaced(
  { text, from, to }: Reading,
  pattern: RegExp,
  read: (match: string) => string | undefined,
): Reading | undefined {
  const starts = new Uint32Array(text.length)
  const ends = new Uint32Array(text.length)
  let length = 0
  let copied = 0
  const copyTo = (end: number): void => {
    for (; copied < end; copied += 1, length += 1) {
      starts[length] = from[copied] ?? 0
      ends[length] = to[copied] ?? 0
    }
  }
  const result = text.replace(pattern, (match: string, at: number) => {
    const units = read(match)
    if (units === undefined) return match
    copyTo(at)
    copied += match.length
    // Each unit of a decoded character has the position of the whole escape.
    for (const end = length + units.length; length < end; length += 1) {
      starts[length] = from[at] ?? 0
      ends[length] = to[copied - 1] ?? 0
    }
    return units
  })
  if (copied === 0) return undefined
  copyTo(text.length)
  return { text: result, from: starts, to: ends }
}

/** Returns the characters of an escape; `undefined` if no character has the number in the escape. */
function decode(quoted: string): string | undefined {
  switch (quoted[0]) {
    case '\\':
      return decodeBackslash(quoted)
    case '%':
      return decodePercent(quoted)
    case '&':
      return decodeEntity(quoted)
    default:
      return ' '
  }
}

const character = (code: number): string | undefined =>
  code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined

const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

function decodeBackslash(quoted: string): string | undefined {
  const kind = quoted.charAt(1)
  if (kind >= '0' && kind <= '7') return character(Number.parseInt(quoted.slice(1), 8))
  if (quoted.length === 2) return CONTROLS.get(kind) ?? kind
  return character(parseHex(quoted.slice(quoted[2] === '{' ? 3 : 2)))
}

function decodePercent(quoted: string): string | undefined {
  if (quoted[1] === 'u' || quoted[1] === 'U') return character(parseHex(quoted.slice(2)))
  const first = parseHex(quoted.slice(1, 3))
  const more = quoted.length / 3 - 1
  // In UTF-8, the more bytes follow, the fewer bits of the number the first byte contains. Each following
  // byte contains six bits.
  let code = more === 0 ? first : first & (0x3f >> more)
  for (let at = 4; at < quoted.length; at += 3) {
    code = code * 64 + (parseHex(quoted.slice(at, at + 2)) & 0x3f)
  }
  return character(code)
}

/** Parses hexadecimal digits. It stops at the brace of `\u{41}` and at the semicolon of `&#x41;`. */
const parseHex = (digits: string): number => Number.parseInt(digits, 16)

/** The characters that escapes begin with, and the soft hyphen, by their names in HTML. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['amp;', '&'],
  ['bsol;', '\\'],
  ['lbrace;', '{'],
  ['lcub;', '{'],
  ['num;', '#'],
  ['percnt;', '%'],
  ['rbrace;', '}'],
  ['rcub;', '}'],
  ['semi;', ';'],
  ['shy;', '\u00ad'],
])

function decodeEntity(quoted: string): string | undefined {
  const name = quoted.slice(1).toLowerCase()
  if (!name.startsWith('#')) return SIGNS.get(name) ?? ANY_SIGN
  return character(name[1] === 'x' ? parseHex(name.slice(2)) : Number.parseInt(name.slice(1), 10))
}
