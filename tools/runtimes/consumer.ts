/**
 * A project that has installed the packages as they would be published: the suite must meet what users get, not the
 * workspace. Unpacked beside the tests' own folder instead of installed, so that no registry is asked for anything.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { runOrThrow } from '../ci/lib/run.ts'
import { type Manifest, ROOT, resolveTarget } from '../ci/lib/workspace.ts'
import { tarballs } from '../release/packed/tarballs.ts'
import { decodedTexts } from './decoded.ts'
import type { QuotesTarget } from './quotes-cases.ts'

const HERE = join(ROOT, 'tools/runtimes')
/** What the suite imports, and what that depends on. */
const PACKAGES = [
  '@brokerwire/signer',
  '@brokerwire/http',
  '@brokerwire/quotes',
  '@brokerwire/payloads',
  '@brokerwire/core',
]
const LIBRARY = '@noble/hashes'
/** The WebSocket of a host that has none. */
const SOCKETS = 'ws'

/** Makes the project: a folder with `node_modules` in it. The caller removes it. */
export async function createConsumer(): Promise<string> {
  const folder = mkdtempSync(join(HERE, '.run-'))
  const packed = await tarballs()
  for (const name of PACKAGES) {
    const path = packed.find(({ pkg }) => pkg.manifest.name === name)?.path
    if (path === undefined) throw new Error(`${name} was not packed`)
    const target = join(folder, 'node_modules', name)
    mkdirSync(target, { recursive: true })
    await runOrThrow('tar', ['-xzf', path, '-C', target, '--strip-components=1'])
  }
  mkdirSync(join(folder, 'node_modules/@noble'))
  const library = realpathSync(join(ROOT, 'packages/signer/node_modules', LIBRARY))
  symlinkSync(library, join(folder, 'node_modules', LIBRARY))
  const sockets = realpathSync(join(ROOT, 'packages/quotes/node_modules', SOCKETS))
  symlinkSync(sockets, join(folder, 'node_modules', SOCKETS))
  return folder
}

/** Finds the packages in the project: the suite's own folder would find the workspace's. */
const fromConsumer = (folder: string, bundled: boolean): Plugin => ({
  name: 'from-consumer',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^@brokerwire\// }, ({ path, kind, pluginData }) => {
      if (pluginData === fromConsumer) return undefined
      if (!bundled && !path.endsWith('.json')) return { path, external: true }
      return resolve(path, { resolveDir: folder, kind, pluginData: fromConsumer })
    })
  },
})

/**
 * Bundles a way of running the suite into the project.
 *
 * @param servers - Where the server listens that counts what arrives, and that of market data.
 * @param conditions - Of the runtime, where its bundler resolves the packages; `undefined` where the runtime itself
 * does, from the project's `node_modules`.
 */
export async function bundleSuite(
  folder: string,
  entry: string,
  servers: { readonly wireUrl: string; readonly quotes: QuotesTarget },
  conditions: readonly string[] | undefined,
): Promise<string> {
  const outfile = join(folder, `${entry.replace('.ts', '')}-${conditions?.join('-') ?? 'plain'}.mjs`)
  const { metafile } = await build({
    entryPoints: [join(HERE, entry)],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    metafile: true,
    define: {
      WIRE_URL: JSON.stringify(servers.wireUrl),
      QUOTES_TARGET: JSON.stringify(servers.quotes),
      DECODED: JSON.stringify(decodedTexts()),
    },
    external: [SOCKETS, 'cloudflare:*'],
    outfile,
    ...(conditions ? { conditions: [...conditions] } : {}),
    plugins: [fromConsumer(folder, conditions !== undefined)],
  })
  // Code of the workspace would make the run worthless. Cases that packages share with this are no such code.
  const workspace = Object.keys(metafile.inputs).filter((path) =>
    /(^|\/)packages\/\w+\/(src\/(?!test\/)|dist\/)/.test(path),
  )
  if (workspace.length > 0) throw new Error(`not from the tarball: ${workspace.join(', ')}`)
  return outfile
}

/** The import map of a page that has no bundler: bare names to files of the project. */
export function importMap(folder: string): string {
  const imports: Record<string, string> = { [`${LIBRARY}/`]: `/node_modules/${LIBRARY}/` }
  for (const name of PACKAGES) {
    const manifest = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')
    for (const [subpath, target] of Object.entries((JSON.parse(manifest) as Manifest).exports ?? {})) {
      const file = resolveTarget(target, ['browser', 'import'])
      // Some entries are for Node alone; a package is for browsers where its first one is.
      if (file === undefined && subpath !== '.') continue
      if (file === undefined) throw new Error(`${name} has no entry for browsers`)
      imports[`${name}${subpath.slice(1)}`] = `/node_modules/${name}/${file.replace('./', '')}`
    }
  }
  return JSON.stringify({
    imports,
    scopes: Object.fromEntries(PACKAGES.map((name) => ownImports(folder, name))),
  })
}

/** Imports of a package from itself, as the package's own conditions have them. */
function ownImports(folder: string, name: string): readonly [scope: string, files: Record<string, string>] {
  const scope = `/node_modules/${name}/`
  const manifest = JSON.parse(readFileSync(join(folder, `.${scope}package.json`), 'utf8')) as {
    readonly imports?: Readonly<Record<string, Parameters<typeof resolveTarget>[0]>>
  }
  const own = Object.entries(manifest.imports ?? {}).map(([from, target]) => {
    const file = resolveTarget(target, ['browser', 'import'])
    if (file === undefined) throw new Error(`${from} of ${name} has no file for browsers`)
    return [from, `${scope}${file.replace('./', '')}`]
  })
  return [scope, Object.fromEntries(own)]
}
