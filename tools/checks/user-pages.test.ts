/** The pages for users agree with the lists that they quote: error codes, codes of the service, checks, sizes and packages. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { publicPackages, ROOT } from '../ci/lib/workspace.ts'
import { BUDGETS } from './sizes/budgets.ts'

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found)
const ERRORS = new Set(matches(read('docs/reference/errors.md'), /^### (\w+)$/gm))

const PREFIXES = new Set([...ERRORS].map((code) => code.split('_')[0]))

test.each(['docs/troubleshooting.md', 'docs/production-checklist.md'])(
  '%s names codes of this toolkit that exist',
  (file) => {
    const names = matches(read(file), /`([A-Z]+(?:_[A-Z]+)+)`/g)
    const codes = names.filter((name) => PREFIXES.has(name.split('_')[0]))
    expect(codes.length).toBeGreaterThan(1)
    expect(codes.filter((code) => !ERRORS.has(code))).toEqual([])
  },
)

test('docs/troubleshooting.md has a row for each code of the service in the facts', () => {
  const [, facts = ''] = /^Known 401 codes: (.*)$/m.exec(read('docs/facts.md')) ?? []
  const codes = matches(facts, /`([A-Z_]+)`/g)
  const page = read('docs/troubleshooting.md')
  expect(codes.length).toBeGreaterThan(10)
  expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([])
})

test('docs/production-checklist.md has fifteen numbered boxes, and names checks that doctor has', () => {
  const page = read('docs/production-checklist.md')
  const numbers = matches(page, /^- ☐ \*\*(\d+)\. /gm)
  expect(numbers).toEqual(Array.from({ length: 15 }, (_, index) => `${index + 1}`))
  const sources = ['run/doctor.ts', 'doctor/production/program.ts'].map((file) =>
    read(`packages/cli/src/${file}`),
  )
  const checks = matches(page, /\b(?:checks?|note) `([a-zA-Z: ]+)`/g)
  expect(checks.length).toBeGreaterThan(3)
  expect(checks.filter((name) => !sources.join('\n').includes(`'${name}'`))).toEqual([])
})

test('docs/start/packages.md states the budgets of bundles', () => {
  const budgets = new Set(BUDGETS.map(([, bytes]) => (bytes / 1000).toFixed(1)))
  const sizes = matches(read('docs/start/packages.md'), /([\d.]+) kB/g)
  expect(sizes.length).toBeGreaterThan(5)
  expect(sizes.filter((size) => !budgets.has(size))).toEqual([])
})

test.each(['README.md', 'packages/README.md', 'docs/start/packages.md'])(
  '%s links to every package',
  (file) => {
    const page = read(file)
    const missing = publicPackages().filter(
      ({ directory }) => !page.includes(`${directory.replace('packages/', '')}/README.md)`),
    )
    expect(missing.map(({ directory }) => directory)).toEqual([])
  },
)

test('docs/concepts/glossary.md is in alphabetical order, with one sentence for each term', () => {
  const page = read('docs/concepts/glossary.md')
  const terms = matches(page, /^### (.+)$/gm)
  expect(terms.length).toBeGreaterThanOrEqual(35)
  expect(terms).toEqual([...terms].sort((a, b) => a.localeCompare(b, 'en')))
  const [, ...entries] = page.split(/^### .+\n\n/m)
  expect(entries.filter((entry) => entry.trim().split('\n').length > 1)).toEqual([])
})
