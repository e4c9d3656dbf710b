/** The file that the import conditions of each runtime select for `#crypto`, and the modules of its bundle. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ROOT } from '@brokerwire/testing/root'
import { build } from 'esbuild'
import { afterEach, describe, expect, it, vi } from 'vitest'

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))

async function bundle(conditions: readonly string[], platform: 'neutral' | 'node' | 'browser', from = '') {
  return await build({
    stdin: { contents: `export * from '@brokerwire/signer${from}'`, resolveDir: PACKAGE },
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    format: 'esm',
    metafile: true,
    platform,
    conditions: ['@brokerwire/source', ...conditions],
    logLevel: 'silent',
  })
}

async function inputs(...given: Parameters<typeof bundle>): Promise<string[]> {
  const { metafile } = await bundle(...given)
  const external = Object.values(metafile.inputs).flatMap((input) =>
    input.imports.filter((one) => one.external),
  )
  return [...Object.keys(metafile.inputs), ...external.map(({ path }) => path)]
}

/** The file of `#crypto` in a bundle. A native one also contains `web-runtime.ts`. */
function cryptoOf(paths: readonly string[]): string | undefined {
  const found = paths.filter((path) => path.endsWith('-runtime.ts')).map((path) => path.replace(/.*\//, ''))
  return found.find((name) => name !== 'web-runtime.ts') ?? found[0]
}

describe('the import condition', () => {
  it.each<[runtime: string, conditions: string[], platform: 'neutral' | 'node' | 'browser', file: string]>([
    [
      'Workers, as wrangler resolves with and without nodejs_compat',
      ['workerd', 'worker', 'browser'],
      'neutral',
      'workerd-runtime.ts',
    ],
    ['Workers that also claim node', ['workerd', 'node'], 'neutral', 'workerd-runtime.ts'],
    ['Vercel’s edge runtime', ['edge-light', 'worker', 'browser'], 'neutral', 'web-runtime.ts'],
    ['other workers', ['worker', 'browser'], 'neutral', 'web-runtime.ts'],
    ['browsers', [], 'browser', 'web-runtime.ts'],
    ['Deno', ['deno', 'node'], 'neutral', 'native-runtime.ts'],
    ['Bun', ['bun', 'node'], 'neutral', 'native-runtime.ts'],
    ['Node', [], 'node', 'native-runtime.ts'],
    ['anything else', [], 'neutral', 'web-runtime.ts'],
  ])('selects the file of %s', async (_runtime, conditions, platform, file) => {
    const paths = await inputs(conditions, platform)
    expect(cryptoOf(paths)).toBe(file)
    expect(paths.filter((path) => path.startsWith('node:'))).toEqual([])
    const foreign = paths.filter((path) => !path.startsWith('packages/') && path !== '<stdin>')
    if (file === 'workerd-runtime.ts') expect(foreign).toEqual([])
    else expect(foreign.every((path) => path.includes('@noble/hashes'))).toBe(true)
  })

  it('allows the synchronous signer in Node, Deno and Bun', async () => {
    for (const condition of ['node', 'deno', 'bun']) {
      expect(cryptoOf(await inputs([condition], 'neutral', '/sync'))).toBe('native-runtime.ts')
    }
  })
})

describe('the bundle for browsers', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  it('needs WebCrypto, unless the caller passes hash functions', async () => {
    const { outputFiles } = await bundle([], 'browser')
    const folder = mkdtempSync(join(PACKAGE, 'node_modules/.conditions-'))
    try {
      const file = join(folder, 'signer.mjs')
      writeFileSync(file, outputFiles[0]?.text ?? '')
      const { createSigner, createVerifier, explain } = await import(pathToFileURL(file).href)
      const options = { appKey: 'k', appSecret: 's' }
      vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
      const missing = expect.objectContaining({ code: 'SIGNER_CRYPTO_UNAVAILABLE' })
      expect(() => createSigner(options)).toThrow(missing)
      expect(() => createVerifier({ secretFor: () => 's' })).toThrow(missing)
      const own = { digest: () => 'd', hmac: () => () => 'a signature' }
      const { headers } = await createSigner({ ...options, crypto: own }).sign({ host: 'h', path: '/' })
      expect(headers['x-signature']).toBe('a signature')
      const verifier = createVerifier({ secretFor: () => 's', crypto: own })
      headers['x-signature'] = 'another'
      const result = await verifier.verify({ host: 'h', target: '/', headers })
      expect(result.rule).toBe('signature')
      await expect(explain({ host: 'h', path: '/', headers })).rejects.toThrow(missing)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
