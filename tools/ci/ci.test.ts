import { describe, expect, test } from 'vitest'
import { chosenRows, GATES } from './gates.ts'
import { readManifest } from './lib/workspace.ts'
import { countTests } from './test-report.ts'

describe('the gates', () => {
  const rowOf = (script: string): number => GATES.findIndex((row) => row.includes(script))

  test('each is a script of the root, and stands there once', () => {
    const scripts = Object.keys(readManifest('.').scripts ?? {})
    const gates = GATES.flat()
    expect(gates.filter((script) => !scripts.includes(script))).toEqual([])
    expect(new Set(gates).size).toBe(gates.length)
  })

  test('every check of the root is one', () => {
    const checks = Object.keys(readManifest('.').scripts ?? {}).filter((script) =>
      script.startsWith('check:'),
    )
    expect(checks.filter((script) => rowOf(script) === -1)).toEqual([])
  })

  test.each([
    ['check:sizes', 'build'],
    ['api:report', 'build'],
    ['pack:all', 'build'],
    ['test:runtimes', 'pack:all'],
    ['check:consumer-types', 'pack:all'],
    ['check:attw', 'pack:all'],
    ['check:publint', 'pack:all'],
    ['check:packed', 'pack:all'],
  ])('%s stands below %s', (script, need) => {
    expect(rowOf(script)).toBeGreaterThan(rowOf(need))
    expect(rowOf(need)).toBeGreaterThanOrEqual(0)
  })
})

describe('chosen scripts', () => {
  test('run one after the other', () => {
    expect(chosenRows(['b', 'a'], { a: '1', b: '2' })).toEqual([['b'], ['a']])
  })

  test('that do not exist are named, also by a name that every object has', () => {
    expect(() => chosenRows(['a', 'toString', 'c'], { a: '1' })).toThrow('package.json: toString, c')
  })
})

describe('countTests', () => {
  const report = (numPassedTests: number, numFailedTests: number): string =>
    JSON.stringify({ numPassedTests, numFailedTests })

  test.each([
    ['all passed', report(10, 0), 0, { passed: 10, failed: 0 }],
    ['some failed', report(8, 2), 1, { passed: 8, failed: 2 }],
    ['a file that cannot be loaded', report(10, 0), 1, { passed: 10, failed: 1 }],
    ['no report', undefined, 1, { passed: 0, failed: 1 }],
    ['nothing ran at all', report(0, 0), 0, { passed: 0, failed: 1 }],
  ])('%s', (_, text, status, counts) => {
    expect(countTests(text, status)).toEqual(counts)
  })
})
