/**
 * `pnpm check readme`: every `ts` block of the documents and every example of a docstring compiles, and the
 * rules of pages.ts are met. `--update` copies the programs that the documents show.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../ci/lib/workspace.ts'
import { readReports } from '../api/reports.ts'
import type { CheckResult } from '../result.ts'
import { compileBlocks } from './compile.ts'
import { docstringDocument, readmeDocuments, sourceFiles } from './documents.ts'
import {
  exampleProblems,
  fileTableProblems,
  installProblems,
  linkProblems,
  missingExamples,
  withExamples,
} from './pages.ts'

export async function check(update: boolean): Promise<CheckResult> {
  if (update)
    for (const { file, text } of await readmeDocuments())
      if (withExamples(text) !== text) writeFileSync(join(ROOT, file), withExamples(text))
  const pages = await readmeDocuments()
  const sources = await sourceFiles()
  const docstrings = sources.filter(({ text }) => text.includes('@example')).map(docstringDocument)
  const { blocks, problems } = await compileBlocks([...pages, ...docstrings])
  return {
    problems: [
      ...problems,
      ...exampleProblems(pages),
      ...installProblems(pages),
      ...linkProblems(pages),
      ...fileTableProblems(pages),
      ...missingExamples(pages, sources, readReports()),
    ],
    checked: `${blocks} blocks in ${pages.length} documents and ${docstrings.length} sources compile`,
  }
}
