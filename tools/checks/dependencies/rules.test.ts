import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { allPackages, type WorkspacePackage } from '../../ci/lib/workspace.ts'
import { ARROWS } from './arrows.ts'
import { manifestProblems } from './manifests.ts'
import { edgeRules, findViolations, sourceRules } from './rules.ts'

const manifest = (dependencies: string[], devDependencies: string[] = []): WorkspacePackage['manifest'] => {
  const record = (names: string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, 'workspace:^']))
  return {
    name: '@brokerwire/http',
    version: '0.1.0',
    dependencies: record(dependencies),
    devDependencies: record(devDependencies),
  }
}

test('the table has a row for each package and no others, and its arrows make no circle', () => {
  expect(Object.keys(ARROWS).sort()).toEqual(allPackages().map(({ short }) => short))
  const reach = (short: string, seen: readonly string[]): void => {
    expect(seen).not.toContain(short)
    for (const used of ARROWS[short]?.uses ?? []) reach(used, [...seen, short])
  }
  for (const short of Object.keys(ARROWS)) reach(short, [])
})

test('installing edge brings six packages of ours and one from outside: no gRPC library reaches a Worker', () => {
  const manifests = new Map(allPackages().map(({ manifest: found }) => [found.name, found]))
  const installed = new Set<string>()
  const install = (name: string): void => {
    if (installed.has(name)) return
    installed.add(name)
    const { dependencies = {}, peerDependencies = {} } = manifests.get(name) ?? {}
    for (const next of Object.keys({ ...dependencies, ...peerDependencies })) install(next)
  }
  install('@brokerwire/edge')
  expect([...installed].sort()).toEqual([
    '@brokerwire/core',
    '@brokerwire/edge',
    '@brokerwire/http',
    '@brokerwire/signer',
    '@brokerwire/stores',
    '@brokerwire/tokens',
    '@noble/hashes',
  ])
})

describe('manifests', () => {
  test('arrows pass', () => {
    expect(
      manifestProblems('http', manifest(['@brokerwire/core', '@brokerwire/signer'], ['vitest'])),
    ).toEqual([])
  })

  test.each([
    [manifest(['@brokerwire/streams']), 'the dependency @brokerwire/streams'],
    [manifest(['left-pad']), 'the dependency left-pad'],
    [manifest([], ['@brokerwire/simulator']), 'the development dependency @brokerwire/simulator'],
    [{ ...manifest([]), peerDependencies: { zod: '4' } }, 'the dependency zod'],
    [{ ...manifest([]), optionalDependencies: { zod: '^4' } }, 'the dependency zod'],
  ])('anything else is named: %#', (given, what) => {
    expect(manifestProblems('http', given)).toEqual([
      `@brokerwire/http: package.json: no arrow allows ${what}`,
    ])
  })

  test('the simulator may be a development dependency where the table says so', () => {
    expect(manifestProblems('streams', manifest([], ['@brokerwire/simulator']))).toEqual([])
  })

  test('a dependency at run time that is pinned is named', () => {
    expect(
      manifestProblems('http', { ...manifest([]), dependencies: { '@brokerwire/core': '1.0.0' } }),
    ).toEqual([
      '@brokerwire/http: package.json: the dependency @brokerwire/core must be a range, as "catalog:published"',
    ])
  })

  test('a package without a row is named', () => {
    expect(manifestProblems('new', manifest([]))).toHaveLength(1)
  })
})

