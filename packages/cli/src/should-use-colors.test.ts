import { expect, test } from 'vitest'
import { shouldUseColors } from './should-use-colors.ts'

test.each([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [true, { TERM: 'dumb' }, false],
  // CI systems are not terminals.
  [false, { CI: 'true' }, false],
])('terminal %s with %j: %s', (isTerminal, env, expected) => {
  expect(shouldUseColors(isTerminal, env)).toBe(expected)
})
