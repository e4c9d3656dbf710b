/** The sentences of a Markdown text that promise something: prose, list items and rows of tables; no code, no headings. */

/** A sentence and where it stands. */
export interface Sentence {
  readonly file: string
  /** Of the paragraph or row that holds it, counted from 1. */
  readonly line: number
  readonly text: string
}

const FENCE = /^ *(`{3,})/
const RULE = /^\|[\s:|-]+\|$/
const SKIPPED = /^(#|<!--|\|[\s:|-]+\|$)/

/** Ends of sentences: a full stop or the like before a capital, a quote or code. Abbreviations with a point are none. */
const END = /(?<=[.!?])(?<!\b(?:e\.g|i\.e|vs|etc)\.)\s+(?=[A-Z`*"[(])/

/** @returns The sentences of a document, in their order. */
export function sentencesOf(file: string, markdown: string): Sentence[] {
  const found: Sentence[] = []
  let fence: string | undefined
  let paragraph: { line: number; words: string[] } | undefined
  const finish = (): void => {
    if (paragraph !== undefined) {
      const { line, words } = paragraph
      for (const text of words.join(' ').split(END))
        if (/\w+ \w+/.test(text)) found.push({ file, line, text })
    }
    paragraph = undefined
  }
  const lines = markdown.split('\n')
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim()
    const [, mark] = FENCE.exec(raw) ?? []
    if (mark !== undefined) {
      finish()
      if (fence === undefined) fence = mark
      else if (mark.length >= fence.length) fence = undefined
    } else if (fence !== undefined || line === '' || SKIPPED.test(line)) {
      finish()
    } else if (line.startsWith('|')) {
      finish()
      // The head of a table stands above its rule.
      if (RULE.test(lines[index + 1] ?? '')) continue
      const cells = line.replace(/^\||\|$/g, '').split(/(?<!\\)\|/)
      found.push({ file, line: index + 1, text: cells.map((cell) => cell.trim()).join(' | ') })
    } else {
      const item = /^([-*]|\d+\.) (.*)$/.exec(line)
      if (item !== null) finish()
      paragraph ??= { line: index + 1, words: [] }
      paragraph.words.push(item?.[2] ?? line)
    }
  }
  finish()
  return found
}

/** Draws without putting back. @param random - From 0 up to 1. */
export function draw<T>(from: readonly T[], count: number, random: () => number): T[] {
  const left = [...from]
  const drawn: T[] = []
  while (drawn.length < count && left.length > 0) {
    drawn.push(...left.splice(Math.floor(random() * left.length), 1))
  }
  return drawn
}
