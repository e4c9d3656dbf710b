/**
 * A best-effort parser of canonical strings. It is used only to show differences, because it takes a
 * separator inside a value for a separator between entries.
 */

/** One entry: a name with its values, unchanged. */
export interface CanonicalEntry {
  /** Text before the first `=`. */
  readonly name: string
  /** The whole entry, `name=value` or `name=value&value`. */
  readonly text: string
}

/** The parts of a canonical string. */
export interface ParsedCanonical {
  /** The string, percent-decoded if necessary. */
  readonly text: string
  /** Path of the request. Empty for a stream. */
  readonly path: string
  readonly entries: readonly CanonicalEntry[]
  /** Digest, including white space after it. */
  readonly digest: string | undefined
  /** Set if the string was percent-encoded twice. */
  readonly encodedTwice?: true
}

/**
 * Matches an encoded string: a string without `=` and `&`, and with white space only at the end. An encoder
 * may leave any other ASCII character unchanged.
 */
const WITHOUT_SEPARATORS = /^[!-%'-<>-~]*\s*$/
const DIGEST = /^(?:[\da-f]{32}|[\da-f]{64})\s*$/i
const STREAM = /^x-app-key=/

const createEntry = (text: string): CanonicalEntry => {
  const [name = ''] = text.split('=', 1)
  return { name, text }
}

/** Percent-decodes a string once. Returns it unchanged if it is malformed. */
export function decodeOnce(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Parses a canonical string, percent-encoded or not. A `+` is not decoded, because a space is encoded as
 * `%20`.
 */
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
    // Other separators stay in the text of the entry, so that the comparison shows them.
    const entries = rest.split(/(?:=|(?<=&))(?=x-[st])/).map(createEntry)
    return { text, path: '', entries, digest }
  }
  const [path = '', ...parts] = rest.split('&')
  const texts: string[] = []
  for (const part of parts) {
    // A part without `=` is another value of the previous name.
    if (part.includes('=') || texts.length === 0) texts.push(part)
    else texts.push(`${texts.pop()}&${part}`)
  }
  // If the string begins with a separator, the path is that separator, because an empty path means a stream.
  return { text, path: path || text.slice(0, 1), entries: texts.map(createEntry), digest }
}
