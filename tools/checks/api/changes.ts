/**
 * The rule that a package whose API report has changed needs a changeset. All changes since the commit at
 * which the branch left `main` count.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getChangedChangesetFilesSinceRef, getChangedFilesSince, getDivergedCommit } from '@changesets/git'
import parse from '@changesets/parse'
import { SCOPE } from '../../ci/lib/workspace.ts'

// Git must report a renamed file as one deleted and one new file.
Object.assign(process.env, {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'diff.renames',
  GIT_CONFIG_VALUE_0: 'false',
})

/** The short names of the packages in a changeset, for example `signer`. */
export function packagesOfChangeset(text: string): string[] {
  return parse(text).releases.map(({ name }) => name.replace(SCOPE, ''))
}

/** @returns The branch to compare with, or `undefined` in a clone that has no `main`. */
export async function mainBranch(cwd: string): Promise<string | undefined> {
  for (const branch of ['origin/main', 'main'])
    if (await getDivergedCommit(cwd, branch).catch(() => '')) return branch
  return undefined
}

/** @returns One line for each package that has changed reports and no new or changed changeset. */
export async function missingChangesets(cwd: string, ref: string): Promise<string[]> {
  const changesets = await getChangedChangesetFilesSinceRef({ cwd, ref })
  const named = changesets.flatMap((file) => packagesOfChangeset(readFileSync(join(cwd, file), 'utf8')))
  const changed = (await getChangedFilesSince({ cwd, ref })).map(
    (file) => /^api\/(\w+)\./.exec(file)?.[1] ?? '',
  )
  return [...new Set(changed)]
    .filter((short) => short !== '' && !named.includes(short))
    .sort()
    .map(
      (short) =>
        `${SCOPE}${short}: its API report has changed; edit or add its changeset in .changeset/, then "git add" it`,
    )
}
