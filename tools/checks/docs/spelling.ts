/** Spelling of the prose of a page: dictionaries of cspell for English and software, and the words of dictionary.txt. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CSpellUserSettings, spellCheckDocument } from 'cspell-lib'
import { ROOT } from '../../ci/lib/workspace.ts'
import type { Document } from '../readme/documents.ts'

/** Code, comments, targets of links and addresses. The lines of the page stay. */
const NOT_PROSE =
  /^( *)(`{3,}).*\n[\s\S]*?^ *\2`* *$|<!--[\s\S]*?-->|`[^`]+`|\]\([^)]*\)|https?:\/\/\S+|<[^>\n]+>/gm

export const DICTIONARY = join(ROOT, 'tools/checks/docs/dictionary.txt')

/** The project's words, one a line. */
export const dictionary = (): string[] => readFileSync(DICTIONARY, 'utf8').trim().split('\n')

/** Returns the words that a page has, sorted. */
export function usedWords(words: readonly string[], pages: readonly Document[]): string[] {
  const text = pages.map((page) => page.text.toLowerCase()).join('\n')
  return [...new Set(words)].filter((word) => text.includes(word.toLowerCase())).sort()
}

/** Returns a problem if the dictionary has a word that no page has, or is not sorted. */
export const dictionaryProblems = (words: readonly string[], pages: readonly Document[]): string[] =>
  words.join() === usedWords(words, pages).join()
    ? []
    : ['tools/checks/docs/dictionary.txt is not sorted, or has unused words: run pnpm check docs --update']

/** Returns `file:line: spelling: "word"` for each unknown word of a page. */
export async function spellingProblems(
  file: string,
  page: string,
  words: readonly string[],
): Promise<string[]> {
  const text = page.replace(NOT_PROSE, (found) => found.replace(/[^\n]/g, ' '))
  const settings: CSpellUserSettings = { language: 'en', words: [...words], allowCompoundWords: false }
  const { issues } = await spellCheckDocument(
    { uri: 'page.md', text, languageId: 'markdown', locale: 'en' },
    { generateSuggestions: false, noConfigSearch: true },
    settings,
  )
  return issues.map(({ text: word, offset }) => {
    const line = text.slice(0, offset).split('\n').length
    return `${file}:${line}: spelling: "${word}"; correct it, or add it to tools/checks/docs/dictionary.txt`
  })
}
