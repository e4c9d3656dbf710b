/**
 * A best-effort parser of canonical strings: separators inside values look like separators between entries, so use it only
 * to show differences.
 */

/** One entry: a name with its values, unchanged. */
export interface CanonicalEntry {
  readonly name: string
  /** The whole entry, `name=value` or `name=value&value`. */
  readonly text: string
}

/** The parts of a canonical string. */
export interface ParsedCanonical {
  /** The string, percent-decoded if necessary. */
  readonly text: string
  /** Path; empty for a stream. */
  readonly path: string
  readonly entries: readonly CanonicalEntry[]
  /** Digest, with white space after it. */
  readonly digest: string | undefined
  /** Set if the string was percent-encoded twice. */
  readonly encodedTwice?: true
}

/** Without separators and white space, but for the end of a line: all else an encoder may have left. */
const WITHOUT_SEPARATORS = /^[!-%'-<>-~]*\s*$/
const DIGEST = /^(?:[\da-f]{32}|[\da-f]{64})\s*$/i
const STREAM = /^x-app-key=/

const makeEntry = (text: string): CanonicalEntry => {
  const [name = ''] = text.split('=', 1)
  return { name, text }
}

/** Percent-decodes once, if the result is UTF-8. */
export function decodeOnce(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Takes a canonical string apart, percent-encoded or not. A `+` stays one: the encoding of a space is `%20`. */
export function parseCanonical(input: string): ParsedCanonical {
  const text = WITHOUT_SEPARATORS.test(input) && /%(?:25)?26/.test(input) ? decodeOnce(input) : input
  if (text !== input && WITHOUT_SEPARATORS.test(text)) {
    return { ...parseCanonical(text), text, path: text.replace(/%26.*/s, ''), encodedTwice: true }
  }
  const cut = text.lastIndexOf('&')
  const last = text.slice(cut + 1)
  const digest = cut >= 0 && DIGEST.test(last) ? last : undefined
  const rest = digest === undefined ? text : text.slice(0, cut)
  if (STREAM.test(rest)) {
    // Other separators stay in the text, to be shown.
    const entries = rest.split(/(?:=|(?<=&))(?=x-[st])/).map(makeEntry)
    return { text, path: '', entries, digest }
  }
  const [path = '', ...parts] = rest.split('&')
  const texts: string[] = []
  for (const part of parts) {
    // Without a `=` it is a further value of the name before it.
    if (part.includes('=') || texts.length === 0) texts.push(part)
    else texts.push(`${texts.pop()}&${part}`)
  }
  // A separator at the beginning must not look like a stream, which has no path.
  return { text, path: path || text.slice(0, 1), entries: texts.map(makeEntry), digest }
}
