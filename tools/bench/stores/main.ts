/**
 * `pnpm bench:stores [--json FILE]`: what `compareAndSet` of each store that machines share costs beside the bare client's same
 * statement. Bundled: the loader that runs this file gives every inner function a name, each time it is made, which the
 * compiled package does not.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleProgram } from '@brokerwire/testing/bundle-program'

const folder = mkdtempSync(join(tmpdir(), 'brokerwire-bench-stores-'))
try {
  const file = join(folder, 'measure.mjs')
  await bundleProgram(new URL('measure.ts', import.meta.url), file)
  process.exitCode =
    spawnSync(process.execPath, [file, ...process.argv.slice(2)], { stdio: 'inherit' }).status ?? 1
} finally {
  rmSync(folder, { recursive: true })
}
