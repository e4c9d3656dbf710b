import { expect, inject, test } from 'vitest'
import { IS_FULL_RUN, leftOut } from './full-run.ts'

test('the environment and inject() name the same set', () => {
  expect(inject('isFullRun')).toBe(IS_FULL_RUN)
})

test('the short set ends with the number of files that it leaves out, and the command for everything', () => {
  const line = /^Short set: [1-9]\d* files, .* "pnpm test:all" runs everything\.$/
  expect(leftOut(false).at(-1)).toMatch(line)
  expect(leftOut(true).join()).not.toContain('Short set')
})
