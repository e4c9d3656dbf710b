/** Rules for the length of pages and sentences, and for how a page addresses its reader. */
import type { Document } from '../readme/documents.ts'
import { addressesReader, budgetOf } from './pages.ts'
import { countWords, type Sentence, sentencesOf } from './sentences.ts'

/** A page with fewer sentences has no shares. */
const MIN_SENTENCES = 20
/** The largest share of sentences with more words. */
const LONGER_THAN = [
  { words: 26, share: 0.1 },
  { words: 30, share: 0.05 },
] as const
/** The smallest share of sentences with "you", in all pages that address the reader. */
const MIN_YOU = 0.15

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

/** Returns a problem if a page is longer or shorter than its budget. */
export function lengthProblems({ file, text }: Document): string[] {
  const budget = budgetOf(file)
  if (budget === undefined) return []
  const words = countWords(text)
  if (words >= budget.min && words <= budget.max) return []
  const allowed = budget.min === 0 ? `at most ${budget.max}` : `${budget.min} to ${budget.max}`
  return [`${file}: ${words} words outside of code; allowed: ${allowed}`]
}

/** Returns the long sentences of a page that has too many of them. */
export function sentenceProblems({ file, text }: Document): string[] {
  const sentences = sentencesOf(text)
  if (sentences.length < MIN_SENTENCES) return []
  return LONGER_THAN.flatMap(({ words, share }) => {
    const long = sentences.filter((sentence) => sentence.words > words)
    if (long.length <= share * sentences.length) return []
    const found = percent(long.length / sentences.length)
    return [
      `${file}: ${found} of the sentences have more than ${words} words; allowed: ${percent(share)}`,
      ...long.map((sentence) => `${file}: ${sentence.words} words: ${sentence.text}`),
    ]
  })
}

const hasYou = ({ text }: Sentence): boolean => /\byou(?:r|rs|rself)?\b/i.test(text)

/** Returns a problem if too few sentences of all pages together address the reader. */
export function readerProblems(pages: readonly Document[]): string[] {
  const byPage = pages
    .filter(({ file }) => addressesReader(file))
    .map(({ file, text }) => ({ file, sentences: sentencesOf(text) }))
  const sentences = byPage.flatMap((page) => page.sentences)
  const share = sentences.filter(hasYou).length / sentences.length
  if (sentences.length === 0 || share >= MIN_YOU) return []
  const fewest = byPage
    .filter((page) => page.sentences.length >= MIN_SENTENCES)
    .map((page) => ({ file: page.file, share: page.sentences.filter(hasYou).length / page.sentences.length }))
    .sort((a, b) => a.share - b.share)
    .slice(0, 5)
    .map((page) => `${page.file} ${percent(page.share)}`)
  return [
    `${percent(share)} of the sentences have "you"; at least ${percent(MIN_YOU)} are needed; fewest: ${fewest.join(', ')}`,
  ]
}
