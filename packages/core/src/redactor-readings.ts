/** The ways to read an encoded text. Each keeps account of where what it reads stands in the text. */
import { UNSEEN_CLASSES } from './printable.ts'

/** A text as one reads it, and of each unit where what it stands for begins and ends in the text as it is. */
export interface Reading {
  readonly text: string
  readonly from: readonly number[]
  readonly to: readonly number[]
}

/** What an escape looks like, and what it stands for. */
type Rule = readonly [pattern: RegExp, decode: (quoted: string) => string]

/** What stands for the character with this number; itself, where there is none. */
function character(quoted: string, digits: string, base: number): string {
  const code = Number.parseInt(digits, base)
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : quoted
}

function readBackslash(quoted: string): string {
  const rest = quoted.slice(1)
  if (/^[^0-7]$/.test(rest)) return '\b\f\n\r\t'['bfnrt'.indexOf(rest)] ?? rest
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

/**
 * The names of what is no letter and no digit in ASCII, as HTML has them, and of the hyphen that nobody sees; in any case of
 * letters, of which some have two.
 */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  '!excl "quot #num $dollar %percnt &amp \'apos (lpar )rpar *ast *midast +plus ,comma .period /sol :colon ;semi <lt =equals >gt ?quest @commat [lsqb [lbrack \\bsol ]rsqb ]rbrack ^hat _lowbar _underbar \u00adshy `grave `diacriticalgrave {lcub {lbrace |verbar |vert |verticalline }rcub }rbrace'
    .split(' ')
    .map((entity) => [entity.slice(1), entity.charAt(0)]),
)

function readEntity(quoted: string): string {
  const name = quoted.replace(/^&|;$/g, '').toLowerCase()
  if (!name.startsWith('#')) return ENTITIES.get(name) ?? quoted
  return name.startsWith('#x') ? character(quoted, name.slice(2), 16) : character(quoted, name.slice(1), 10)
}

/** One character each: as many bytes as its first one says, or a unit as `escape` of JavaScript writes it. */
const PERCENT =
  '%u[\\da-f]{4}|%[0-7][\\da-f]|%[cd][\\da-f]%[\\da-f]{2}|%e[\\da-f](?:%[\\da-f]{2}){2}|%f[\\da-f](?:%[\\da-f]{2}){3}'

/** A capital `U` has eight digits where there are so many, as in C, Go and Python. */
const BACKSLASH =
  /\\(?:U[\da-fA-F]{8}|[uU][\da-fA-F]{4}|[uU]\{[\da-fA-F]{1,6}\}|[xX][\da-fA-F]{2}|[0-3]?[0-7]{1,2}|[\s\S])/g

const RULES: readonly Rule[] = [
  [BACKSLASH, readBackslash],
  // What nobody sees between two characters: controls, soft hyphens, zero widths; the indent of a broken line.
  [new RegExp(`\\r?\\n[ \\t]+|[${UNSEEN_CLASSES}\\p{DI}]+`, 'gu'), () => ''],
  [new RegExp(PERCENT, 'gi'), readPercent],
  // A form: a space is a plus.
  [new RegExp(`${PERCENT}|\\+`, 'gi'), (quoted) => (quoted === '+' ? ' ' : readPercent(quoted))],
  [/&(?:#0{0,9}\d{1,7};?|#x0{0,9}[\da-f]{1,6};?|[a-z]{2,16};)/gi, readEntity],
]

/** A text as it is. */
export function asItIs(text: string): Reading {
  const from = text.split('').map((_, at) => at)
  return { text, from, to: from.map((at) => at + 1) }
}

/** What a text reads as in one way. */
function read(reading: Reading, [pattern, decode]: Rule): Reading {
  const { text, from, to } = reading
  const next = { text: '', from: [] as number[], to: [] as number[] }
  let at = 0
  /** Adds a piece, whose units each stand for one of the text's from `at` on, or all together for what ends at `end`. */
  const add = (piece: string, end: number, isDecoded: boolean): void => {
    next.text += piece
    for (let unit = 0; unit < piece.length; unit += 1) {
      next.from.push(from[at + (isDecoded ? 0 : unit)] as number)
      next.to.push(to[isDecoded ? end - 1 : at + unit] as number)
    }
    at = end
  }
  for (const { 0: quoted, index } of text.matchAll(pattern)) {
    add(text.slice(at, index), index, false)
    add(decode(quoted), index + quoted.length, true)
  }
  if (at === 0) return reading
  add(text.slice(at), text.length, false)
  return next
}

/** A text in each of the ways, one level deep. */
export const readings = (reading: Reading): readonly Reading[] => RULES.map((rule) => read(reading, rule))
