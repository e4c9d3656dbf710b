/** The documents whose code must compile: Markdown files for users, and docstrings with an example. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { trackedFiles } from '../../ci/lib/tracked.ts'
import { ROOT } from '../../ci/lib/workspace.ts'

/** A document in Markdown. */
export interface Document {
  /** Path from the root of the repository. */
  readonly file: string
  readonly text: string
}

const READ_BY_USERS =
  /^(README|ARCHITECTURE|CONTRIBUTING|STYLE|SECURITY|CODE_OF_CONDUCT)\.md$|^packages\/([^/]+\/)?[^/]+(?<!\/CHANGELOG)\.md$|^(docs|examples)\/.*\.md$/
const SOURCE = /^packages\/[^/]+\/src\/(?!.*(?:\.test(?:-d)?\.ts$|\/test\/|\/gen\/|\/generated\/)).*\.ts$/

const readAll = async (pattern: RegExp): Promise<Document[]> =>
  (await trackedFiles())
    .filter((file) => pattern.test(file) && existsSync(join(ROOT, file)))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))

export const readmeDocuments = (): Promise<Document[]> => readAll(READ_BY_USERS)

/** The source files of the packages. */
export const sourceFiles = (): Promise<Document[]> => readAll(SOURCE)

/**
 * Returns the docstrings of a source file as Markdown. Each line of a docstring keeps its line number, and
 * all other lines are empty.
 */
export function docstringDocument({ file, text }: Document): Document {
  let isInside = false
  const lines = text.split('\n').map((line) => {
    if (/^\s*\/\*\*/.test(line)) isInside = true
    const shown = isInside ? (/^\s*\* ?(?!\/)(.*)$/.exec(line)?.[1] ?? '') : ''
    if (line.includes('*/')) isInside = false
    return shown
  })
  return { file, text: lines.join('\n') }
}
