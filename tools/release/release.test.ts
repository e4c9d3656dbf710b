/** Published manifests and pages, and the conditions for publishing. */
import { describe, expect, test } from 'vitest'
import { placeOf } from './place.ts'
import { publish, refusal } from './publish.ts'
import { stampManifest, stampPage } from './stamp.ts'

const place = { repository: 'https://git.example/owner/name' }

describe('the address', () => {
  test.each([
    ['https://git.example/owner/name'],
    ['git+https://git.example/owner/name.git'],
    ['https://git.example/owner/name/'],
    [{ type: 'git', url: 'git+https://git.example/owner/name.git' }],
  ])('is read from %j', (repository) => {
    expect(placeOf({ repository })).toEqual(place)
  })

  test('is undefined without a repository', () => {
    expect(placeOf({ homepage: 'https://h.example' })).toBeUndefined()
  })

  test.each([
    ['owner/name'],
    ['http://git.example/owner/name'],
    ['https://user@git.example/o/n'],
    ['https://git.example'],
  ])('is refused as %s', (repository) => {
    expect(() => placeOf({ repository })).toThrow('repository must be https://HOST/OWNER/NAME')
  })
})

describe('a manifest', () => {
  const manifest = { name: 'n', version: '1.0.0', description: 'd' }
  const whole = { ...manifest, scripts: { build: 'tsc' }, devDependencies: { a: '1' }, type: 'module' }

  test('has the address, and nothing that only the workspace uses', () => {
    expect(stampManifest(whole, 'packages/n', place)).toEqual({
      ...manifest,
      type: 'module',
      repository: { type: 'git', url: 'git+https://git.example/owner/name.git', directory: 'packages/n' },
      homepage: 'https://git.example/owner/name/tree/HEAD/packages/n#readme',
      bugs: 'https://git.example/owner/name/issues',
    })
  })

  test('has the homepage, the page for bugs and the author of the root', () => {
    const given = { homepage: 'https://h.example', bugs: { url: 'https://b.example' }, author: { name: 'A' } }
    expect(stampManifest(whole, 'packages/n', placeOf({ ...place, ...given }))).toMatchObject(given)
  })

  test('has no address without a repository', () => {
    expect(stampManifest(whole, 'packages/n', undefined)).toEqual({ ...manifest, type: 'module' })
  })
})

describe('a page', () => {
  const stamped = (text: string, where?: typeof place): string =>
    stampPage(text, 'packages/n/README.md', where, (path) => !path.includes('.'))

  test.each([
    ['[a](../../docs/x.md#part)', '[a](https://git.example/owner/name/blob/HEAD/docs/x.md#part)', 'a'],
    ['[`b`](./src/b.ts)', '[`b`](https://git.example/owner/name/blob/HEAD/packages/n/src/b.ts)', '`b`'],
    ['[c](../../examples/c/)', '[c](https://git.example/owner/name/tree/HEAD/examples/c)', 'c'],
    ['![d](d.png)', '![d](https://git.example/owner/name/raw/HEAD/packages/n/d.png)', 'd'],
  ])('%s becomes absolute, or plain text', (text, link, plain) => {
    expect(stamped(`see ${text}.`, place)).toBe(`see ${link}.`)
    expect(stamped(`see ${text}.`)).toBe(`see ${plain}.`)
  })

  test.each([
    ['[a](#part)'],
    ['[a](https://a.example/b)'],
    ['[a](mailto:a@example)'],
    ['```md\n[a](b.md)\n```'],
  ])('%j does not change', (text) => {
    expect(stamped(text, place)).toBe(text)
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
    expect(refusal(place, registry)).toBeUndefined()
    expect(refusal(undefined, registry) === undefined).toBe(isAllowed)
  })

  test('without a repository, sends nothing to a registry elsewhere', async () => {
    // Neither the folder nor the address exists: using one of them would be another error.
    const options = { place: undefined, registry: 'https://registry.example/' }
    const { status, output } = await publish('/nowhere', options)
    expect(status).toBe(1)
    expect(output).toContain('not published: no repository is set')
  })
})
