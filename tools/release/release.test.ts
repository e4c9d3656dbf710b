/** Published manifests and pages, and the conditions for publishing. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../ci/lib/workspace.ts'
import { addressIn, reportingAddressIn } from './project-address.ts'
import { packRelease, refusal } from './release.ts'
import { stampManifest, stampPage } from './stamp.ts'

const address = { repository: 'https://git.example/owner/name' }

describe('the address', () => {
  test.each([
    ['https://git.example/owner/name'],
    ['git+https://git.example/owner/name.git'],
    ['https://git.example/owner/name/'],
    [{ type: 'git', url: 'git+https://git.example/owner/name.git' }],
  ])('is read from %j', (repository) => {
    expect(addressIn({ repository })).toEqual(address)
  })

  test('is undefined without a repository', () => {
    expect(addressIn({ homepage: 'https://h.example' })).toBeUndefined()
  })

  test.each([
    ['owner/name'],
    ['http://git.example/owner/name'],
    ['https://user@git.example/o/n'],
    ['https://git.example'],
  ])('is refused as %s', (repository) => {
    expect(() => addressIn({ repository })).toThrow('repository must be https://HOST/OWNER/NAME')
  })
})

describe('a manifest', () => {
  const manifest = { name: 'n', version: '1.0.0', description: 'd' }
  const whole = { ...manifest, scripts: { build: 'tsc' }, devDependencies: { a: '1' }, type: 'module' }

  test('has the address, and nothing that only the workspace uses', () => {
    expect(stampManifest(whole, 'packages/n', address)).toEqual({
      ...manifest,
      type: 'module',
      repository: { type: 'git', url: 'git+https://git.example/owner/name.git', directory: 'packages/n' },
      homepage: 'https://git.example/owner/name/tree/HEAD/packages/n#readme',
      bugs: 'https://git.example/owner/name/issues',
    })
  })

  test('has the homepage, the page for bugs and the author of the root', () => {
    const given = { homepage: 'https://h.example', bugs: { url: 'https://b.example' }, author: { name: 'A' } }
    expect(stampManifest(whole, 'packages/n', addressIn({ ...address, ...given }))).toMatchObject(given)
  })

  test('has no address without a repository', () => {
    expect(stampManifest(whole, 'packages/n', undefined)).toEqual({ ...manifest, type: 'module' })
  })
})

describe('a page', () => {
  const stamped = (text: string, where?: typeof address): string =>
    stampPage(text, 'packages/n/README.md', where, (path) => !path.includes('.'))

  test.each([
    ['[a](../../docs/x.md#part)', '[a](https://git.example/owner/name/blob/HEAD/docs/x.md#part)', 'a'],
    ['[`b`](./src/b.ts)', '[`b`](https://git.example/owner/name/blob/HEAD/packages/n/src/b.ts)', '`b`'],
    ['[c](../../examples/c/)', '[c](https://git.example/owner/name/tree/HEAD/examples/c)', 'c'],
    ['![d](d.png)', '![d](https://git.example/owner/name/raw/HEAD/packages/n/d.png)', 'd'],
  ])('%s becomes absolute, or plain text', (text, link, plain) => {
    expect(stamped(`see ${text}.`, address)).toBe(`see ${link}.`)
    expect(stamped(`see ${text}.`)).toBe(`see ${plain}.`)
  })

  test.each([
    ['[a](#part)'],
    ['[a](https://a.example/b)'],
    ['[a](mailto:a@example)'],
    ['```md\n[a](b.md)\n```'],
  ])('%j does not change', (text) => {
    expect(stamped(text, address)).toBe(text)
  })
})

describe('the address for private reports', () => {
  test('is read from SECURITY.md', () => {
    expect(reportingAddressIn('# Security\n\nPrivate reports: <security@host.example>\n')).toBe(
      'security@host.example',
    )
    expect(reportingAddressIn('Private reports: <https://host.example/report>')).toBe(
      'https://host.example/report',
    )
  })

  test('is undefined while the page has the placeholder, or no address', () => {
    expect(reportingAddressIn('Private reports: <security@brokerwire.invalid>')).toBeUndefined()
    expect(reportingAddressIn('# Security\n')).toBeUndefined()
  })

  test('has its line in SECURITY.md', () => {
    expect(readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')).toMatch(/^Private reports: <\S+>$/m)
  })
})

describe('a release', () => {
  const addresses = { address, reportingAddress: 'security@host.example' }

  test.each([
    ['http://127.0.0.1:4873/', true],
    ['http://localhost:4873', true],
    ['http://[::1]:4873', true],
    ['https://127.0.0.1.example', false],
    ['https://registry.example', false],
    ['', false],
  ])('without one of the addresses, to %s: %s', (registry, isAllowed) => {
    expect(refusal(addresses, registry)).toBeUndefined()
    for (const missing of ['address', 'reportingAddress'])
      expect(refusal({ ...addresses, [missing]: undefined }, registry) === undefined).toBe(isAllowed)
  })

  test.each([
    ['address', 'no repository is set'],
    ['reportingAddress', 'no address for private reports is set'],
  ])('without %s, packs nothing for a registry on another machine', async (missing, problem) => {
    // The folders do not exist: an attempt to use one of them would give another error.
    const options = { ...addresses, [missing]: undefined, registry: 'https://registry.example/' }
    await expect(packRelease('/nowhere', '/nowhere', options)).rejects.toThrow(`not released: ${problem}`)
  })
})
