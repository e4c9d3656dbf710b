/** The prose of a page: its words, and its sentences. */

const FRONT_MATTER = /^---\n[\s\S]*?\n---\n/
const FENCED = /^( *)(`{3,}).*\n[\s\S]*?^ *\2`* *$/gm
const COMMENT = /<!--[\s\S]*?-->/g
const LINK = /!?\[([^\]]*)\]\([^)]*\)/g
const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' })

/** A sentence that is longer counts as long. */
const LONG = 26

const withoutCode = (page: string): string =>
  page.replace(FRONT_MATTER, '').replace(FENCED, '').replace(COMMENT, '')

/** Words have a letter or a digit: the marks of tables and lists have neither. */
const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word))

/** Returns the number of words outside of code blocks, with those of headings and tables. */
export const countWords = (page: string): number => wordsOf(withoutCode(page).replace(LINK, '$1')).length

/** A sentence, with inline code as one word. */
export interface Sentence {
  readonly text: string
  readonly words: number
}

/**
 * Returns the sentences of paragraphs and lists. Headings and tables have none. Code and links begin with a capital, so that
 * a sentence can begin with one. An item of a list without a full stop is a sentence only if it is long.
 */
export function sentencesOf(page: string): Sentence[] {
  const text = withoutCode(page)
    .replace(LINK, (_, label: string) => label.charAt(0).toUpperCase() + label.slice(1))
    .replace(/`[^`]+`/g, 'Code')
    .replace(/^ *(?:#|\||>? *<).*$/gm, '')
  return text
    .split(/\n{2,}|\n(?= *(?:[-*]|\d+\.) )/)
    .map((passage) => passage.replace(/^ *(?:[-*]|\d+\.) +/, '').replace(/\s+/g, ' '))
    .flatMap((passage) => [...SENTENCES.segment(passage)])
    .map(({ segment }) => ({ text: segment.trim(), words: wordsOf(segment).length }))
    .filter(({ text: sentence, words }) => words > LONG || (words > 0 && /[.:!?]["')*]*$/.test(sentence)))
}
