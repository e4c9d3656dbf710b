/**
 * `pnpm check docs`: pages for users have the length of their budget and short sentences, address the reader, and have no
 * unknown word. `--update` sorts the words of dictionary.txt, and removes those that no page has.
 */
import { writeFileSync } from 'node:fs'
import { type Document, readmeDocuments } from '../readme/documents.ts'
import type { CheckResult } from '../result.ts'
import { isUserPage } from './pages.ts'
import { lengthProblems, readerProblems, sentenceProblems } from './rules.ts'
import { DICTIONARY, dictionary, dictionaryProblems, spellingProblems, usedWords } from './spelling.ts'

export async function check(update: boolean): Promise<CheckResult> {
  const pages = (await readmeDocuments()).filter(({ file }) => isUserPage(file))
  if (update) writeFileSync(DICTIONARY, `${usedWords(dictionary(), pages).join('\n')}\n`)
  const words = dictionary()
  return {
    problems: [
      ...pages.flatMap(lengthProblems),
      ...pages.flatMap(sentenceProblems),
      ...readerProblems(pages),
      ...dictionaryProblems(words, pages),
      ...(await allSpellingProblems(pages, words)),
    ],
    checked: `${pages.length} pages`,
  }
}

async function allSpellingProblems(pages: readonly Document[], words: readonly string[]): Promise<string[]> {
  const problems: string[] = []
  for (const { file, text } of pages) problems.push(...(await spellingProblems(file, text, words)))
  return problems
}
