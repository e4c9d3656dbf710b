import { describe, expect, test } from 'vitest'
import { RULES, type SourceFile, twinProblems } from './rules.ts'

/** The one definition of each rule, and what the list allows beside it. */
const TEXTS: Readonly<Record<string, string>> = {
  'packages/core/src/printable.ts': String.raw`const UNSEEN = /[\p{Cc}\p{Cf}]/gu`,
  'packages/core/src/origin.ts': 'const url = new URL(value)',
  'packages/core/src/known-options.ts': "fail('unknown option')",
  'packages/core/src/abort.ts': "signal.addEventListener('abort', fire)",
  'packages/core/src/redacted.ts': "export const REDACTED = '[secret]'",
}
const house: SourceFile[] = RULES.flatMap(({ home, allowed }) =>
  [home, ...Object.keys(allowed)].map((file) => ({ file, text: TEXTS[home] ?? '' })),
)

test('one definition of each rule passes', () => {
  expect(twinProblems(house)).toEqual([])
})

describe('a second one is named', () => {
  test.each([
    ['a control character', String.raw`/[\x00-\x1f]/`, 'printable'],
    ['controls by their property', String.raw`/\p{Cc}/u`, 'printable'],
    ['controls from NUL', String.raw`/[\0-\x08]/`, 'printable'],
    ['DEL', String.raw`text.replace(/\u007f/g, '')`, 'printable'],
    ['an address', 'const { host } = new URL(options.baseUrl)', 'readOrigin'],
    ['options that nobody reads', 'throw fail(`unknown option`)', 'requireKnownOptions'],
    ['a listener', 'signal.addEventListener("abort", stop, { once: true })', 'onAbort'],
    ['a listener of Node', "await once(signal, 'abort')", 'onAbort'],
    ['a listener as a property', 'signal.onabort = stop', 'onAbort'],
    ['redaction', "return '[redacted]'", 'REDACTED'],
  ])('%s', (_, line, use) => {
    const problems = twinProblems([...house, { file: 'packages/http/src/client.ts', text: `one\n${line}\n` }])
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(new RegExp(`^packages/http/src/client\\.ts:2: .*: use ${use}`))
  })
})

test.each([
  ['a test', 'packages/http/src/client.test.ts', "signal.addEventListener('abort', stop)"],
  ['a helper of tests', 'packages/http/src/test/host.ts', "signal.addEventListener('abort', stop)"],
  ['a file beside this one', 'packages/http/src/a.ts', "new URL('./x.txt', import.meta.url)"],
  ["a tool's own address", 'tools/x/main.ts', 'new URL(server.eventsUrl)'],
])('%s may have it', (_, file, text) => {
  expect(twinProblems([...house, { file, text }])).toEqual([])
})

test('a row that allows nothing any more is named', () => {
  const without = house.filter(({ file }) => file !== 'packages/core/src/lease.ts')
  expect(twinProblems(without)).toEqual([
    'packages/core/src/lease.ts: a listener of an abort does not stand there any more: tools/twins/rules.ts names it',
  ])
})
