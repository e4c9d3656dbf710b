/** The ways to read an encoded text. Each keeps account of where what it reads stands in the text. */
import { UNSEEN_CLASSES } from './printable.ts'

type Range = readonly [from: number, to: number]

/** A text as one reads it. */
export interface Reading {
  readonly text: string
  /** The part of the original that one unit of the reading stands for. */
  sourceOf(place: number): Range
}

/** `undefined` where the text has nothing to decode in this way. */
type Reader = (text: string) => Reading | undefined

/** What tells that there may be an escape, what it is, and what it stands for. */
type Rule = readonly [sign: string | RegExp, pattern: RegExp, decode: (quoted: string) => string]

const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/** What stands for the character with this number; itself, where there is none. */
function character(quoted: string, digits: string, base: number): string {
  const code = Number.parseInt(digits, base)
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : quoted
}

function readBackslash(quoted: string): string {
  const rest = quoted.slice(1)
  if (/^[^0-7]$/.test(rest)) return CONTROLS.get(rest) ?? rest
  return /^[ux]/i.test(rest)
    ? character(quoted, rest.replace(/[ux{}]/gi, ''), 16)
    : character(quoted, rest, 8)
}

function readPercent(quoted: string): string {
  if (/^%u/i.test(quoted)) return character(quoted, quoted.slice(2), 16)
  try {
    return decodeURIComponent(quoted)
  } catch {
    return quoted
  }
}

/** The names of what is no letter and no digit in ASCII, as HTML has them, and of the hyphen that nobody sees. */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '!': ['excl'],
    '"': ['quot', 'QUOT'],
    '#': ['num'],
    $: ['dollar'],
    '%': ['percnt'],
    '&': ['amp', 'AMP'],
    "'": ['apos'],
    '(': ['lpar'],
    ')': ['rpar'],
    '*': ['ast', 'midast'],
    '+': ['plus'],
    ',': ['comma'],
    '.': ['period'],
    '/': ['sol'],
    ':': ['colon'],
    ';': ['semi'],
    '<': ['lt', 'LT'],
    '=': ['equals'],
    '>': ['gt', 'GT'],
    '?': ['quest'],
    '@': ['commat'],
    '[': ['lsqb', 'lbrack'],
    '\\': ['bsol'],
    ']': ['rsqb', 'rbrack'],
    '^': ['Hat'],
    _: ['lowbar', 'UnderBar'],
    '\u00ad': ['shy'],
    '`': ['grave', 'DiacriticalGrave'],
    '{': ['lcub', 'lbrace'],
    '|': ['verbar', 'vert', 'VerticalLine'],
    '}': ['rcub', 'rbrace'],
  }).flatMap(([of, names]) => names.map((name) => [name, of] as const)),
)

function readEntity(quoted: string): string {
  const name = quoted.replace(/^&|;$/g, '')
  if (!name.startsWith('#')) return ENTITIES.get(name) ?? quoted
  return /^#x/i.test(name) ? character(quoted, name.slice(2), 16) : character(quoted, name.slice(1), 10)
}

/** One character each: as many bytes as its first one says, or a unit as `escape` of JavaScript writes it. */
const PERCENT =
  '%u[\\da-f]{4}|%[0-7][\\da-f]|%[cd][\\da-f]%[\\da-f]{2}|%e[\\da-f](?:%[\\da-f]{2}){2}|%f[\\da-f](?:%[\\da-f]{2}){3}'

/** A capital `U` has eight digits where there are so many, as in C, Go and Python. */
const BACKSLASH =
  /\\(?:U[\da-fA-F]{8}|[uU][\da-fA-F]{4}|[uU]\{[\da-fA-F]{1,6}\}|[xX][\da-fA-F]{2}|[0-3]?[0-7]{1,2}|[\s\S])/g

/** What nobody sees between two characters: controls, soft hyphens, zero widths; the indent of a broken line. */
const UNSEEN = `[${UNSEEN_CLASSES}\\p{DI}]`
const BREAK = `\\r?\\n[ \\t]+|${UNSEEN}+`

const RULES: readonly Rule[] = [
  ['\\', BACKSLASH, readBackslash],
  [new RegExp(UNSEEN, 'u'), new RegExp(BREAK, 'gu'), () => ''],
  ['%', new RegExp(PERCENT, 'gi'), readPercent],
  // A form: a space is a plus.
  ['+', new RegExp(`${PERCENT}|\\+`, 'gi'), (quoted) => (quoted === '+' ? ' ' : readPercent(quoted))],
  ['&', /&(?:#0{0,9}\d{1,7};?|#x0{0,9}[\da-f]{1,6};?|[a-z]{2,16};)/gi, readEntity],
]

const readerOf =
  ([sign, pattern, decode]: Rule): Reader =>
  (text) => {
    if (typeof sign === 'string' ? !text.includes(sign) : !sign.test(text)) return undefined
    const pieces: string[] = []
    /** Of each escape: where what it stands for begins and ends in the reading, and itself in the text. */
    const escapes: { readonly decoded: Range; readonly source: Range }[] = []
    let at = 0
    let length = 0
    const add = (piece: string): void => {
      pieces.push(piece)
      length += piece.length
    }
    for (const { 0: found, index } of text.matchAll(pattern)) {
      add(text.slice(at, index))
      at = index + found.length
      const start = length
      add(decode(found))
      escapes.push({ decoded: [start, length], source: [index, at] })
    }
    if (escapes.length === 0) return undefined
    add(text.slice(at))
    return {
      text: pieces.join(''),
      sourceOf(place) {
        let [low, high] = [0, escapes.length]
        while (low < high) {
          const middle = (low + high) >> 1
          if ((escapes[middle]?.decoded[0] ?? 0) <= place) low = middle + 1
          else high = middle
        }
        const { decoded, source } = escapes[low - 1] ?? { decoded: [0, 0], source: [0, 0] }
        if (place < decoded[1]) return source
        const from = source[1] + place - decoded[1]
        return [from, from + 1]
      },
    }
  }

export const readings: readonly Reader[] = RULES.map(readerOf)
