/**
 * Bundles a program of this repository. A process that runs from source with tsx takes ten times as long to
 * start.
 */
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'

/** Options of esbuild for a program of this repository. */
export const asModule = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: ['@brokerwire/source'],
  // The ES module of a package is preferred, because a CommonJS file may load its parts at run time.
  mainFields: ['module', 'main'],
  // CommonJS packages load modules of Node with `require`, which ES modules lack.
  banner: {
    js: "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);",
  },
} satisfies BuildOptions

/**
 * Bundles a program into one file.
 *
 * @param entry - The program, in TypeScript.
 */
export async function bundleProgram(entry: URL, outfile: string): Promise<void> {
  await build({ ...asModule, entryPoints: [fileURLToPath(entry)], outfile })
}

/** Bundles a program into a folder. Modules that the program imports dynamically get their own files. */
export async function bundleParts(entry: URL, outdir: string): Promise<void> {
  await build({ ...asModule, entryPoints: [fileURLToPath(entry)], outdir, splitting: true })
}
