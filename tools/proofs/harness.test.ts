/** The runner of proofs reports failures, and cleans up. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Case, type CaseContext, runProof } from './harness.ts'
import { within } from './wait.ts'

const caseOf = (name: string, run: (context: CaseContext) => unknown, more: Partial<Case> = {}): Case => ({
  name,
  ...more,
  run: async (context) => {
    await run(context)
    return {}
  },
})

async function runCases(cases: readonly Case[], ...args: readonly string[]) {
  const lines: string[] = []
  const proof = { flags: { count: 'a number' }, cases: () => cases }
  const passed = await runProof('example', proof, args, (line) => lines.push(line))
  return { passed, text: lines.join('\n') }
}

test('a case fails if it throws, breaks a promise, or causes an uncaught error', async () => {
  const { passed, text } = await runCases([
    caseOf('good', ({ check }) => check(true, 'not shown')),
    caseOf('throws', () => Promise.reject(new Error('thrown'))),
    caseOf('breaks', ({ check }) => check(false, 'a promise')),
    caseOf('leaks', () => void Promise.reject(new Error('uncaught one'))),
  ])
  expect(passed).toBe(false)
  for (const what of ['Error: thrown', 'FAILED: a promise', 'uncaught one', '1 passed, 3 failed'])
    expect(text).toContain(what)
  expect(text).not.toContain('not shown')
  expect(text).toMatch(/again: pnpm proof example --seed \d+ --only 'throws'/)
})

test('a case makes the same random choices with the same seed, independent of other cases', async () => {
  const drawn: string[] = []
  const cases = ['one', 'two'].map((name) => caseOf(name, ({ random }) => drawn.push(random.hex(8))))
  await runCases(cases, '--seed', '7')
  await runCases(cases, '--seed', '7', '--only', 'two')
  await runCases(cases, '--seed', '8', '--only', 'two')
  expect(drawn[2]).toBe(drawn[1])
  expect(drawn[3]).not.toBe(drawn[1])
})

test('--short and --only select cases; invalid arguments are errors that list the valid ones', async () => {
  const cases = [caseOf('http', () => {}), caseOf('http2', () => {}, { inShort: false })]
  expect((await runCases(cases, '--short')).text).toContain('1 passed, 0 failed')
  expect((await runCases(cases, '--only', 'htt')).text).toContain('2 passed, 0 failed')
  expect((await runCases(cases, '--only', 'http')).text).toContain('1 passed, 0 failed')
  await expect(runCases(cases, '--only', 'x')).rejects.toThrow('The cases: "http", "http2"')
  await expect(runCases(cases, '--seed', 'x')).rejects.toThrow('--seed must be a whole number; received "x"')
  await expect(runCases(cases, '--nope')).rejects.toThrow('has --short, --seed, --only, --count')
})

test('actions at the end run in reverse order, also after an error, and the folder is removed', async () => {
  const ended: string[] = []
  let folder = ''
  await runCases([
    caseOf('one', (context) => {
      folder = context.folder
      context.atEnd(() => ended.push('first'))
      context.atEnd(async () => ended.push('second'))
      throw new Error('in the middle')
    }),
  ])
  expect(ended).toEqual(['second', 'first'])
  expect(existsSync(folder)).toBe(false)
})

test('reports a call that does not end', async () => {
  expect(await within(new Promise(() => {}), 200)).toBe('hangs')
  expect(await within(Promise.resolve('done'), 200)).toBe('done')
})
