/** Packages whose reports changed since the branch left `main`, without a changeset that names them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, runOrThrow } from '../../ci/lib/run.ts'
import { SCOPE } from '../../ci/lib/workspace.ts'
import { REPORTS } from './reports.ts'

/** The short names of the packages in a changeset, for example `signer`. */
export function packagesOfChangeset(text: string): string[] {
  const [, header = ''] = /^---\n([\s\S]*?)^---$/m.exec(text) ?? []
  const names = header.matchAll(/^(['"]?)(\S+)\1: *(?:patch|minor|major) *$/gm)
  return [...names].map(([, , name = '']) => name.replace(SCOPE, ''))
}

/**
 * The commit to compare with: the one that `changeset status` uses.
 *
 * @returns `undefined` in a clone that has no `main`, and before the first reports.
 */
export async function baseCommit(root: string): Promise<string | undefined> {
  for (const branch of ['origin/main', 'main']) {
    const { status, stdout } = await run('git', ['merge-base', branch, 'HEAD'], { cwd: root })
    const base = stdout.trim()
    if (status === 0)
      return (await run('git', ['cat-file', '-e', `${base}:${REPORTS}`], { cwd: root })).status === 0
        ? base
        : undefined
  }
  return undefined
}

/** @returns One line for each package with changed reports and without a new or changed changeset. */
export async function missingChangesets(root: string, base: string): Promise<string[]> {
  const changesets = (await changedFiles(root, ['--diff-filter=d', base], '.changeset'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => readFileSync(join(root, file), 'utf8'))
  const named = changesets.flatMap(packagesOfChangeset)
  const changed = (await changedFiles(root, [base], REPORTS)).map((file) => file.split(/[/.]/)[1] ?? '')
  return [...new Set(changed)]
    .filter((short) => !named.includes(short))
    .sort()
    .map((short) => `${SCOPE}${short}: its API report has changed; add a changeset with "pnpm changeset"`)
}

/** Changed files in a folder, also those that are not committed. */
async function changedFiles(root: string, diff: readonly string[], folder: string): Promise<string[]> {
  const git = async (...args: string[]): Promise<string[]> =>
    (await runOrThrow('git', [...args, '--', folder], { cwd: root }))
      .split('\n')
      .filter((line) => line !== '')
  const known = await git('diff', '--name-only', ...diff)
  const added = await git('ls-files', '--others', '--exclude-standard')
  return [...new Set([...known, ...added])]
}
