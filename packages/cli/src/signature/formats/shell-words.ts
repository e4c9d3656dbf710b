/**
 * Splits one command line into words, by the quoting rules of POSIX shells and `$'...'` of bash. Nothing is
 * executed or expanded. A variable, a command substitution, a pipe or a redirection is an error that states
 * its position.
 */
import { problemAt } from './parsed-request.ts'

/** A word of the command line. */
export interface Word {
  /** A string, or bytes if it is not UTF-8. */
  readonly value: string | Uint8Array
  readonly offset: number
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
}
/** Characters without special meaning in a shell. */
const PLAIN = /[^ \t\r\n'"\\$`|;&<>()#]+/y
const NUMBERS = /x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3})/y

/** Splits one command. A comment ends with its line. @throws ParseProblem */
export function shellWords(text: string): readonly Word[] {
  const words: Word[] = []
  let at = 0
  /** Parts of the current word: strings, or single bytes of escapes. */
  let parts: (string | number)[] | undefined
  let start = 0
  const addPart = (value: string | number): void => {
    if (parts === undefined) start = at
    parts = parts ?? []
    parts.push(value)
  }
  const endWord = (): void => {
    if (parts !== undefined) words.push({ value: joinParts(parts), offset: start })
    parts = undefined
  }
  const unsupported = (name: string): never => {
    throw problemAt(text, at, `${name} is not expanded or executed; write the value itself`)
  }
  /** Returns the offset of the closing quote of a part that starts at `from`. */
  const findClosingQuote = (from: number, quote: string): number => {
    let end = from
    while (end < text.length && text[end] !== quote) end += quote !== "'" && text[end] === '\\' ? 2 : 1
    if (end >= text.length) throw problemAt(text, at, `the quote ${quote} is not closed`)
    return end
  }
  while (at < text.length) {
    const character = text.charAt(at)
    const next = text.charAt(at + 1)
    if (character === "'") {
      const end = findClosingQuote(at + 1, "'")
      addPart(text.slice(at + 1, end))
      at = end + 1
    } else if (character === '"') {
      const end = findClosingQuote(at + 1, '"')
      addPart(doubleQuoted(text, at + 1, end))
      at = end + 1
    } else if (character === '$' && next === "'") {
      const end = findAnsiEnd(text, at)
      addPart('')
      for (const one of ansiQuoted(text, at + 2, end)) addPart(one)
      at = end + 1
    } else if (character === '\\' && (next === '\n' || text.startsWith('\r\n', at + 1))) {
      at += next === '\n' ? 2 : 3
    } else if (character === '\\') {
      addPart(next)
      at += 2
    } else if (character === '\n') {
      endWord()
      // A line break ends the command. Only blank lines and comments may follow.
      if (words.length > 0) {
        const rest = /\S/.exec(text.slice(at).replace(/^[ \t\r]*#.*$/gm, ''))
        if (rest !== null)
          throw problemAt(text, at, 'the text must be one command; remove the lines after it')
        return words
      }
      at += 1
    } else if (character === ' ' || character === '\t' || character === '\r') {
      endWord()
      at += 1
    } else if (character === '#' && parts === undefined) {
      const end = text.indexOf('\n', at)
      at = end === -1 ? text.length : end
    } else if (character === '`' || (character === '$' && /[\w({@*#?!$-]/.test(next))) {
      unsupported(character === '`' || next === '(' ? 'a command substitution' : 'a variable')
    } else if (character === '<') {
      throw problemAt(
        text,
        at,
        'input redirections are not read; `brokerwire request --dry-run` prints a request that is',
      )
    } else if (/[|;&>()]/.test(character)) {
      throw problemAt(text, at, `the text must be one command; remove "${character}" and the text after it`)
    } else {
      PLAIN.lastIndex = at
      const plain = PLAIN.exec(text)?.[0] ?? character
      addPart(plain)
      at += plain.length
    }
  }
  endWord()
  return words
}

/** Parses text in double quotes. A backslash is literal, except before one of five characters. */
function doubleQuoted(text: string, from: number, to: number): string {
  const content = text.slice(from, to)
  const expansion = /(?:^|[^\\])(?:\\\\)*(`|\$[\w({@*#?!$-])/.exec(content)
  if (expansion !== null) {
    const at = from + expansion.index + expansion[0].length - (expansion[1]?.length ?? 0)
    throw problemAt(text, at, 'shell expansions are not supported; write the value itself')
  }
  return content.replace(/\\(\r?\n|[\\"$`])/g, (_, escaped: string) => (/\n/.test(escaped) ? '' : escaped))
}

function findAnsiEnd(text: string, from: number): number {
  let end = from + 2
  while (end < text.length && text[end] !== "'") end += text[end] === '\\' ? 2 : 1
  if (end >= text.length) throw problemAt(text, from, "the quote $' is not closed")
  return end
}

/** Yields the parts of `$'...'`. Browsers write a character outside of the BMP as two `\u` escapes. */
function* ansiQuoted(text: string, from: number, to: number): Generator<string | number, void, undefined> {
  for (let at = from; at < to; ) {
    const slash = text.indexOf('\\', at)
    const end = slash === -1 || slash > to ? to : slash
    if (end > at) yield text.slice(at, end)
    if (end === to) return
    NUMBERS.lastIndex = end + 1
    const [number, hex, short, long, octal] = NUMBERS.exec(text) ?? []
    const escaped = ESCAPES[text.charAt(end + 1)]
    if (number !== undefined) {
      const code = Number.parseInt(hex ?? short ?? long ?? octal ?? '', octal === undefined ? 16 : 8)
      if (code > 0x10ffff) throw problemAt(text, end, 'an escape must be a Unicode character')
      yield hex !== undefined || octal !== undefined
        ? code & 0xff
        : short !== undefined
          ? String.fromCharCode(code)
          : String.fromCodePoint(code)
      at = end + 1 + number.length
    } else if (escaped !== undefined) {
      yield escaped
      at = end + 2
    } else {
      // bash keeps the backslash of an unknown escape.
      yield text.slice(end, end + 2)
      at = end + 2
    }
  }
}

function joinParts(parts: readonly (string | number)[]): string | Uint8Array {
  if (parts.every((part) => typeof part === 'string')) return parts.join('')
  const chunks: Uint8Array[] = []
  let run: number[] = []
  for (const part of parts) {
    if (typeof part === 'number') run.push(part)
    else {
      chunks.push(Uint8Array.from(run), new TextEncoder().encode(part))
      run = []
    }
  }
  const all = Buffer.concat([...chunks, Uint8Array.from(run)])
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(all)
  } catch {
    return new Uint8Array(all)
  }
}
