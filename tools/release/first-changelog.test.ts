/** Before its first release, a package has one changeset that describes the package. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packagesOfChangeset } from '../checks/api/changes.ts'
import { publicPackages, ROOT } from '../ci/lib/workspace.ts'

test('a package has its own changeset before its first release, and starts at 0.1.0', () => {
  const folder = join(ROOT, '.changeset')
  const changesets = readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
  const unpublished = publicPackages().filter(({ manifest }) => manifest.version === '0.0.0')
  for (const { short, manifest } of unpublished) {
    const own = changesets.filter((text) => packagesOfChangeset(text).includes(short))
    expect(own, short).toHaveLength(1)
    expect(own[0]).toMatch(new RegExp(`^---\n'${manifest.name}': minor\n---\n\n\\S`))
  }
})
