/**
 * A canonical string, taken apart again as far as that goes: separators inside values look like separators between
 * entries, so that this is for people who look for a difference and for nothing else.
 */

/** One entry: a name and its values, as they stand. */
export interface CanonicalEntry {
  readonly name: string
  /** The whole entry, `name=value` or `name=value&value`. */
  readonly text: string
  readonly values: readonly string[]
}

/** The parts of a canonical string. */
export interface ParsedCanonical {
  /** The string itself, decoded where it came percent-encoded. */
  readonly text: string
  /** Empty for a stream, which has none. */
  readonly path: string
  readonly entries: readonly CanonicalEntry[]
  readonly digest: string | undefined
}

const ENCODED = /^[\w.~%-]*%26[\w.~%-]*$/
const DIGEST = /^(?:[\da-f]{32}|[\da-f]{64})$/i
const STREAM = /^x-app-key=/

const makeEntry = (text: string): CanonicalEntry => {
  const at = text.indexOf('=')
  return { name: text.slice(0, at), text, values: text.slice(at + 1).split('&') }
}

/** Percent-decodes once, where that gives UTF-8. */
export function decodeOnce(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Takes a canonical string apart, percent-encoded or not. */
export function parseCanonical(input: string): ParsedCanonical {
  const text = ENCODED.test(input) ? decodeOnce(input) : input
  const cut = text.lastIndexOf('&')
  const last = text.slice(cut + 1)
  const digest = cut >= 0 && DIGEST.test(last) ? last : undefined
  const rest = digest === undefined ? text : text.slice(0, cut)
  if (STREAM.test(rest)) {
    return { text, path: '', entries: rest.split(/=(?=x-)/).map(makeEntry), digest }
  }
  const [path = '', ...parts] = rest.split('&')
  const texts: string[] = []
  for (const part of parts) {
    // Without a `=` it is a further value of the name before it.
    if (part.includes('=') || texts.length === 0) texts.push(part)
    else texts.push(`${texts.pop()}&${part}`)
  }
  return { text, path, entries: texts.map(makeEntry), digest }
}
