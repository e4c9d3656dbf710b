/**
 * What has changed since the branch left `main`, as git knows it. `changeset status` looks at the same commit; where there is
 * none, as in a clone of one commit that is not called main, nothing is compared.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../ci/lib/run.ts'
import type { Reports } from './changes.ts'
import { REPORTS } from './entries.ts'

const BASES = ['origin/main', 'main']

/** @returns The commit; `undefined` where nothing says which. */
export async function baseCommit(root: string): Promise<string | undefined> {
  for (const base of BASES) {
    const { status, stdout } = await run('git', ['merge-base', base, 'HEAD'], { cwd: root })
    if (status === 0) return stdout.trim()
  }
  return undefined
}

/** The reports as they were; `undefined` where there were none yet. */
export async function reportsAt(root: string, commit: string): Promise<Reports | undefined> {
  const files = await lines(root, ['ls-tree', '--name-only', commit, `${REPORTS}/`])
  if (files.length === 0) return undefined
  const texts = files.map(async (file): Promise<[string, string]> => {
    const { stdout } = await run('git', ['show', `${commit}:${file}`], { cwd: root })
    return [file.slice(REPORTS.length + 1), stdout]
  })
  return new Map(await Promise.all(texts))
}

/** The texts of the changesets that were written or changed since a commit, those that are not committed yet among them. */
export async function changesetsSince(root: string, commit: string): Promise<string[]> {
  const known = await lines(root, ['diff', '--name-only', '--diff-filter=d', commit, '--', '.changeset'])
  const added = await lines(root, ['ls-files', '--others', '--exclude-standard', '.changeset'])
  return [...new Set([...known, ...added])]
    .filter((file) => file.endsWith('.md'))
    .map((file) => readFileSync(join(root, file), 'utf8'))
}

async function lines(root: string, args: readonly string[]): Promise<string[]> {
  const { status, stdout, output } = await run('git', args, { cwd: root })
  if (status !== 0) throw new Error(`git ${args.join(' ')} ended with ${status}: ${output}`)
  return stdout.split('\n').filter((line) => line !== '')
}
