/**
 * `pnpm release:pack FOLDER`: builds the packages, and writes the tarballs of the versions that the registry
 * does not have, with their digests and the list of dependencies. It publishes nothing.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ROOT } from '../ci/lib/workspace.ts'
import { build } from './build.ts'
import { currentAddress, reportingAddressIn } from './project-address.ts'
import { packRelease } from './release.ts'
import { copyPackages, stampPackages } from './staged.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('FOLDER is missing: an empty folder for the files of the release')
const address = currentAddress()
const reportingAddress = reportingAddressIn(readFileSync(join(ROOT, 'SECURITY.md'), 'utf8'))
await build()
const staged = mkdtempSync(join(tmpdir(), 'brokerwire-release-'))
try {
  copyPackages(staged)
  stampPackages(staged, address)
  const names = await packRelease(staged, resolve(folder), { address, reportingAddress })
  console.log(names.length === 0 ? 'the registry has every version' : names.join('\n'))
} finally {
  rmSync(staged, { recursive: true, force: true })
}
