/**
 * `pnpm bench:relay [--json FILE]`: publishing into JetStream and reading from it, beside the bare client on the same server with
 * the same messages, and how long an event takes from the service to its consumer. Bundled, because the loader that runs this
 * file gives every inner function a name, each time it is made, which the compiled package does not.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleProgram } from '@brokerwire/testing/bundle-program'

const folder = mkdtempSync(join(tmpdir(), 'brokerwire-bench-relay-'))
try {
  const file = join(folder, 'measure.mjs')
  await bundleProgram(new URL('measure.ts', import.meta.url), file)
  process.exitCode =
    spawnSync(process.execPath, [file, ...process.argv.slice(2)], { stdio: 'inherit' }).status ?? 1
} finally {
  rmSync(folder, { recursive: true })
}
