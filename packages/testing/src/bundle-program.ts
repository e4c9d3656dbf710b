/** Makes one file of a program of ours: from source, through a loader, a process would take ten times as long to start. */
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'

/** How a program of ours is bundled from source. */
export const asModule = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: ['@brokerwire/source'],
  // What a package has as a module, where it has both: the other one may look for its parts at run time.
  mainFields: ['module', 'main'],
  // Packages in CommonJS ask for modules of Node by `require`.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
} satisfies BuildOptions

/** Into one file. @param entry - The program, in TypeScript. */
export async function bundleProgram(entry: URL, outfile: string): Promise<void> {
  await build({ ...asModule, entryPoints: [fileURLToPath(entry)], outfile })
}

/** Into a folder: what the program loads when it is needed is a file of its own. */
export async function bundleParts(entry: URL, outdir: string): Promise<void> {
  await build({ ...asModule, entryPoints: [fileURLToPath(entry)], outdir, splitting: true })
}
