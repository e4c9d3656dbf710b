/** Violates each rule once. The fixture has the layout of this repository. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { allPackages, type Manifest } from '../../ci/lib/workspace.ts'
import { ARROWS } from './arrows.ts'
import { edgeProblems, manifestProblems, sourceProblems } from './check.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'brokerwire-dependencies-')))
afterAll(() => rmSync(root, { recursive: true }))
const write = (file: string, content: string | object): void => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), typeof content === 'string' ? content : JSON.stringify(content))
}
const MODULES = 'packages/http/node_modules/@brokerwire'
mkdirSync(join(root, MODULES), { recursive: true })
for (const short of ['core', 'simulator', 'streams', 'testing']) {
  const name = `@brokerwire/${short}`
  write(`packages/${short}/package.json`, { name, exports: './src/index.ts', type: 'module' })
  write(`packages/${short}/src/index.ts`, 'export {}\n')
  symlinkSync(join(root, 'packages', short), join(root, MODULES, short))
}
for (const name of ['runner', 'undeclared']) {
  write(`node_modules/${name}/package.json`, { name, exports: './index.js', type: 'module' })
  write(`node_modules/${name}/index.js`, 'export {}\n')
}
const dependencies = { '@brokerwire/core': '*', '@brokerwire/streams': '*' }
const devDependencies = { runner: '*', '@brokerwire/simulator': '*', '@brokerwire/testing': '*' }
write('packages/http/package.json', { name: '@brokerwire/http', dependencies, devDependencies })
write('testdata/x.json', {})
write('package.json', {})

test('imports', async () => {
  const rows = [
    ['good.ts', '@brokerwire/core', ''],
    ['good-host.ts', 'node:fs', ''],
    ['good.test.ts', '@brokerwire/simulator', ''],
    ['good-tool.test.ts', 'runner', ''],
    ['good-data.test.ts', '../../../testdata/x.json', ''],
    ['good-host.test.ts', 'cloudflare:test', ''],
    ['test/good.ts', '@brokerwire/testing', ''],
    ['../test/good.test.ts', '@brokerwire/testing', ''],
    ['tool.ts', 'runner', 'neither a dependency nor a peer'],
    ['undeclared.test.ts', 'undeclared', 'not in package.json'],
    ['imports-test.ts', './good.test.ts', 'published code imports a test'],
    ['imports-helper.ts', './test/good.ts', 'published code imports a test'],
    ['data.ts', '../../../testdata/x.json', 'path outside of the package'],
    ['sibling.ts', '../../core/src/index.ts', 'path outside of the package'],
    ['sibling.test.ts', '../../core/src/index.ts', 'path outside of the package'],
    ['unlisted.ts', '@brokerwire/streams', 'not listed in arrows.ts'],
    ['unlisted.test.ts', '@brokerwire/streams', 'not listed in arrows.ts'],
    ['gone.ts', './no-such-file.ts', 'unresolved import'],
    ['circle.ts', './round.ts', 'circular import'],
    ['round.ts', './circle.ts', ''],
    ['testing.ts', '@brokerwire/testing', 'not listed in arrows.ts'],
    ['testing.ts', '@brokerwire/testing', 'published code imports a test'],
  ] as const
  for (const [file, specifier] of rows)
    write(`packages/http/src/${file}`, `import type {} from '${specifier}'\n`)
  const { problems } = await sourceProblems(root, ['packages'])
  const found = problems.map((problem) => problem.replace(/ -> .*/, ''))
  const planted = rows.filter(([, , name]) => name !== '')
  expect(found.sort()).toEqual(planted.map(([file, , name]) => `${name}: packages/http/src/${file}`).sort())
})

