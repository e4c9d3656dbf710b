/**
 * Takes secrets out of a text, also where they are encoded: the text is read in each way in which a gateway may have
 * quoted the request, and what reads as a secret goes. No pattern is made of a secret: one could take for ever.
 */

type Range = readonly [from: number, to: number]

/** A way to read a text: what is an escape, and what it stands for. */
type Reading = readonly [pattern: RegExp, decode: (quoted: string) => string]

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

function readJson(quoted: string): string {
  const letter = quoted.charAt(1)
  if (quoted.length > 2) return String.fromCharCode(Number.parseInt(quoted.slice(2), 16))
  return CONTROLS[letter] ?? letter
}

function readPercent(quoted: string): string {
  try {
    return decodeURIComponent(quoted)
  } catch {
    return quoted
  }
}

/** One character each: as many bytes as its first one says. */
const PERCENT =
  '%[0-7][\\da-f]|%[cd][\\da-f]%[\\da-f]{2}|%e[\\da-f](?:%[\\da-f]{2}){2}|%f[\\da-f](?:%[\\da-f]{2}){3}'

const READINGS: readonly Reading[] = [
  [/\\(?:u[\da-f]{4}|[\s\S])/gi, readJson],
  [new RegExp(PERCENT, 'gi'), readPercent],
  // A form: a space is a plus.
  [new RegExp(`${PERCENT}|\\+`, 'gi'), (quoted) => (quoted === '+' ? ' ' : readPercent(quoted))],
]

/** Where secrets stand in a text. */
function occurrences(text: string, secrets: readonly string[]): Range[] {
  return secrets.flatMap((secret) => {
    const found: Range[] = []
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
      found.push([at, at + secret.length])
    }
    return found
  })
}

/** Where secrets stand in a text as one reads it. */
function encodedOccurrences(text: string, secrets: readonly string[], [pattern, decode]: Reading): Range[] {
  const pieces: string[] = []
  /** Of each escape: where what it stands for begins and ends in the decoded text, and itself in the text. */
  const escapes: { readonly decoded: Range; readonly source: Range }[] = []
  let at = 0
  let length = 0
  const add = (piece: string): void => {
    pieces.push(piece)
    length += piece.length
  }
  for (const { 0: found, index } of text.matchAll(pattern)) {
    add(text.slice(at, index))
    at = index + found.length
    const start = length
    add(decode(found))
    escapes.push({ decoded: [start, length], source: [index, at] })
  }
  if (escapes.length === 0) return []
  add(text.slice(at))
  const ranges = occurrences(pieces.join(''), secrets)
  if (ranges.length === 0) return []

  /** The part of the text that one unit of the decoded text stands for. */
  const sourceOf = (place: number): Range => {
    let [low, high] = [0, escapes.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((escapes[middle]?.decoded[0] ?? 0) <= place) low = middle + 1
      else high = middle
    }
    const { decoded, source } = escapes[low - 1] ?? { decoded: [0, 0], source: [0, 0] }
    if (place < decoded[1]) return source
    const from = source[1] + place - decoded[1]
    return [from, from + 1]
  }
  return ranges.map(([from, to]) => [sourceOf(from)[0], sourceOf(to - 1)[1]])
}

/** Makes what replaces each secret in a text by `[secret]`. Secrets that overlap become one. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const wanted = [...new Set(secrets)].filter((secret) => secret !== '')
  return (text) => {
    const ranges = [
      ...occurrences(text, wanted),
      ...READINGS.flatMap((reading) => encodedOccurrences(text, wanted, reading)),
    ].sort(([one], [other]) => one - other)
    let left = ''
    let shownTo = 0
    for (const [from, to] of ranges) {
      if (from >= shownTo) left += `${text.slice(shownTo, from)}[secret]`
      shownTo = Math.max(shownTo, to)
    }
    return left + text.slice(shownTo)
  }
}
