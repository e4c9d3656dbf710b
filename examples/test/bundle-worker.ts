/** Bundles a Worker with wrangler's dry run, from source, so that no build is needed. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const wrangler = join(
  dirname(createRequire(import.meta.url).resolve('wrangler/package.json')),
  'bin/wrangler.js',
)

/**
 * @param folder - Folder with `worker.ts` and `wrangler.json`.
 * @returns The text of the minified bundle.
 */
export async function bundleWorker(folder: string): Promise<string> {
  const out = await mkdtemp(join(tmpdir(), 'brokerwire-worker-'))
  const config = join(folder, 'wrangler.json')
  const args = ['deploy', '--dry-run', '--minify', '--outdir', out, '--config', config]
  try {
    await promisify(execFile)(process.execPath, [wrangler, ...args], {
      cwd: folder,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: out,
        WRANGLER_BUILD_CONDITIONS: '@brokerwire/source,workerd,worker,browser',
        WRANGLER_SEND_METRICS: 'false',
      },
    })
    return await readFile(join(out, 'worker.js'), 'utf8')
  } finally {
    await rm(out, { recursive: true, force: true })
  }
}
