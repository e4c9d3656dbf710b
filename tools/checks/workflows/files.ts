/** The files below `.github`: which there are, and what each is. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { trackedFiles } from '../../ci/lib/tracked.ts'
import { ROOT } from '../../ci/lib/workspace.ts'

/** A file and its text. */
export interface HostFile {
  /** From the root. */
  readonly file: string
  readonly text: string
}

/** Everything below `.github` in YAML. */
export async function yamlFiles(): Promise<HostFile[]> {
  const files = (await trackedFiles()).filter((file) => /^\.github\/.*\.ya?ml$/.test(file))
  return files.map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))
}

export function isWorkflow(file: string): boolean {
  return file.includes('.github/workflows/')
}
