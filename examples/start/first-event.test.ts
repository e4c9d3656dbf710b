/** The program of the first page prints the lines that the page shows. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXAMPLES } from '../test/bundle-programs.ts'
import { runExample } from '../test/run-example.ts'

const page = await readFile(join(EXAMPLES, '../docs/start/first-event.md'), 'utf8')
const [, expected = ''] = /```text\n([\s\S]*?)\n```/.exec(page) ?? []

test('first-event prints the lines of its page, and ends', async () => {
  const example = runExample('start/first-event.ts', {})
  expect(await example.ended).toBe(0)
  expect(example.lines).toEqual(expected.split('\n'))
})

test('first-event works with the command for a checkout', async () => {
  const [, flags = ''] = /^node (.+) start\/first-event\.ts$/m.exec(page) ?? []
  const example = runExample('start/first-event.ts', {}, flags.split(' '))
  expect(await example.ended).toBe(0)
  expect(example.lines).toEqual(expected.split('\n'))
})
