/** Bundles the examples once for all their runs: from source, through a loader, a start takes ten times as long. */
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'

/** The folder of the examples. */
export const EXAMPLES = fileURLToPath(new URL('..', import.meta.url))

/** How a program is bundled from source. */
export const forNode = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Clients of databases are CommonJS, and ask for modules of Node by `require`.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  conditions: ['@brokerwire/source'],
} satisfies BuildOptions

/** @returns A new directory with each program as `.mjs` at its place. The caller removes it. */
export async function bundlePrograms(): Promise<string> {
  const files = (await readdir(EXAMPLES)).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const outdir = await mkdtemp(join(tmpdir(), 'brokerwire-examples-'))
  await build({
    ...forNode,
    absWorkingDir: EXAMPLES,
    entryPoints: [...files, 'node-file-store/server.ts', 'postgres-store/service.ts'],
    outdir,
    outExtension: { '.js': '.mjs' },
    splitting: true,
  })
  return outdir
}
