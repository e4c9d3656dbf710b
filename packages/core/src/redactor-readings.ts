/** The ways to read an encoded text. Each keeps account of where what it reads stands in the text. */
import { UNSEEN_CLASSES } from './printable.ts'

/** A unit of a text as one reads it, and where what it stands for begins and ends in the text as it is. */
export type Unit = readonly [unit: string, from: number, to: number]

/** What an escape looks like, and what it stands for. What it throws for stands for itself. */
type Rule = readonly [pattern: RegExp, decode: (quoted: string) => string]

/** The character with this number, as JavaScript writes it. @throws RangeError where there is none. */
const character = (number: string): string => String.fromCodePoint(Number(number))

function readBackslash(quoted: string): string {
  const rest = quoted.slice(1)
  if (/^[^0-7]$/.test(rest)) return '\b\f\n\r\t'['bfnrt'.indexOf(rest)] ?? rest
  return character(/^[ux]/i.test(rest) ? `0x${rest.replace(/[ux{}]/gi, '')}` : `0o${rest}`)
}

const readPercent = (quoted: string): string =>
  /^%u/i.test(quoted) ? character(`0x${quoted.slice(2)}`) : decodeURIComponent(quoted)

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
  return name.startsWith('#') ? character(`0${name.slice(1)}`) : (ENTITIES.get(name) ?? quoted)
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

/** What a text reads as in one way. Where nothing is encoded it is the text. */
function read(units: readonly Unit[], text: string, [pattern, decode]: Rule): readonly Unit[] {
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
  return [...pieces, units.slice(at)].flat()
}

/** A text, which these units are, in each of the ways, one level deep. */
export const readings = (units: readonly Unit[], text: string): readonly (readonly Unit[])[] =>
  RULES.map((rule) => read(units, text, rule))
