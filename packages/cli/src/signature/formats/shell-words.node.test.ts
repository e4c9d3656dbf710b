/** The words of a command line are the same as those of bash. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { shellWords } from './shell-words.ts'

const valuesOf = (line: string): readonly Buffer[] =>
  shellWords(line).map(({ value }) => Buffer.from(value as string))
const hasBash = spawnSync('bash', ['--version']).status === 0

/** The arguments that bash passes to a command. */
function bashWords(line: string): readonly Buffer[] {
  const { stdout } = spawnSync('bash', ['-c', `show() { printf '%s\\0' "$@"; }\nshow ${line}`], {
    env: { LC_ALL: 'C.UTF-8', PATH: process.env.PATH },
  })
  const words: Buffer[] = []
  for (let start = 0, end = stdout.indexOf(0); end !== -1; start = end + 1, end = stdout.indexOf(0, start))
    words.push(stdout.subarray(start, end))
  return words
}

test
  .skipIf(!hasBash)
  .each([
    `a 'b c' "d e" f`,
    `a'b'"c"$'d'e`,
    `'' "" $''`,
    `'a\\nb' "a\\nb" "a\\"b" "\\\\" "a\\$b" "a\\\`b"`,
    `a\\ b \\'c\\' \\\\`,
    `one \\\n  two \\\n three`,
    `"one \\\ntwo" 'one \\\ntwo'`,
    `"one\ntwo"`,
    `$'a\\'b\\"c\\\\d' $'\\n\\r\\t\\v\\a\\b\\f\\e\\E\\?'`,
    `$'\\x41\\102\\u0043\\U00000044' $'\\u00e9\\u20ac' $'\\xc3\\xa9'`,
    `$'\\xff\\x80b' $'\\377'`,
    `$'\\q' $'\\xzz'`,
    `a#b # a comment`,
    `a$ "b$" 'c$d' $`,
    `é€😀 "é€😀" $'é€😀'`,
    `--data-raw '{"a":"it'\\''s"}'`,
    `-H 'x: 1' -H"y: 2" --x=3`,
  ])('bash reads the same words: %j', (line) => {
  expect(valuesOf(line)).toEqual(bashWords(line))
})

test('two escapes of a character beyond the BMP are one character', () => {
  expect(valuesOf(`$'\\ud83d\\ude00'`).map(String)).toEqual(['😀'])
})

test('a word that is not UTF-8 is returned as bytes', () => {
  expect(shellWords(`$'a\\xff'`)).toEqual([{ value: Uint8Array.of(0x61, 0xff), offset: 0 }])
})

test.each([
  [`curl 'a`, "line 1, column 6: the quote ' is not closed"],
  [`curl\n\n "a`, 'line 1, column 5: the text must be one command; remove the lines after it'],
  [`curl \\\n "a`, 'line 2, column 2: the quote " is not closed'],
  [`curl $'a\\'`, "line 1, column 6: the quote $' is not closed"],
  ['curl $URL', 'line 1, column 6: a variable is not expanded or executed; write the value itself'],
  [`curl $\{URL}`, 'line 1, column 6: a variable is not expanded or executed; write the value itself'],
  [
    'curl $(id)',
    'line 1, column 6: a command substitution is not expanded or executed; write the value itself',
  ],
  [
    'curl `id`',
    'line 1, column 6: a command substitution is not expanded or executed; write the value itself',
  ],
  ['curl "a $URL"', 'line 1, column 9: shell expansions are not supported; write the value itself'],
  ['curl "\\\\`id`"', 'line 1, column 9: shell expansions are not supported; write the value itself'],
  ['curl a | jq', 'line 1, column 8: the text must be one command; remove "|" and the text after it'],
  ['curl a > b', 'line 1, column 8: the text must be one command; remove ">" and the text after it'],
  ['curl a; rm b', 'line 1, column 7: the text must be one command; remove ";" and the text after it'],
  ['curl a &', 'line 1, column 8: the text must be one command; remove "&" and the text after it'],
  ['curl a\ncurl b', 'line 1, column 7: the text must be one command; remove the lines after it'],
])('%j is rejected with its position', (line, message) => {
  expect(() => shellWords(line)).toThrow(expect.objectContaining({ message }))
})

test('only blank lines and comments may follow the command', () => {
  expect(valuesOf('# first\n\ncurl a\n\n# last\n').map(String)).toEqual(['curl', 'a'])
})
