import { describe, expect, test } from 'vitest'
import { GATES, namedSteps, runSteps, type Step, scriptOf, stepsOf } from './gates.ts'
import { readManifest } from './lib/workspace.ts'
import { countTests } from './test-report.ts'

const { scripts = {} } = readManifest('.')
/** Scripts that are not checks: they write files, publish, measure, or help a developer. */
const NO_GATES = [
  'bench',
  'demo',
  'demo:relay',
  'docs:build',
  'docs:check',
  'docs:dev',
  'format',
  // This script takes hours: it is a separate job in full.yml.
  'mutation',
  'protos:baseline',
  'release:pack',
  'release:version',
  'screenshots',
  // `.ci/run` runs the tests after the gates.
  'test',
  'test:all',
  // This script needs the newest packages of a registry: it is a separate job in full.yml.
  'test:newest-peers',
]

describe('gates', () => {
  test.each([false, true])('every gate is a script of the root manifest (full run: %s)', (isFull) => {
    const unknown = stepsOf(GATES, isFull).filter(({ command }) => !(scriptOf(command) in scripts))
    expect(unknown).toEqual([])
  })

  test('every script that checks something is a gate of the full run', () => {
    const run = stepsOf(GATES, true).map(({ command }) => scriptOf(command))
    const left = Object.keys(scripts).filter((name) => !run.includes(name) && !NO_GATES.includes(name))
    expect(left).toEqual([])
  })

  test('a gate waits only for commands of the same run', () => {
    for (const isFull of [false, true]) {
      const steps = stepsOf(GATES, isFull)
      const commands = steps.map(({ command }) => command)
      expect(steps.flatMap(({ after }) => after).filter((name) => !commands.includes(name))).toEqual([])
    }
  })

  test('rejects an unknown name on the command line', () => {
    expect(() => namedSteps(['a', 'toString', 'c --x'], { a: '1' })).toThrow('unknown gate: toString, c --x')
  })
})

describe('runSteps', () => {
  const step = (command: string, ...after: string[]): Step => ({ command, after })

  test('starts a step when the steps before it have ended, and never too many at once', async () => {
    const log: string[] = []
    let running = 0
    const most: number[] = []
    await runSteps([step('build'), step('lint'), step('pack', 'build'), step('knip')], 2, async (command) => {
      running += 1
      most.push(running)
      log.push(`+${command}`)
      await new Promise((resolve) => setImmediate(resolve))
      log.push(`-${command}`)
      running -= 1
    })
    expect(Math.max(...most)).toBe(2)
    expect(log.indexOf('+pack')).toBeGreaterThan(log.indexOf('-build'))
    expect(log).toHaveLength(8)
  })

  test('reports gates that wait for each other', async () => {
    await expect(runSteps([step('a', 'b'), step('b', 'a')], 2, async () => {})).rejects.toThrow('wait for')
  })
})

describe('countTests', () => {
  const report = (numPassedTests: number, numFailedTests: number): string =>
    JSON.stringify({ numPassedTests, numFailedTests })

  test.each([
    ['all tests passed', report(10, 0), 0, { passed: 10, failed: 0 }],
    ['some tests failed', report(8, 2), 1, { passed: 8, failed: 2 }],
    ['a file could not be loaded', report(10, 0), 1, { passed: 10, failed: 1 }],
    ['no report was written', undefined, 1, { passed: 0, failed: 1 }],
    ['no test ran', report(0, 0), 0, { passed: 0, failed: 1 }],
  ])('counts a run in which %s', (_, text, status, counts) => {
    expect(countTests(text, status)).toEqual(counts)
  })
})
