/** `pnpm release:publish`: builds the packages, publishes the versions that the registry does not have, then tags them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runOrThrow } from '../ci/lib/run.ts'
import { build } from './build.ts'
import { currentAddress } from './project-address.ts'
import { publish } from './publish.ts'
import { copyPackages, stampPackages } from './staged.ts'

await build()
const address = currentAddress()
const staged = mkdtempSync(join(tmpdir(), 'brokerwire-publish-'))
try {
  copyPackages(staged)
  stampPackages(staged, address)
  const { status, output } = await publish(staged, { address })
  console.log(output.trimEnd())
  process.exitCode = status
} finally {
  rmSync(staged, { recursive: true, force: true })
}
// The release workflow reads these lines to create the page of the release.
if (process.exitCode === 0) console.log((await runOrThrow('changeset', ['tag'])).trimEnd())