/** A small workspace: `http` may use `core` and `signer`, `streams` may start the simulator in tests. */
describe('imports', () => {
  let root: string

  const write = (files: Readonly<Record<string, string>>): void => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    }
  }
  const addPackage = (short: string, manifest: object, links: readonly string[]): void => {
    const name = `@brokerwire/${short}`
    const exports = { '.': { '@brokerwire/source': './src/index.ts' } }
    write({
      [`packages/${short}/package.json`]: JSON.stringify({ name, type: 'module', exports, ...manifest }),
      [`packages/${short}/src/index.ts`]: 'export const a = 1\n',
    })
    const modules = join(root, 'packages', short, 'node_modules')
    mkdirSync(join(modules, '@brokerwire'), { recursive: true })
    for (const link of links)
      symlinkSync(
        link.startsWith('@')
          ? join(root, 'packages', link.slice('@brokerwire/'.length))
          : join(root, 'node_modules/.store/node_modules', link),
        join(modules, link),
      )
  }
  const check = async (files: Readonly<Record<string, string>>): Promise<string[]> => {
    write(files)
    const options = { root, conditions: ['node', 'import', 'default'], types: true, installed: false }
    return (await findViolations(['packages'], sourceRules(ARROWS), options)).problems
  }

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'brokerwire-rules-')))
    const tool = (name: string): Record<string, string> => ({
      [`node_modules/.store/node_modules/${name}/package.json`]: JSON.stringify({
        name,
        exports: './index.js',
        type: 'module',
      }),
      [`node_modules/.store/node_modules/${name}/index.js`]: 'export {}\n',
    })
    write({ 'package.json': '{}', 'testdata/x.json': '{}', ...tool('runner'), ...tool('undeclared') })
    const dependencies = { '@brokerwire/core': '*', '@brokerwire/streams': '*' }
    const devDependencies = { runner: '*', '@brokerwire/simulator': '*' }
    for (const short of ['core', 'simulator']) addPackage(short, {}, [])
    addPackage('streams', { devDependencies }, ['@brokerwire/simulator'])
    addPackage('http', { dependencies, devDependencies }, [
      '@brokerwire/core',
      '@brokerwire/streams',
      '@brokerwire/simulator',
      'runner',
      'undeclared',
    ])
  })
  afterEach(() => rmSync(root, { recursive: true }))

  test('what the rule allows passes', async () => {
    const problems = await check({
      'packages/http/src/index.ts': "import './url.ts'\nimport '@brokerwire/core'\nimport 'node:fs'\n",
      'packages/http/src/url.ts': 'export type T = 1\n',
      'packages/http/src/test/server.ts': "import 'runner'\n",
      'packages/http/src/a.test.ts':
        "import 'runner'\nimport '../../../testdata/x.json'\nimport './test/server.ts'\nimport 'cloudflare:test'\n",
      'packages/streams/src/a.test.ts': "import '@brokerwire/simulator'\n",
    })
    expect(problems).toEqual([])
  })

  test.each([
    ['a test tool', 'index.ts', 'runner', 'is neither a dependency nor a peer'],
    ['what no manifest names', 'a.test.ts', 'undeclared', 'is not in the manifest'],
    ['a test', 'index.ts', './a.test.ts', 'published code imports a test'],
    ['a helper of tests', 'index.ts', './test/a.ts', 'published code imports a test'],
    ['test data', 'index.ts', '../../../testdata/x.json', 'a path that leaves the package'],
    ['a sibling by path', 'index.ts', '../../core/src/index.ts', 'a path that leaves the package'],
    ['a sibling by path in a test', 'a.test.ts', '../../core/src/index.ts', 'a path that leaves the package'],
    ['a package without an arrow', 'index.ts', '@brokerwire/streams', 'no arrow allows it'],
    ['the simulator in a test of this package', 'a.test.ts', '@brokerwire/simulator', 'no arrow allows it'],
    ['what is not there', 'index.ts', './gone.ts', 'cannot be resolved'],
  ])('%s is named', async (_, file, specifier, problem) => {
    const problems = await check({
      'packages/http/src/a.test.ts': 'export {}\n',
      'packages/http/src/test/a.ts': 'export {}\n',
      [`packages/http/src/${file}`]: `import '${specifier}'\n`,
    })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(new RegExp(`^${problem}: packages/http/src/${file} -> `))
  })

  test('a circle is named with its files, of types too', async () => {
    const problems = await check({
      'packages/http/src/b.ts': "import type { C } from './c.ts'\nexport type B = C\n",
      'packages/http/src/c.ts': "import type { B } from './b.ts'\nexport type C = B\n",
    })
    expect(problems).toEqual([
      'a circle: packages/http/src/b.ts -> packages/http/src/c.ts -> packages/http/src/b.ts',
    ])
  })

  test("a module of Node is found behind an entry point of the edge, by the host's conditions", async () => {
    write({
      'src/main.ts': "import type { T } from './types.ts'\nexport * from 'inner'\nexport const t: T = 1\n",
      'src/types.ts': "import 'node:net'\nexport type T = number\n",
      'node_modules/inner/package.json':
        '{ "name": "inner", "exports": { "workerd": "./edge.js", "default": "./node.js" } }',
      'node_modules/inner/edge.js': 'export {}\n',
      'node_modules/inner/node.js': "import './deep.js'\nexport {}\n",
      'node_modules/inner/deep.js': "import 'node:fs'\nexport {}\n",
    })
    const onHost = async (condition: string): Promise<string[]> => {
      const options = { root, conditions: [condition], types: false, installed: true }
      return (await findViolations(['src/main.ts'], edgeRules(['src/main.ts']), options)).problems
    }
    expect(await onHost('workerd')).toEqual([])
    expect(await onHost('default')).toEqual([
      'a module of Node on the edge: src/main.ts -> node_modules/inner/node.js -> node_modules/inner/deep.js -> fs',
    ])
  })
})
