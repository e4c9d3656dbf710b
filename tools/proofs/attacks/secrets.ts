/**
 * Encodings in which a service may quote a secret, and decoders that find it. The decoders are independent of
 * the redactor, which they check.
 */
import type { Random } from '../random.ts'

type Encoding = (text: string) => string

const utf8 = (text: string): Buffer => Buffer.from(text)
const each =
  (encode: (character: string) => string): Encoding =>
  (text) =>
    [...text].map(encode).join('')
const unit = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0')
const percent = (text: string): string =>
  Array.from(utf8(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
/** Encodings that a gateway, a proxy, a framework or a log may use. */
const ENCODINGS: Readonly<Record<string, Encoding>> = {
  plain: (text) => text,
  'percent-encoded': encodeURIComponent,
  'percent-encoded, every byte': percent,
  'percent-encoded, in capitals': (text) => percent(text).toUpperCase(),
  'as a form': (text) => new URLSearchParams([['', text]]).toString().slice(1),
  'escaped for JSON': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'escaped for JSON, every unit': each((character) => `\\u${unit(character)}`),
  'escaped in octal': each((character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`),
  'as bytes of a string literal': each((character) => `\\x${unit(character).slice(2)}`),
  'HTML entities, decimal': each((character) => `&#${character.charCodeAt(0)};`),
  'HTML entities, hexadecimal': each((character) => `&#x${unit(character)};`),
  'HTML entities, of punctuation': (text) =>
    text.replaceAll('+', '&#43;').replaceAll('/', '&#x2f;').replaceAll('=', '&equals;'),
  'escaped in eight digits': each((character) => `\\U0000${unit(character)}`),
  'as JavaScript\u2019s escape() writes it': each((character) => `%u${unit(character)}`),
  'with soft hyphens': (text) => [...text].join('\u00ad'),
  'in folded lines': (text) => text.replace(/.{7}(?=.)/g, '$&\r\n\t'),
  base64: (text) => utf8(text).toString('base64'),
  base64url: (text) => utf8(text).toString('base64url'),
  'base64 within more': (text) => utf8(`x:${text};`).toString('base64'),
  hexadecimal: (text) => utf8(text).toString('hex'),
}

/** Draws an encoding, or one encoding inside another. */
export function drawEncoding(random: Random): readonly [name: string, encode: Encoding] {
  const names = Object.keys(ENCODINGS)
  const outer = random.pick(names)
  if (random.chance(0.6)) return [outer, ENCODINGS[outer] as Encoding]
  const inner = random.pick(names)
  // An encoding of bytes is not applied to a string that is already encoded.
  const both = /base64|hexadecimal/.test(outer) ? [outer] : [inner, outer]
  return [
    both.join(', then '),
    (text) => both.reduce((encoded, name) => (ENCODINGS[name] as Encoding)(encoded), text),
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

const DECODERS: readonly Encoding[] = [
  percentDecoded,
  (text) => percentDecoded(text.replaceAll('+', ' ')),
  (text) =>
    text.replace(
      /\\(?:u([\da-f]{4})|u\{([\da-f]{1,6})\}|x([\da-f]{2})|([0-3][0-7]{2})|([\s\S]))/gi,
      (_, a, b, c, octal, rest) =>
        octal === undefined ? (CONTROLS[rest] ?? rest ?? character(a ?? b ?? c, 16)) : character(octal, 8),
    ),
  (text) =>
    text.replace(/&(?:#x([\da-f]+)|#(\d+)|equals);?/gi, (_, hex, decimal) =>
      hex === undefined && decimal === undefined ? '=' : character(hex ?? decimal, hex ? 16 : 10),
    ),
  (text) =>
    text.replace(/\\U([\da-f]{8})|%u([\da-f]{4})/gi, (_, long, short) => character(long ?? short, 16)),
  // This decoder removes line folds and invisible characters.
  (text) => text.replace(/\r\n[ \t]+|[\p{Cc}\p{Cf}]+/gu, ''),
  // This one removes invisible characters that are escaped.
  (text) => text.replace(/(?:\\u\{(?:[\da-f]|1[\da-f]|ad|200[b-f])\})+/g, ''),
  (text) => text.replace(/[\w+/-]{8,}={0,2}/g, (run) => Buffer.from(run, 'base64').toString('utf8')),
  (text) => text.replace(/(?:[\da-f]{2}){6,}/gi, (run) => Buffer.from(run, 'hex').toString('utf8')),
]

/** Whether a string contains a secret after up to `depth` steps of decoding. */
export function reveals(text: string, secret: string, depth = 3): boolean {
  if (text.includes(secret)) return true
  if (depth === 0) return false
  return DECODERS.some((decode) => {
    const decoded = decode(text)
    return decoded !== text && reveals(decoded, secret, depth - 1)
  })
}

/**
 * Control characters, format characters such as bidi marks, line and paragraph separators, and lone
 * surrogates.
 */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

/** Whether a string can control a terminal, forge a line of a log, or reverse the direction of writing. */
export const steers = (text: string): boolean => STEERING.test(text)

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
