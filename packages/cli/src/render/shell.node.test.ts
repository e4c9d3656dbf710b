/** Shell lines, parsed by the shell itself. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { exportLine } from './shell.ts'

const TEXTS = [
  'plain',
  'http://127.0.0.1:8080/?a=1,2',
  '',
  'two words',
  "it's",
  '$(touch here) `id` $HOME "x" \\ ! # ; & | < > * ~',
  'a\nb\tc',
  '\u001b[31mred',
  'é😀',
  '-n',
]

test.each(TEXTS)('bash reads %j unchanged', (text) => {
  const script = `${exportLine('VALUE', text)}\nprintf %s "$VALUE"`
  expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe(text)
})

test('addresses are not quoted', () => {
  expect(exportLine('A', 'http://127.0.0.1:8080')).toBe('export A=http://127.0.0.1:8080')
})
