/** The ways to read an encoded text. Each keeps account of where what it reads stands in the text. */
import { UNSEEN_CLASSES } from './printable.ts'

/** A unit of a text as one reads it, and where what it stands for begins and ends in the text as it is. */
export type Unit = readonly [unit: string, from: number, to: number]

/** What an entity with another name reads as: any one character that is no letter and no digit. It is a noncharacter. */
export const ANY_SIGN = '\uffff'

/** A way to read: what an escape looks like, and what it stands for. What it throws for stands for itself. */
export type Rule = readonly [pattern: RegExp, decode: (quoted: string) => string]

/** The character with the number that an escape has in it. @throws RangeError where there is none. */
const numbered = (quoted: string, base: number): string =>
  String.fromCodePoint(Number.parseInt(quoted.replace(/\W|[ux]/gi, ''), /[ux]/i.test(quoted) ? 16 : base))

/** The controls that have a letter of their own behind a backslash. */
const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

function readBackslash(quoted: string): string {
  const rest = quoted.slice(1)
  return /^[^0-7]$/.test(rest) ? (CONTROLS.get(rest) ?? rest) : numbered(quoted, 8)
}

const readPercent = (quoted: string): string =>
  /u/i.test(quoted) ? numbered(quoted, 16) : decodeURIComponent(quoted.replace('+', ' '))

/** By their names: the signs that escapes are made of, as each can begin or end another one, and the hyphen nobody sees. */
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

function readEntity(quoted: string): string {
  if (quoted[1] === '#') return numbered(quoted, 10)
  return SIGNS.get(quoted.slice(1).toLowerCase()) ?? ANY_SIGN
}

const NEXT_BYTE = '(?:%[89ab][\\da-f])'
/** One character each: as many bytes as its first one says, or a unit as `escape` of JavaScript writes it. */
const PERCENT = `%(?:u[\\da-f]{4}|[0-7][\\da-f]|[cd][\\da-f]${NEXT_BYTE}|e[\\da-f]${NEXT_BYTE}{2}|f[\\da-f]${NEXT_BYTE}{3})`

/** A capital `U` has eight digits where there are so many, as in C, Go and Python. */
const BACKSLASH =
  /(\\(?:U[\da-fA-F]{8}|[uU][\da-fA-F]{4}|[uU]\{[\da-fA-F]{1,6}\}|[xX][\da-fA-F]{2}|[0-3]?[0-7]{1,2}|[\s\S]))/

/** The ways to read. */
export const RULES: readonly Rule[] = [
  [BACKSLASH, readBackslash],
  // What nobody sees between two characters: controls, soft hyphens, zero widths; the indent of a broken line.
  [new RegExp(`(\\r?\\n[ \\t]+|[${UNSEEN_CLASSES}\\p{DI}]+)`, 'u'), () => ''],
  [new RegExp(`(${PERCENT})`, 'i'), readPercent],
  // A form: a space is a plus.
  [new RegExp(`(${PERCENT}|\\+)`, 'i'), readPercent],
  [/(&(?:#(?:x[\da-f]+|\d+);?|\w+;))/i, readEntity],
]

/** What a text, which these units are, reads as in one way, one level deep. */
export function read(units: readonly Unit[], text: string, [pattern, decode]: Rule): readonly Unit[] {
  let end = 0
  return text.split(pattern).flatMap((piece, index) => {
    const at = end
    end += piece.length
    // Every other piece is an escape.
    if (index % 2)
      try {
        // Each of its units stands for the whole.
        const [, from] = units[at] as Unit
        const [, , to] = units[end - 1] as Unit
        return decode(piece)
          .split('')
          .map((unit): Unit => [unit, from, to])
      } catch {
        // No character has this number, or these bytes.
      }
    return units.slice(at, end)
  })
}
