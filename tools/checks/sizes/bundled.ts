/** A bundle of named imports, as a user's bundler would make it for a Worker. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Limit } from './limits.ts'

export const root = join(dirname(fileURLToPath(import.meta.url)), '../../..')

/** Conditions of the runtime whose build is measured: Cloudflare's. */
const CONDITIONS = ['workerd', 'worker', 'browser']

/** How a bundle is made that is looked into. */
interface Bundling {
  /** Of the sources, file by file, as a built file is made of many. @defaultValue false */
  readonly sources?: boolean
  /** With white space, and so with a comment before each module. @defaultValue false */
  readonly whiteSpace?: boolean
}

/** Bundles one import, as a user would. */
export async function bundled(
  { from, names, besides = {} }: Limit,
  { sources = false, whiteSpace = false }: Bundling = {},
) {
  const contents = Object.entries({ [from]: names, ...besides })
    .map(([name, imported]) => `export { ${imported} } from '${name}'`)
    .join('\n')
  return await build({
    stdin: { contents, resolveDir: join(root, 'tools') },
    absWorkingDir: root,
    bundle: true,
    minifyIdentifiers: true,
    minifySyntax: true,
    minifyWhitespace: !whiteSpace,
    format: 'esm',
    target: 'es2022',
    conditions: sources ? ['@brokerwire/source', ...CONDITIONS] : CONDITIONS,
    // A module of the runtime itself.
    external: ['cloudflare:sockets'],
    write: false,
    metafile: true,
  })
}
