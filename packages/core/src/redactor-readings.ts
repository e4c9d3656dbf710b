/** The ways to read an encoded text. Each keeps account of where what it reads stands in the text. */
import { UNSEEN_CLASSES } from './printable.ts'

/** A unit of a text as one reads it, and where what it stands for begins and ends in the text as it is. */
export type Unit = readonly [unit: string, from: number, to: number]

/** A text as one reads it. */
export interface Reading {
  readonly text: string
  readonly units: readonly Unit[]
}

/** What an escape looks like, and what it stands for. What it throws for stands for itself. */
type Rule = readonly [pattern: RegExp, decode: (quoted: string) => string]

/** The character with this number. @throws RangeError where there is none. */
const character = (digits: string, base: number): string =>
  String.fromCodePoint(Number.parseInt(digits, base))

function readBackslash(quoted: string): string {
  const rest = quoted.slice(1)
  if (/^[^0-7]$/.test(rest)) return '\b\f\n\r\t'['bfnrt'.indexOf(rest)] ?? rest
  return /^[ux]/i.test(rest) ? character(rest.replace(/[ux{}]/gi, ''), 16) : character(rest, 8)
}

const readPercent = (quoted: string): string =>
  /^%u/i.test(quoted) ? character(quoted.slice(2), 16) : decodeURIComponent(quoted)

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
  return name.startsWith('#x') ? character(name.slice(2), 16) : character(name.slice(1), 10)
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

const readingOf = (units: readonly Unit[]): Reading => ({ text: units.map(([unit]) => unit).join(''), units })

/** A text as it is. */
export const asItIs = (text: string): Reading =>
  readingOf(text.split('').map((unit, at) => [unit, at, at + 1]))

/** What a text reads as in one way. */
function read(reading: Reading, [pattern, decode]: Rule): Reading {
  const { text, units } = reading
  const pieces: (readonly Unit[])[] = []
  let at = 0
  for (const { 0: quoted, index } of text.matchAll(pattern)) {
    const end = index + quoted.length
    let decoded = quoted
    try {
      decoded = decode(quoted)
    } catch {
      // No character has this number, or these bytes.
    }
    const [[, from], [, , to]] = [units[index], units[end - 1]] as [Unit, Unit]
    // Each of its units stands for the whole.
    pieces.push(
      units.slice(at, index),
      decoded.split('').map((unit) => [unit, from, to]),
    )
    at = end
  }
  return at ? readingOf([...pieces, units.slice(at)].flat()) : reading
}

/** A text in each of the ways, one level deep. */
export const readings = (reading: Reading): readonly Reading[] => RULES.map((rule) => read(reading, rule))
