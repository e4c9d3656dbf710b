import { describe, expect, test } from 'vitest'
import { compileBlocks } from './compile.ts'
import { docstringDocument, type ExportedFunction, missingExamples } from './docstrings.ts'

const fence = '`'.repeat(3)
const source = (code: string): string =>
  [
    '/**',
    ' * Adds.',
    ' *',
    ' * @example',
    ` * ${fence}ts`,
    ` * ${code}`,
    ` * ${fence}`,
    ' */',
    'export {}',
  ].join('\n')

test('an example in a docstring is compiled, and its fault is named by the line of the source', {
  timeout: 60_000,
}, () => {
  const file = 'packages/signer/src/made-up.ts'
  const good = docstringDocument(file, source("import '@brokerwire/signer'"))
  const bad = docstringDocument(file, source("import { noSuchName } from '@brokerwire/signer'"))
  expect(compileBlocks([good])).toEqual({ blocks: 1, problems: [] })
  expect(compileBlocks([bad]).problems).toEqual([
    expect.stringMatching(/^packages\/signer\/src\/made-up\.ts:6: .*noSuchName/),
  ])
})

describe('functions that a README names', () => {
  const page = (text: string) => [{ file: 'packages/core/README.md', text }]
  const of = (name: string, hasExample: boolean): ExportedFunction[] => [
    { name, file: 'packages/core/src/x.ts', hasExample },
  ]

  test.each([
    ['in a sentence', 'call `add(1, 2)`'],
    ['by its name alone', 'call `add`'],
    ['in an import', `${fence}ts\nimport {\n  add,\n  other,\n} from '@brokerwire/core'\n${fence}`],
  ])('%s: one without an example is named, one with it is not', (_, text) => {
    expect(missingExamples(page(text), of('add', false))).toEqual([
      'packages/core/src/x.ts: add: a README names it, and it has no @example',
    ])
    expect(missingExamples(page(text), of('add', true))).toEqual([])
  })

  test('another word is none', () => {
    expect(missingExamples(page('add it, or `addition`'), of('add', false))).toEqual([])
  })
})
