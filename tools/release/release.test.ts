/** Published manifests and pages, and the conditions for publishing. */
import { describe, expect, test } from 'vitest'
import { addressIn } from './project-address.ts'
import { publish, refusal } from './publish.ts'
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

describe('publishing', () => {
  test.each([
    ['http://127.0.0.1:4873/', true],
    ['http://localhost:4873', true],
    ['http://[::1]:4873', true],
    ['https://127.0.0.1.example', false],
    ['https://registry.example', false],
    ['', false],
  ])('without a repository, to %s: %s', (registry, isAllowed) => {
    expect(refusal(address, registry)).toBeUndefined()
    expect(refusal(undefined, registry) === undefined).toBe(isAllowed)
  })

  test('without a repository, sends nothing to a registry on another machine', async () => {
    // Neither the folder nor the address exists: an attempt to use one of them would give another error.
    const options = { address: undefined, registry: 'https://registry.example/' }
    const { status, output } = await publish('/nowhere', options)
    expect(status).toBe(1)
    expect(output).toContain('not published: no repository is set')
  })
})
