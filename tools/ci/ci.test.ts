import { describe, expect, test } from 'vitest'
import { readManifest } from '../lib/workspace.ts'
import { GATES, type Gate } from './gates.ts'
import { type GateResult, runGates } from './schedule.ts'
import { countTests } from './test-report.ts'

const gate = (script: string, ...after: string[]): Gate => ({ name: script, script, after })

test('each gate is a script of the root, and stands behind those that it needs', () => {
  const scripts = Object.keys(readManifest('.').scripts ?? {})
  for (const [index, { script, after = [] }] of GATES.entries()) {
    expect(scripts).toContain(script)
    const before = GATES.slice(0, index).map((earlier) => earlier.script)
    for (const need of after) expect(before).toContain(need)
  }
})

describe('runGates', () => {
  test('runs no more than its width at a time, and each after those that it needs', async () => {
    const ended: string[] = []
    let running = 0
    let most = 0
    const gates = [gate('a'), gate('b', 'a'), gate('c', 'b'), gate('d'), gate('e'), gate('f')]
    const results = await runGates(
      gates,
      2,
      async ({ script }) => {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
        ended.push(script)
        return { passed: true, output: script }
      },
      () => {},
    )
    expect(most).toBe(2)
    expect(ended.indexOf('a')).toBeLessThan(ended.indexOf('b'))
    expect(ended.indexOf('b')).toBeLessThan(ended.indexOf('c'))
    expect(results.map(({ gate: { script } }) => script)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
    expect(results.every(({ passed }) => passed)).toBe(true)
  })

  test('a gate whose need failed is not run, and fails, and so does what needs it', async () => {
    const started: string[] = []
    const shown: GateResult[] = []
    const results = await runGates(
      [gate('a'), gate('b', 'a'), gate('c', 'b'), gate('d')],
      2,
      async ({ script }) => {
        started.push(script)
        return { passed: script !== 'a', output: '' }
      },
      (result) => shown.push(result),
    )
    expect(started).toEqual(['a', 'd'])
    expect(results.map(({ passed }) => passed)).toEqual([false, false, false, true])
    expect(results[1]?.output).toBe('not run: needs a')
    expect(shown).toHaveLength(4)
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
