import { expect, test } from 'vitest'
import { changeOf, survivorProblems } from './survivors.ts'

const SOURCE = 'const one = 1\nif (one < 2) {\n  run()\n}\n'

test.each([
  [SOURCE, { line: 2, column: 5 }, { line: 2, column: 12 }, 'one <= 2', 'if (one < 2) {', 'if (one <= 2) {'],
  [
    SOURCE,
    { line: 2, column: 14 },
    { line: 4, column: 2 },
    '{}',
    'if (one < 2) { run() }',
    'if (one < 2) {}',
  ],
])('describes a mutant by its whole lines: %#', (source, start, end, replacement, from, to) => {
  expect(changeOf('x.ts', source, { start, end }, replacement)).toEqual({ file: 'x.ts', from, to })
})

test.each([
  ['Survived', true, []],
  ['Survived', false, ['survives and is not listed']],
  ['NoCoverage', false, ['survives and is not listed']],
  ['Killed', true, ['is listed and does not survive']],
  ['Killed', false, []],
  ['Timeout', true, []],
  ['Timeout', false, []],
])('a mutant with status %s, listed: %s', (status, isListed, problems) => {
  const change = { file: 'x.ts', from: 'a < b', to: 'a <= b' }
  const found = survivorProblems([{ ...change, status }], isListed ? [change] : [])
  expect(found.map((problem) => problem.split(':')[0])).toEqual(problems)
})
