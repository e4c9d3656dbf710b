/**
 * Sizes per named import, as a user's bundler would make them: esbuild, minified, then gzip -9. A limit that is
 * exceeded ends with status 1. Reads the built packages: run `turbo run build` first.
 */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

interface Limit {
  readonly from: string
  readonly name: string
  /** Conditions of the runtime whose build is measured. */
  readonly conditions: readonly string[]
  readonly maxBytes: number
  /** The bundle must hold nothing but packages of this scope. */
  readonly scopeOnly: boolean
}

const WORKERD = ['workerd', 'worker', 'browser']
const SCOPE = '@brokerwire'

/** The table: one line for each import whose size is promised. */
const LIMITS: readonly Limit[] = [
  { from: '@brokerwire/signer', name: 'createSigner', conditions: WORKERD, maxBytes: 3_790, scopeOnly: true },
  {
    from: '@brokerwire/signer',
    name: 'canonicalString',
    conditions: WORKERD,
    maxBytes: 600,
    scopeOnly: true,
  },
  {
    from: '@brokerwire/signer',
    name: 'createVerifier',
    conditions: WORKERD,
    maxBytes: 6_050,
    scopeOnly: true,
  },
  { from: '@brokerwire/signer', name: 'explain', conditions: WORKERD, maxBytes: 3_600, scopeOnly: true },
  { from: '@brokerwire/signer', name: 'compare', conditions: WORKERD, maxBytes: 6_640, scopeOnly: true },
  {
    from: '@brokerwire/payloads',
    name: 'positionEvent',
    conditions: WORKERD,
    maxBytes: 2_000,
    scopeOnly: true,
  },
]

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Gzipped bytes of one import, and the files outside the scope that it reached. */
async function measure({
  from,
  name,
  conditions,
}: Limit): Promise<{ bytes: number; foreign: readonly string[] }> {
  const result = await build({
    stdin: { contents: `export { ${name} } from '${from}'`, resolveDir: join(root, 'tools') },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    conditions: [...conditions],
    write: false,
    metafile: true,
  })
  const [output] = result.outputFiles
  if (output === undefined) throw new Error(`no output for ${name}`)
  const foreign = Object.keys(result.metafile.inputs).filter((path) => !/^(?:packages\/|<stdin>)/.test(path))
  return { bytes: gzipSync(output.contents, { level: 9 }).length, foreign }
}

let failed = 0
for (const limit of LIMITS) {
  const { bytes, foreign } = await measure(limit)
  const reached = limit.scopeOnly ? foreign : []
  const ok = bytes <= limit.maxBytes && reached.length === 0
  if (!ok) failed += 1
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${limit.from} ${limit.name}: ${bytes} of ${limit.maxBytes} bytes`)
  for (const path of reached) console.log(`     outside ${SCOPE}: ${path}`)
}
console.log(`${LIMITS.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
