/** The Markdown files whose code must compile: those that a user reads. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { trackedFiles } from '../../ci/lib/tracked.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import type { Document } from './compile.ts'

const READ_BY_USERS =
  /^(README|ARCHITECTURE|CONTRIBUTING|STYLE|SECURITY|CODE_OF_CONDUCT)\.md$|^packages\/([^/]+\/)?[^/]+\.md$|^(docs|examples)\/.*\.md$/

export async function readmeDocuments(): Promise<Document[]> {
  const files = await trackedFiles()
  return files
    .filter((file) => READ_BY_USERS.test(file) && !file.endsWith('/CHANGELOG.md'))
    .filter((file) => existsSync(join(ROOT, file)))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))
}
