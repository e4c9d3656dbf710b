/**
 * A project with the installed tarballs, and the suites bundled into it. The runtimes must load the same code
 * that users install.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import type { QuotesTarget } from '../../packages/quotes/src/test/runtime-cases.ts'
import { type ExportTarget, type Manifest, ROOT, resolveTarget } from '../ci/lib/workspace.ts'
import { decodedTexts } from './decoded.ts'

/** The packages that the suites load. */
const PACKAGES = ['signer', 'http', 'quotes', 'payloads', 'core'].map((short) => `@brokerwire/${short}`)

/**
 * Resolves the packages in the project. From the folder of the suites, the bundler would find the packages of
 * the workspace instead.
 */
const fromProject = (folder: string, isBundled: boolean): Plugin => ({
  name: 'from-project',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^@brokerwire\// }, ({ path, kind, pluginData }) => {
      if (pluginData === fromProject || path.startsWith('@brokerwire/testing/')) return undefined
      if (!isBundled && !path.endsWith('.json')) return { path, external: true }
      return resolve(path, { resolveDir: folder, kind, pluginData: fromProject })
    })
  },
})

/**
 * Bundles an entry file into the project.
 *
 * @param conditions - Export conditions for the bundler. `undefined` if the runtime itself resolves the
 * packages.
 */
export async function bundleSuites(
  folder: string,
  entry: string,
  { wireUrl, quotes }: { readonly wireUrl: string; readonly quotes: QuotesTarget },
  conditions: readonly string[] | undefined,
): Promise<string> {
  const outfile = join(
    folder,
    `${entry.replace('.ts', '')}-${conditions === undefined ? 'plain' : 'bundled'}.mjs`,
  )
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [`tools/runtimes/${entry}`],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    metafile: true,
    define: {
      WIRE_URL: JSON.stringify(wireUrl),
      QUOTES_TARGET: JSON.stringify(quotes),
      DECODED: JSON.stringify(decodedTexts()),
    },
    // The build for a Worker or a page fails if a module of Node is imported.
    external: ['ws', 'cloudflare:*', ...(entry === 'in-process.ts' ? ['node:*'] : [])],
    outfile,
    ...(conditions ? { conditions: [...conditions] } : {}),
    plugins: [fromProject(folder, conditions !== undefined)],
  })
  // Only test cases that these suites share with packages may come from the workspace.
  const workspace = Object.keys(metafile.inputs).filter((path) =>
    /^packages\/(?!testing\/)\w+\/(src\/(?!test\/)|dist\/)/.test(path),
  )
  if (workspace.length > 0) throw new Error(`not from the tarball: ${workspace.join(', ')}`)
  return outfile
}

/** The import map of a page without a bundler. It maps package names to files of the project. */
export function importMap(folder: string): string {
  const imports: Record<string, string> = { '@noble/hashes/': '/node_modules/@noble/hashes/' }
  const scopes: Record<string, Record<string, string>> = {}
  for (const name of PACKAGES) {
    const root = `/node_modules/${name}/`
    const filesOf = (targets: Readonly<Record<string, ExportTarget>> = {}): [string, string][] =>
      Object.entries(targets).flatMap(([key, target]) => {
        // Entry points for Node only have no file here, and are skipped.
        const file = resolveTarget(target, ['browser', 'import'])
        return file === undefined ? [] : [[key, root + file.replace('./', '')]]
      })
    const manifest = JSON.parse(readFileSync(join(folder, root, 'package.json'), 'utf8')) as Manifest & {
      readonly imports?: Readonly<Record<string, ExportTarget>>
    }
    for (const [subpath, file] of filesOf(manifest.exports)) imports[name + subpath.slice(1)] = file
    if (imports[name] === undefined) throw new Error(`${name} has no entry point for browsers`)
    scopes[root] = Object.fromEntries(filesOf(manifest.imports))
  }
  return JSON.stringify({ imports, scopes })
}
