/**
 * Creates variants of a body: the same content in the form that a proxy or another serializer would write.
 * `compare` searches for the variant that has the other side's digest. `bodyVariants` is a generator, because
 * this search stops at the first match.
 */
import { isRecord, utf8Decode, utf8Encode } from '@brokerwire/core/internal'

/** A body in the form of another serializer. */
export interface BodyVariant {
  readonly cause: 'html-escapes' | 'ascii-escapes' | 'reserialized-json' | 'line-ending'
  readonly bytes: Uint8Array
}

type Change = (text: string) => string

const escapeWith =
  (pattern: RegExp, upper?: boolean): Change =>
  (text) =>
    text.replace(pattern, (unit) => {
      const hex = unit.charCodeAt(0).toString(16).padStart(4, '0')
      return `\\u${upper ? hex.toUpperCase() : hex}`
    })
const replaceWith =
  (pattern: RegExp, replacement: string): Change =>
  (text) =>
    text.replace(pattern, replacement)

const HTML = /[<>&\u2028\u2029]/g
const NON_ASCII = /[\u0080-\uffff]/g

/** Changes of a body, most likely first. */
const CHANGES: readonly (readonly [BodyVariant['cause'], Change])[] = [
  ['html-escapes', escapeWith(HTML)],
  ['html-escapes', escapeWith(HTML, true)],
  // The characters that Gson escapes.
  ['html-escapes', escapeWith(/[<>&='\u2028\u2029]/g)],
  ['ascii-escapes', escapeWith(NON_ASCII)],
  ['ascii-escapes', escapeWith(NON_ASCII, true)],
  ['line-ending', replaceWith(/$/, '\n')],
  ['line-ending', replaceWith(/$/, '\r\n')],
  ['line-ending', replaceWith(/\r?\n$/, '')],
  ['line-ending', replaceWith(/\r\n/g, '\n')],
  ['line-ending', replaceWith(/\r?\n/g, '\r\n')],
  ['reserialized-json', replaceWith(/\//g, '\\/')],
]

/**
 * Formats JSON with `gap` after each separator and no other white space. Numbers and escapes are unchanged.
 */
const reformatWhitespace = (json: string, gap: string): string =>
  json.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|[\s,:]/g, (token, text?: string) => {
    if (text !== undefined) return text
    const isSeparator = token.trim() !== ''
    return isSeparator ? token + gap : ''
  })

/**
 * Maximum number of characters multiplied by levels of nesting, because the size of indented JSON grows with
 * both.
 */
const MAX_INDENTED = 8_388_608

/**
 * Returns the value with the keys of every object sorted.
 *
 * @param levels - Maximum nesting.
 * @throws RangeError if the value is nested more deeply.
 */
function sortKeys(value: unknown, levels: number): unknown {
  if (typeof value === 'object' && levels < 0) throw new RangeError()
  if (Array.isArray(value)) return value.map((one) => sortKeys(one, levels - 1))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key], levels - 1)]),
  )
}

/**
 * Returns other serializations of a JSON text; an empty list if the text is not JSON or is nested too deeply.
 */
function reserialize(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text)
    const values = [value, sortKeys(value, MAX_INDENTED / text.length)]
    const compact = [reformatWhitespace(text, ''), ...values.map((one) => JSON.stringify(one))]
    const spaced = compact.map((one) => reformatWhitespace(one, ' '))
    const indented = [2, 4, '\t'].flatMap((by) => values.map((one) => JSON.stringify(one, null, by)))
    return [...compact, ...spaced, ...indented]
  } catch {
    return []
  }
}

/** Generates the variants of a body that differ from the body, the most likely one first. */
export function* bodyVariants(body: Uint8Array): Generator<BodyVariant> {
  const text = utf8Decode(body)
  if (text === undefined) return
  for (const base of new Set([text, ...reserialize(text)])) {
    if (base !== text) yield { cause: 'reserialized-json', bytes: utf8Encode(base) }
    for (const [cause, change] of CHANGES) {
      const changed = change(base)
      if (changed === base || changed === text) continue
      const named = base !== text && cause === 'line-ending' ? 'reserialized-json' : cause
      yield { cause: named, bytes: utf8Encode(changed) }
    }
  }
}
