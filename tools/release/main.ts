/** `pnpm release:publish`: builds the packages, publishes the versions that the registry does not have, then tags them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runOrThrow } from '../ci/lib/run.ts'
import { build } from './build.ts'
import { currentPlace } from './place.ts'
import { publish } from './publish.ts'
import { copyPackages, stampPackages } from './staged.ts'

await build()
const place = currentPlace()
const staged = mkdtempSync(join(tmpdir(), 'brokerwire-publish-'))
try {
  copyPackages(staged)
  stampPackages(staged, place)
  const { status, output } = await publish(staged, { place })
  console.log(output.trimEnd())
  process.exitCode = status
} finally {
  rmSync(staged, { recursive: true, force: true })
}
// The release workflow creates the release's page from these lines.
if (process.exitCode === 0) console.log((await runOrThrow('changeset', ['tag'])).trimEnd())
