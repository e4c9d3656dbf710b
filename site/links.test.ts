import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { deadLinks } from './links.ts'
import { linkOnSite, sourceOf } from './pages.ts'

test.each([
  ['packages/http/README.md', '../signer/README.md#install', '/packages/signer.md#install'],
  ['packages/http/README.md', '#options', '#options'],
  ['packages/http/README.md', 'https://example.com/a.md', 'https://example.com/a.md'],
  ['docs/guides/proxies.md', '../../packages/cli/COMMANDS.md', '/packages/cli/commands.md'],
  ['docs/guides/proxies.md', '../facts.md#hosts', '/facts.md#hosts'],
  ['README.md', 'docs/console.png', '/console.png'],
  ['docs/concepts/access-tokens.md', 'access-tokens.svg', '/concepts/access-tokens.svg'],
  ['packages/README.md', '../docs/README.md', '/'],
])('resolves a link of %s to %s', (source, href, expected) => {
  expect(linkOnSite(source, href)).toBe(expected)
})

test('has no target for a source file, because the repository has no address', () => {
  expect(linkOnSite('packages/http/README.md', 'src/index.ts')).toBeUndefined()
})

test('finds the document of a copied page', () => {
  expect(sourceOf('packages/cli/commands.md')).toBe('packages/cli/COMMANDS.md')
  expect(sourceOf('facts.md')).toBe('docs/facts.md')
})

test('finds links to missing pages and missing headings in the built site', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-links-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'packages'))
  const link = (href: string): string => `<a class="x" href="${href}">x</a>`
  writeFileSync(
    join(folder, 'index.html'),
    ['/packages/', '/packages/http#options', '#none'].map(link).join(''),
  )
  writeFileSync(
    join(folder, 'packages/index.html'),
    ['./http', '../', './missing', 'https://example.com/'].map(link).join(''),
  )
  writeFileSync(join(folder, 'packages/http.html'), `<h2 id="options">Options</h2>${link('./http#none')}`)
  expect(deadLinks(folder)).toEqual([
    '/index.html: #none: no such heading',
    '/packages/http.html: ./http#none: no such heading',
    '/packages/index.html: ./missing: no such page',
  ])
})
