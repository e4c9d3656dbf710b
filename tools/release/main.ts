/**
 * `pnpm release:publish`: publishes what the registry does not have yet, then tags it. Builds nothing, so that a workflow runs
 * it after the build and its checks.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../ci/lib/run.ts'
import { currentPlace } from './place.ts'
import { publish } from './publish.ts'
import { copyPackages, stampPackages } from './staged.ts'

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
if (process.exitCode === 0) {
  // A workflow makes the release's page from these lines.
  const tagged = await run('changeset', ['tag'])
  console.log(tagged.output.trimEnd())
  process.exitCode = tagged.status
}
