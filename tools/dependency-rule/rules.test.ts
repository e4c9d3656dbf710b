import { describe, expect, test } from 'vitest'
import { publicPackages, type WorkspacePackage } from '../lib/workspace.ts'
import { ARROWS } from './arrows.ts'
import type { Edge, Graph } from './graph.ts'
import { importProblems, packageOf } from './imports.ts'
import { manifestProblems } from './manifests.ts'

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
  expect(Object.keys(ARROWS).sort()).toEqual(publicPackages().map(({ short }) => short))
  const reach = (short: string, seen: readonly string[]): void => {
    expect(seen).not.toContain(short)
    for (const used of ARROWS[short]?.uses ?? []) reach(used, [...seen, short])
  }
  for (const short of Object.keys(ARROWS)) reach(short, [])
})

test('installing edge brings six packages of ours and one from outside: no gRPC library reaches a Worker', () => {
  const manifests = new Map(publicPackages().map(({ manifest: found }) => [found.name, found]))
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

describe('imports', () => {
  const pkg: WorkspacePackage = {
    short: 'http',
    directory: 'packages/http',
    manifest: manifest(['@brokerwire/core', '@brokerwire/streams'], ['vitest', '@brokerwire/simulator']),
  }
  const check = (file: string, specifier: string, to: string, kind: Edge['kind'] = 'file'): string[] => {
    const graph: Graph = new Map([[file, [{ specifier, to, kind }]]])
    return importProblems(pkg, graph).map((problem) => problem.replace(/^.*': /, ''))
  }
  const SOURCE = 'packages/http/src/client.ts'
  const TEST = 'packages/http/src/client.test.ts'

  test.each([
    ['a sibling file', SOURCE, './url.ts', 'packages/http/src/url.ts', 'file'],
    ['an arrow', SOURCE, '@brokerwire/core/endpoints', 'packages/core/src/endpoints/index.ts', 'file'],
    ['a module of Node', SOURCE, 'node:fs', 'fs', 'node'],
    ['a test tool in a test', TEST, 'vitest', 'node_modules/vitest/index.js', 'file'],
    ['test data in a test', TEST, '../../../testdata/x.json', 'testdata/x.json', 'file'],
    ['a test helper in a test', TEST, './test/server.ts', 'packages/http/src/test/server.ts', 'file'],
    ['a module of workerd', TEST, 'cloudflare:test', 'cloudflare:test', 'unresolved'],
    ['a file of another package: not asked here', 'packages/core/src/a.ts', 'x', 'x', 'unresolved'],
  ] as const)('%s passes', (_, file, specifier, to, kind) => {
    expect(check(file, specifier, to, kind)).toEqual([])
  })

  test.each([
    ['a test tool', SOURCE, 'vitest', 'node_modules/vitest/index.js', 'is neither a dependency nor a peer'],
    ['what nobody declared', TEST, 'zod', 'node_modules/zod/index.js', 'is not in the manifest'],
    ['a test helper', SOURCE, './test/a.ts', 'packages/http/src/test/a.ts', 'published code imports a test'],
    ['a test', SOURCE, './a.test.ts', 'packages/http/src/a.test.ts', 'published code imports a test'],
    ['test data', SOURCE, '../../../testdata/x.json', 'testdata/x.json', 'a path that leaves the package'],
    [
      'a sibling by path',
      TEST,
      '../../core/src/a.ts',
      'packages/core/src/a.ts',
      'a path that leaves the package',
    ],
    ['a declared package without an arrow', SOURCE, '@brokerwire/streams', 'x', 'no arrow allows it'],
    ['the simulator in a test of this package', TEST, '@brokerwire/simulator', 'x', 'no arrow allows it'],
  ] as const)('%s is named', (_, file, specifier, to, problem) => {
    expect(check(file, specifier, to)).toEqual([problem])
  })

  test('what cannot be resolved is named', () => {
    expect(check(SOURCE, './gone.ts', './gone.ts', 'unresolved')).toEqual(['cannot be resolved'])
  })

  test.each([
    ['@brokerwire/core/endpoints', '@brokerwire/core'],
    ['hono/client', 'hono'],
    ['node:fs', undefined],
    ['./a.ts', undefined],
    ['#crypto', undefined],
  ])('%s belongs to %s', (specifier, name) => {
    expect(packageOf(specifier)).toBe(name)
  })
})
