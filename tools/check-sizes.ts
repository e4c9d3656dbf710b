/**
 * Sizes of named imports, as a user's bundler would make them: esbuild, minified, then gzip -9. A limit that is
 * exceeded ends with status 1, and so does a bundle that holds something from outside the scope. Reads the built
 * packages: run `turbo run build` first.
 */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

interface Limit {
  readonly from: string
  /** What is imported together. */
  readonly names: string
  /** What is imported besides, by package. */
  readonly besides?: Readonly<Record<string, string>>
  readonly maxBytes: number
}

/** Conditions of the runtime whose build is measured: Cloudflare's. */
const CONDITIONS = ['workerd', 'worker', 'browser']
const SCOPE = '@brokerwire'
const SIGNER = `${SCOPE}/signer`
const PAYLOADS = `${SCOPE}/payloads`
const HTTP = `${SCOPE}/http`
const WITH_SIGNER = { [SIGNER]: 'createSigner' }

/** The table: one line for each import whose size is promised, and for what is used together. */
const LIMITS: readonly Limit[] = [
  { from: SIGNER, names: 'createSigner', maxBytes: 3_520 },
  // A Worker that signs, whole: of a URL, and of a `Request`.
  { from: SIGNER, names: 'createSigner, fromUrl', maxBytes: 3_900 },
  { from: SIGNER, names: 'createSigner, signRequest', maxBytes: 4_720 },
  { from: SIGNER, names: 'canonicalString', maxBytes: 600 },
  { from: SIGNER, names: 'createVerifier', maxBytes: 6_100 },
  { from: SIGNER, names: 'explain', maxBytes: 3_630 },
  { from: SIGNER, names: 'compare', maxBytes: 6_660 },
  { from: PAYLOADS, names: 'positionEvent', maxBytes: 2_000 },
  // With what reads the text of an event.
  { from: PAYLOADS, names: 'decodeJson, positionEvent', maxBytes: 4_320 },
  { from: PAYLOADS, names: 'payloads', maxBytes: 9_480 },
  // Signed requests, of which the goal is 11,500 bytes; with the endpoints and a token that somebody else keeps, 12,500.
  { from: HTTP, names: 'createHttpClient', besides: WITH_SIGNER, maxBytes: 14_400 },
  {
    from: HTTP,
    names: 'createHttpClient',
    besides: { ...WITH_SIGNER, [`${SCOPE}/core/endpoints`]: 'resolveEndpoint' },
    maxBytes: 14_850,
  },
  // All that a Worker can have but the streams; the goal is 25,500 bytes.
  { from: `${SCOPE}/edge`, names: 'createBrokerage', maxBytes: 30_950 },
]

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Gzipped bytes of one import, and the files outside the scope that it reached. */
async function measure({
  from,
  names,
  besides = {},
}: Limit): Promise<{ bytes: number; foreign: readonly string[] }> {
  const contents = Object.entries({ [from]: names, ...besides })
    .map(([name, imported]) => `export { ${imported} } from '${name}'`)
    .join('\n')
  const result = await build({
    stdin: { contents, resolveDir: join(root, 'tools') },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    conditions: CONDITIONS,
    write: false,
    metafile: true,
  })
  const [output] = result.outputFiles
  if (output === undefined) throw new Error(`no output for ${names}`)
  const foreign = Object.keys(result.metafile.inputs).filter((path) => !/^(?:packages\/|<stdin>)/.test(path))
  return { bytes: gzipSync(output.contents, { level: 9 }).length, foreign }
}

const namesOf = ({ names, besides = {} }: Limit): string =>
  [names, ...Object.entries(besides).map(([from, imported]) => `${imported} of ${from}`)].join(', ')

let failed = 0
for (const limit of LIMITS) {
  const { bytes, foreign } = await measure(limit)
  const ok = bytes <= limit.maxBytes && foreign.length === 0
  if (!ok) failed += 1
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${limit.from} ${namesOf(limit)}: ${bytes} of ${limit.maxBytes} bytes`)
  for (const path of foreign) console.log(`     outside ${SCOPE}: ${path}`)
}
console.log(`${LIMITS.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