test('rejects an import of a higher layer of the same package, even of a type', async () => {
  const source = 'packages/streams/src'
  write(`${source}/items/lower.ts`, "import type {} from '../delivery/higher.ts'\nexport {}\n")
  write(`${source}/delivery/higher.ts`, 'export {}\n')
  write(`${source}/delivery/good.ts`, "import type {} from './higher.ts'\nexport {}\n")
  write(`${source}/delivery/top.ts`, "import type {} from '../unlisted.ts'\nexport {}\n")
  write(`${source}/unlisted.ts`, "import type {} from './delivery/higher.ts'\nexport {}\n")
  write(`${source}/items/lower.test.ts`, "import type {} from '../delivery/higher.ts'\nexport {}\n")
  const { problems } = await sourceProblems(root, [source])
  expect(problems.sort()).toEqual([
    `import of a higher layer, see layers.ts: ${source}/delivery/top.ts -> ${source}/unlisted.ts`,
    `import of a higher layer, see layers.ts: ${source}/items/lower.ts -> ${source}/delivery/higher.ts`,
  ])
})

test('finds a module of Node that an edge entry reaches under the conditions of the host', async () => {
  write('src/main.ts', "import type {} from './types.ts'\nexport * from 'inner'\n")
  write('src/types.ts', "import 'node:net'\nexport {}\n")
  const inner = { name: 'inner', exports: { workerd: './edge.js', default: './node.js' } }
  write('node_modules/inner/package.json', inner)
  write('node_modules/inner/edge.js', 'export {}\n')
  write('node_modules/inner/node.js', "import 'node:fs'\nexport {}\n")
  expect(await edgeProblems(root, ['src/main.ts'])).toEqual([])
  expect(await edgeProblems(root, ['src/main.ts'], ['node'])).toEqual([
    'module of Node on the edge: src/main.ts -> node_modules/inner/node.js -> fs',
  ])
})

const MANIFEST: Manifest = { name: '@brokerwire/http', version: '0.1.0' }

test.each<readonly [problem: string, manifest: Partial<Manifest>]>([
  [
    'dependency @brokerwire/streams is not listed',
    { dependencies: { '@brokerwire/streams': 'workspace:*' } },
  ],
  ['dependency zod is not listed', { peerDependencies: { zod: '4' } }],
  ['dependency zod is not listed', { optionalDependencies: { zod: '^4' } }],
  [
    'dependency @brokerwire/core must be "workspace:*"',
    { dependencies: { '@brokerwire/core': 'workspace:^' } },
  ],
  [
    'development dependency @brokerwire/cli is not',
    { devDependencies: { '@brokerwire/cli': 'workspace:*' } },
  ],
])('manifest: %s', (problem, manifest) => {
  const problems = manifestProblems('http', { ...MANIFEST, ...manifest })
  expect(problems).toEqual([expect.stringContaining(problem)])
})

test('rejects a pinned dependency on a package of others', () => {
  const pinned: Manifest = {
    ...MANIFEST,
    name: '@brokerwire/signer',
    dependencies: { '@noble/hashes': '2.0.0' },
  }
  expect(manifestProblems('signer', pinned)).toEqual([expect.stringContaining('@noble/hashes must be')])
})

test('the table of dependencies has a row for each package, and no cycle', () => {
  expect(manifestProblems('new', MANIFEST)).toHaveLength(1)
  expect(Object.keys(ARROWS).sort()).toEqual(allPackages().map(({ short }) => short))
  const reach = (short: string, seen: readonly string[]): void => {
    expect(seen).not.toContain(short)
    for (const used of ARROWS[short]?.uses ?? []) reach(used, [...seen, short])
  }
  for (const short of Object.keys(ARROWS)) reach(short, [])
})

test('edge installs no gRPC library', () => {
  const manifests = new Map(allPackages().map(({ manifest }) => [manifest.name, manifest]))
  const found = new Set<string>(['@brokerwire/edge'])
  for (const name of found) {
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifests.get(name) ?? {}
    // Package managers do not install optional peers.
    const peers = Object.keys(peerDependencies).filter(
      (peer) => peerDependenciesMeta[peer]?.optional !== true,
    )
    for (const next of [...Object.keys(dependencies), ...peers]) found.add(next)
  }
  const ours = ['core', 'edge', 'http', 'signer', 'stores', 'tokens'].map((short) => `@brokerwire/${short}`)
  expect([...found].sort()).toEqual([...ours, '@noble/hashes'])
})
