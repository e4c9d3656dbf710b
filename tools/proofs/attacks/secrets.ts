/** How a service may quote a secret, and whether a text tells one: with decoders of its own, so that no redactor judges itself. */
import type { Random } from './random.ts'

type Spelling = (text: string) => string

const utf8 = (text: string): Buffer => Buffer.from(text)
const each =
  (spell: (character: string) => string): Spelling =>
  (text) =>
    [...text].map(spell).join('')
const unit = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0')

/** Spellings that a gateway, a proxy, a framework or a log may choose. */
const SPELLINGS: Readonly<Record<string, Spelling>> = {
  plain: (text) => text,
  'percent-encoded': encodeURIComponent,
  'percent-encoded, every byte': (text) =>
    [...utf8(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  'percent-encoded, in capitals': (text) =>
    [...utf8(text)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
  'as a form': (text) => new URLSearchParams([['', text]]).toString().slice(1),
  'escaped for JSON': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'escaped for JSON, every unit': each((character) => `\\u${unit(character)}`),
  'escaped in octal': each((character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`),
  'as bytes of a string literal': each((character) => `\\x${unit(character).slice(2)}`),
  'HTML entities, decimal': each((character) => `&#${character.charCodeAt(0)};`),
  'HTML entities, hexadecimal': each((character) => `&#x${unit(character)};`),
  'escaped in eight digits': each((character) => `\\U0000${unit(character)}`),
  'as JavaScript\u2019s escape writes it': each((character) => `%u${unit(character)}`),
  'with soft hyphens': (text) => [...text].join('\u00ad'),
  'in folded lines': (text) => text.replace(/.{7}(?=.)/g, '$&\r\n\t'),
  base64: (text) => utf8(text).toString('base64'),
  base64url: (text) => utf8(text).toString('base64url'),
  'base64 within more': (text) => utf8(`x:${text};`).toString('base64'),
  hexadecimal: (text) => utf8(text).toString('hex'),
}

/** A spelling, sometimes one within another. */
export function drawSpelling(random: Random): readonly [name: string, spell: Spelling] {
  const names = Object.keys(SPELLINGS)
  const outer = random.pick(names)
  if (random.chance(0.6)) return [outer, SPELLINGS[outer] as Spelling]
  // What carries bytes rather than text comes first: nobody quotes base64 of a percent-encoded text.
  const inner = random.pick(names)
  const carriesBytes = /base64|hexadecimal/.test(outer)
  const both = carriesBytes ? [outer] : [inner, outer]
  return [
    both.join(', then '),
    (text) => both.reduce((spelled, name) => (SPELLINGS[name] as Spelling)(spelled), text),
  ]
}

const character = (digits: string, base: number): string => {
  const code = Number.parseInt(digits, base)
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
}

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

function percentDecoded(text: string): string {
  const bytes: number[] = []
  for (const [piece, digits] of text.matchAll(/%([\da-f]{2})|[\s\S]/gi)) {
    if (digits === undefined) bytes.push(...utf8(piece))
    else bytes.push(Number.parseInt(digits, 16))
  }
  return Buffer.from(bytes).toString('utf8')
}

/** What a reader could make of a text. */
const READINGS: readonly ((text: string) => string)[] = [
  percentDecoded,
  (text) => percentDecoded(text.replaceAll('+', ' ')),
  (text) =>
    text.replace(
      /\\(?:u([\da-f]{4})|u\{([\da-f]{1,6})\}|x([\da-f]{2})|([0-3][0-7]{2})|([\s\S]))/gi,
      (_, a, b, c, octal, rest) =>
        octal === undefined ? (CONTROLS[rest] ?? rest ?? character(a ?? b ?? c, 16)) : character(octal, 8),
    ),
  (text) =>
    text.replace(/&#(?:x([\da-f]+)|(\d+));?/gi, (_, hex, decimal) =>
      character(hex ?? decimal, hex ? 16 : 10),
    ),
  (text) =>
    text.replace(/\\U([\da-f]{8})|%u([\da-f]{4})/gi, (_, long, short) => character(long ?? short, 16)),
  // A line of text may be a whole header value: only what is between letters goes.
  (text) => text.replace(/\r\n[ \t]+|[\p{Cc}\p{Cf}]+/gu, ''),
  // The same behind what shows them as escapes.
  (text) => text.replace(/(?:\\u\{(?:[\da-f]|1[\da-f]|ad|200[b-f])\})+/g, ''),
  (text) => text.replace(/[\w+/-]{8,}={0,2}/g, (run) => Buffer.from(run, 'base64').toString('utf8')),
  (text) => text.replace(/(?:[\da-f]{2}){6,}/gi, (run) => Buffer.from(run, 'hex').toString('utf8')),
]

/** Whether a text tells a secret to somebody who decodes it, up to three times. */
export function tells(text: string, secret: string, depth = 3): boolean {
  if (text.includes(secret)) return true
  if (depth === 0) return false
  return READINGS.some((read) => {
    const reading = read(text)
    return reading !== text && tells(reading, secret, depth - 1)
  })
}

/** Controls, formats (bidi among them), line and paragraph separators, halves of characters. */
const STEERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

/** Whether a text could steer a terminal, forge a line of a log, or turn the direction of writing. */
export const steers = (text: string): boolean => STEERS.test(text)

/** Texts that do that, for a hostile service to say. */
export function drawSteering(random: Random): string {
  return random.pick([
    '\x1b[2J\x1b[31mred',
    '\x9b31m',
    '\x1b]0;title\x07',
    'line\r\nforged: line',
    'a\u2028b\u2029c',
    'safe\u202Egnp.exe',
    '\u2066isolated\u2069',
    'zero\u200bwidth\ufeff',
    '\u{e0041}\u{e0042}',
    'back\b\b\bspace',
    'nul\0byte',
    '\u0085next line',
    random.text(30),
  ])
}
