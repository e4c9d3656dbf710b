/** Which file each runtime's conditions pick, and what it reaches, from the bundler's own account. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

async function inputs(
  conditions: readonly string[],
  platform: 'neutral' | 'node' | 'browser',
  from = '',
): Promise<string[]> {
  const { metafile } = await build({
    stdin: { contents: `export * from '@brokerwire/signer${from}'`, resolveDir: join(root, 'tools') },
    absWorkingDir: root,
    bundle: true,
    write: false,
    format: 'esm',
    metafile: true,
    platform,
    conditions: ['@brokerwire/source', ...conditions],
    logLevel: 'silent',
  })
  const external = Object.values(metafile.inputs).flatMap((input) =>
    input.imports.filter((one) => one.external),
  )
  return [...Object.keys(metafile.inputs), ...external.map(({ path }) => path)]
}

const entriesOf = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => path.includes('/entries/')).map((path) => path.replace(/.*\//, ''))

describe('the entry of', () => {
  it.each<[runtime: string, conditions: string[], platform: 'neutral' | 'node' | 'browser', entry: string]>([
    [
      'Workers, as wrangler resolves with and without nodejs_compat',
      ['workerd', 'worker', 'browser'],
      'neutral',
      'workerd.ts',
    ],
    ['Workers that also claim node', ['workerd', 'node'], 'neutral', 'workerd.ts'],
    ['Vercel’s edge runtime', ['edge-light', 'worker', 'browser'], 'neutral', 'web.ts'],
    ['other workers', ['worker', 'browser'], 'neutral', 'web.ts'],
    ['browsers', [], 'browser', 'web.ts'],
    ['Deno', ['deno', 'node'], 'neutral', 'native.ts'],
    ['Bun', ['bun', 'node'], 'neutral', 'native.ts'],
    ['Node', [], 'node', 'native.ts'],
    ['anything else', [], 'neutral', 'web.ts'],
  ])('%s', async (_runtime, conditions, platform, entry) => {
    const paths = await inputs(conditions, platform)
    expect(entriesOf(paths)).toEqual([entry])
    expect(paths.filter((path) => path.startsWith('node:'))).toEqual([])
    const foreign = paths.filter((path) => !path.startsWith('packages/') && path !== '<stdin>')
    if (entry === 'workerd.ts') expect(foreign).toEqual([])
    else expect(foreign.every((path) => path.includes('@noble/hashes'))).toBe(true)
  })

  it('the synchronous signer is for Node, Deno and Bun alone', async () => {
    for (const condition of ['node', 'deno', 'bun']) {
      expect(entriesOf(await inputs([condition], 'neutral', '/sync'))).toEqual(['sync.ts'])
    }
  })
})
