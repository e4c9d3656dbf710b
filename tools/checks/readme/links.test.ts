import { expect, test } from 'vitest'
import { linkProblems } from './links.ts'

const check = (text: string): string[] => linkProblems([{ file: 'packages/core/EXAMPLE.md', text }])

test.each([
  '[file](README.md)',
  '[up](../../LICENSE)',
  '[heading](README.md#where-it-runs)',
  '[web](https://example.com/nothing)',
  '# The `Store` port: a title\n\n[own](#the-store-port-a-title)',
  `${'`'.repeat(3)}md\n[shown](nothing.md)\n${'`'.repeat(3)}\n`,
])('leads somewhere: %j', (text) => {
  expect(check(text)).toEqual([])
})

test.each([
  ['[file](nothing.md)', 'packages/core/EXAMPLE.md: nothing.md: no such file'],
  ['[heading](README.md#nothing)', 'packages/core/EXAMPLE.md: README.md#nothing: no such heading'],
  ['[own](#nothing)', 'packages/core/EXAMPLE.md: #nothing: no such heading'],
])('leads nowhere: %s', (text, problem) => {
  expect(check(text)).toEqual([problem])
})
