/**
 * Programs that a document shows: the block after `<!-- example: PATH -->` is that file, word for word. The file is the
 * one that the tests run.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../../ci/lib/workspace.ts'
import type { Document } from './compile.ts'

const SHOWN = /(<!-- example: (\S+) -->\n\n`{3}(?:ts|go)\n)([\s\S]*?)(`{3}\n)/g

/** The document with its programs as they are. */
export async function withExamples({ text }: Document): Promise<string> {
  const paths = [...text.matchAll(SHOWN)].map(([, , path = '']) => path)
  const sources = new Map<string, string>()
  for (const path of paths) sources.set(path, await readFile(join(ROOT, path), 'utf8'))
  return text.replace(
    SHOWN,
    (_, before: string, path: string, __, after: string) => before + sources.get(path) + after,
  )
}

/** Documents that show something else than the program. */
export async function exampleProblems(documents: readonly Document[]): Promise<string[]> {
  const problems: string[] = []
  for (const document of documents)
    if ((await withExamples(document)) !== document.text)
      problems.push(
        `${document.file}: an example differs from its file (\`pnpm check:readme --update\` copies it)`,
      )
  return problems
}
