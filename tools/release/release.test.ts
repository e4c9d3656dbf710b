/** What packing makes of manifests and pages, and what is refused to be published. */
import { describe, expect, test } from 'vitest'
import { growth, lineOf } from './installed.ts'
import { placeOf } from './place.ts'
import { isOnLoopback, publish, refusal } from './publish.ts'
import { stampManifest, stampPage } from './stamp.ts'

const place = { repository: 'https://git.example/owner/name' }

describe('the place', () => {
  test.each([
    ['https://git.example/owner/name'],
    ['git+https://git.example/owner/name.git'],
    ['https://git.example/owner/name/'],
    [{ type: 'git', url: 'git+https://git.example/owner/name.git' }],
  ])('is read from %j', (repository) => {
    expect(placeOf({ repository })).toEqual(place)
  })

  test('is none where none is named', () => {
    expect(placeOf({ homepage: 'https://h.example' })).toBeUndefined()
  })

  test.each([
    ['owner/name'],
    ['http://git.example/owner/name'],
    ['https://user@git.example/o/n'],
    ['https://git.example'],
  ])('is refused as %s', (repository) => {
    expect(() => placeOf({ repository })).toThrow('repository: expected https://HOST/OWNER/NAME')
  })

  test('may name homepage, bugs and author of its own', () => {
    const given = { homepage: 'https://h.example', bugs: { url: 'https://b.example' }, author: { name: 'A' } }
    expect(placeOf({ ...place, ...given })).toEqual({
      ...place,
      homepage: 'https://h.example',
      bugs: 'https://b.example',
      author: 'A',
    })
  })
})

describe('a manifest', () => {
  const manifest = {
    name: 'n',
    version: '1.0.0',
    description: 'd',
    scripts: { build: 'tsc' },
    devDependencies: { a: '1' },
  }

  test('names the package’s folder, and nothing that only the workspace uses', () => {
    expect(stampManifest({ ...manifest, type: 'module' }, 'packages/n', place)).toEqual({
      name: 'n',
      version: '1.0.0',
      description: 'd',
      type: 'module',
      repository: { type: 'git', url: 'git+https://git.example/owner/name.git', directory: 'packages/n' },
      homepage: 'https://git.example/owner/name/tree/HEAD/packages/n#readme',
      bugs: 'https://git.example/owner/name/issues',
    })
  })

  test('names nothing invented where no place is set', () => {
    const stamped = stampManifest(manifest, 'packages/n', undefined)
    expect(stamped).toEqual({ name: 'n', version: '1.0.0', description: 'd' })
  })
})

describe('a page', () => {
  const folders = (path: string): boolean => !path.includes('.')
  const stamped = (text: string, where: typeof place | undefined = place): string =>
    stampPage(text, 'packages/n/README.md', where, folders)

  test.each([
    ['[a](../../docs/x.md#part)', '[a](https://git.example/owner/name/blob/HEAD/docs/x.md#part)', 'a'],
    ['[`b`](./src/b.ts)', '[`b`](https://git.example/owner/name/blob/HEAD/packages/n/src/b.ts)', '`b`'],
    ['[c](../../examples/c/)', '[c](https://git.example/owner/name/tree/HEAD/examples/c)', 'c'],
    ['![d](d.png)', '![d](https://git.example/owner/name/raw/HEAD/packages/n/d.png)', 'd'],
  ])('%s leads to the repository, or is text', (text, link, plain) => {
    expect(stamped(`see ${text}.`)).toBe(`see ${link}.`)
    expect(stampPage(`see ${text}.`, 'packages/n/README.md', undefined, folders)).toBe(`see ${plain}.`)
  })

  test.each([
    ['[a](#part)'],
    ['[a](https://a.example/b)'],
    ['[a](mailto:a@example)'],
    ['```md\n[a](b.md)\n```'],
  ])('%j stays as it is', (text) => {
    expect(stamped(text)).toBe(text)
  })
})

describe('publishing', () => {
  test.each([
    ['http://127.0.0.1:4873/', true],
    ['http://localhost:4873', true],
    ['http://[::1]:4873', true],
    ['https://127.0.0.1.example', false],
    ['https://registry.example', false],
    ['', false],
  ])('a registry at %s: on loopback %s', (registry, expected) => {
    expect(isOnLoopback(registry)).toBe(expected)
    expect(refusal(place, registry)).toBeUndefined()
    expect(refusal(undefined, registry) === undefined).toBe(expected)
  })

  test('without a place nothing is asked of a registry elsewhere', async () => {
    // Neither the folder nor the address exists: who used one of them would say so.
    const { status, output } = await publish('/nowhere', {
      place: undefined,
      registry: 'https://registry.example/',
    })
    expect(status).toBe(1)
    expect(output).toContain('not published: no repository is set')
  })
})

test('what grew by more than a tenth is named, and what is new', () => {
  const noted = [lineOf('a', { packages: 10, files: 100, kB: 1000 })]
  expect(growth('a', { packages: 11, files: 110, kB: 1100 }, noted)).toEqual([])
  expect(growth('a', { packages: 12, files: 100, kB: 1101 }, noted)).toEqual([
    'a: 12 packages, more than a tenth over 10',
    'a: 1101 kB, more than a tenth over 1000',
  ])
  expect(growth('b', { packages: 1, files: 1, kB: 1 }, noted)).toEqual(['b: not noted down'])
  const bundled = [lineOf('a b', { packages: 1, files: 1, kB: 1, bundleBytes: 1000 })]
  expect(growth('a b', { packages: 1, files: 1, kB: 1, bundleBytes: 1100 }, bundled)).toEqual([])
  expect(growth('a b', { packages: 1, files: 1, kB: 1, bundleBytes: 1101 }, bundled)).toEqual([
    'a b: 1101 bundleBytes, more than a tenth over 1000',
  ])
})
