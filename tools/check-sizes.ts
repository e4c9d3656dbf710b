/**
 * `pnpm check:sizes [--parts]`. Sizes of named imports, as a user's bundler would make them: esbuild, minified, then gzip -9; and how many files of ours an
 * import reads in Node, because it pays by the file: `pnpm bench:import` measures the time, which no gate could hold. A limit
 * that is exceeded ends with status 1, and so does a bundle that holds something from outside the scope. Reads the built
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
  { from: SIGNER, names: 'createSigner', maxBytes: 3_510 },
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
  { from: HTTP, names: 'createHttpClient', besides: WITH_SIGNER, maxBytes: 12_810 },
  {
    from: HTTP,
    names: 'createHttpClient',
    besides: { ...WITH_SIGNER, [`${SCOPE}/core/endpoints`]: 'resolveEndpoint' },
    // With the hosts of market data, which are never named apart from their HTTP host.
    maxBytes: 13_430,
  },
  // Market data, whole, with the signed calls that subscribe: the goal is 22,000 bytes.
  {
    from: `${SCOPE}/quotes`,
    names: 'createQuotes',
    besides: { ...WITH_SIGNER, [HTTP]: 'createHttpClient' },
    maxBytes: 31_700,
  },
  // A token that somebody else keeps, with endpoints and the service's clock.
  { from: `${SCOPE}/edge/kept-token`, names: 'createKeptTokenClient', maxBytes: 14_205 },
  // The goal is 25,500 bytes; then with all that a Worker can have but the streams.
  { from: `${SCOPE}/edge`, names: 'createBrokerage', maxBytes: 26_140 },
  {
    from: `${SCOPE}/edge`,
    names: 'createBrokerage',
    besides: { [`${SCOPE}/tokens`]: 'createClientTokens, createTokenRateLimiter' },
    maxBytes: 29_360,
  },
]

/** How many files of ours an import reads in Node. */
const MAX_FILES: Readonly<Record<string, number>> = {
  [SIGNER]: 5,
  [`${SIGNER}/sync`]: 6,
  [HTTP]: 5,
  [PAYLOADS]: 3,
  [`${SCOPE}/tokens`]: 4,
  [`${SCOPE}/streams/transport`]: 4,
  [`${SCOPE}/streams`]: 7,
  [`${SCOPE}/edge`]: 13,
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Bundles one import, as a user would. */
async function bundled({ from, names, besides = {} }: Limit, conditions: readonly string[]) {
  const contents = Object.entries({ [from]: names, ...besides })
    .map(([name, imported]) => `export { ${imported} } from '${name}'`)
    .join('\n')
  return await build({
    stdin: { contents, resolveDir: join(root, 'tools') },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    conditions: [...conditions],
    // A module of the runtime itself.
    external: ['cloudflare:sockets'],
    write: false,
    metafile: true,
  })
}

/** What a part of a bundle is called: its package, and the folder or the group of files in it. */
function partOf(source: string): string {
  const [, pkg = '', file = ''] = /^packages\/(\w+)\/src\/(.*)\.ts$/.exec(source) ?? []
  if (file.startsWith('redactor')) return `${pkg}: redactor`
  const [folder, ...below] = file.split('/')
  return below.length === 0 ? pkg : `${pkg}: ${folder}`
}

/** Minified bytes of a bundle by part, the largest first: from the sources, because a built file is made of many. */
async function partsOf(limit: Limit): Promise<string[]> {
  const { metafile } = await bundled(limit, ['@brokerwire/source', ...CONDITIONS])
  const parts = new Map<string, number>()
  for (const { inputs } of Object.values(metafile.outputs))
    for (const [source, { bytesInOutput }] of Object.entries(inputs)) {
      const part = partOf(source)
      parts.set(part, (parts.get(part) ?? 0) + bytesInOutput)
    }
  return [...parts]
    .filter(([, bytes]) => bytes > 0)
    .sort(([, left], [, right]) => right - left)
    .map(([part, bytes]) => `${String(bytes).padStart(8)}  ${part}`)
}

/** Gzipped bytes of one import, and the files outside the scope that it reached. */
async function measure(limit: Limit): Promise<{ bytes: number; foreign: readonly string[] }> {
  const result = await bundled(limit, CONDITIONS)
  const [output] = result.outputFiles
  if (output === undefined) throw new Error(`no output for ${limit.names}`)
  const foreign = Object.keys(result.metafile.inputs).filter((path) => !/^(?:packages\/|<stdin>)/.test(path))
  return { bytes: gzipSync(output.contents, { level: 9 }).length, foreign }
}

/** The built files that an import of an entry reads in Node at once: what is loaded when it is used does not count. */
async function filesOf(entry: string): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    stdin: { contents: `import '${entry}'`, resolveDir: join(root, 'tools') },
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    platform: 'node',
    // What a package says of itself would leave all of it out.
    ignoreAnnotations: true,
    write: false,
    metafile: true,
  })
  const read = new Set<string>()
  const add = (path: string): void => {
    for (const { path: next, kind } of metafile.inputs[path]?.imports ?? []) {
      if (kind !== 'import-statement' || !next.startsWith('packages/') || read.has(next)) continue
      read.add(next)
      add(next)
    }
  }
  add('<stdin>')
  return read
}

const namesOf = ({ names, besides = {} }: Limit): string =>
  [names, ...Object.entries(besides).map(([from, imported]) => `${imported} of ${from}`)].join(', ')

let failed = 0
for (const limit of LIMITS) {
  const { bytes, foreign } = await measure(limit)
  const ok = bytes <= limit.maxBytes && foreign.length === 0
  if (!ok) failed += 1
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${limit.from} ${namesOf(limit)}: ${bytes} of ${limit.maxBytes} bytes`)
  if (process.argv.includes('--parts')) for (const line of await partsOf(limit)) console.log(line)
  for (const path of foreign) console.log(`     outside ${SCOPE}: ${path}`)
}
for (const [entry, maxFiles] of Object.entries(MAX_FILES)) {
  const files = await filesOf(entry)
  const ok = files.size <= maxFiles
  if (!ok) failed += 1
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${entry} in Node: ${files.size} of ${maxFiles} files`)
}
console.log(`${LIMITS.length + Object.keys(MAX_FILES).length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
