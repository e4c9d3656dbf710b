/** Makes one file of a program of ours: from source, through a loader, a process would take ten times as long to start. */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** @param entry - The program, in TypeScript. */
export async function bundleProgram(entry: URL, outfile: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@brokerwire/source'],
    // Packages in CommonJS ask for modules of Node by `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  })
}
