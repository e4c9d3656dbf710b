import { describe, expect, test } from 'vitest'
import { hygieneProblems } from './rules.ts'

/** Written in pieces, so that this file itself passes. */
const path = (...names: string[]): string => ['', ...names].join('/')

describe('refused', () => {
  test.each([
    [path('work', 'main', 'file.ts'), "a path of one machine's work folder"],
    [`cwd: '${path('tmp', 'x')}'`, "a path of one machine's temporary folder"],
    [path('root', '.npmrc'), "a path of one machine's home"],
    [path('home', 'somebody', 'x'), "a path of one machine's home"],
    [['https:', '', 'npmjs', 'x.tgz'].join('/'), 'the address of a package registry'],
    [
      ['    resolution: {integrity: x, tar', 'ball: x}'].join(''),
      'a lockfile entry that names where it was downloaded',
    ],
    [['registry', 'npmjs', 'org'].join('.'), 'the address of a package registry'],
    [['-----BEGIN', 'PRIVATE', 'KEY-----'].join(' '), 'a private key'],
    [`ghp_${'a'.repeat(36)}`, 'a token of a hosting service'],
    [`AKIA${'A1'.repeat(8)}`, 'an access key of a cloud'],
  ])('%#: %s', (text, what) => {
    expect(hygieneProblems(`fine\n${text}\nfine`)).toEqual([`2: ${what}`])
  })
})

test.each([
  'packages/root/file.ts',
  'the root of the repository',
  'join(root, "work/x")',
  'https://example.com/work/home',
  'import x from "./tmp/x"',
  'npm install @brokerwire/core',
])('let through: %s', (text) => {
  expect(hygieneProblems(text)).toEqual([])
})
