import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../ci/lib/workspace.ts'
import { typescriptBlocks } from './blocks.ts'
import { compileBlocks } from './compile.ts'
import { docstringDocument, readmeDocuments } from './documents.ts'
import {
  exampleProblems,
  fileTableProblems,
  installProblems,
  linkProblems,
  missingExamples,
  withExamples,
} from './pages.ts'

const fence = '`'.repeat(3)
const ts = (code: string): string => `${fence}ts\n${code}\n${fence}\n`
const page = (text: string) => [{ file: 'packages/signer/README.md', text }]

test.each([
  [
    `# title\n\n${ts('const a = 1\n\nconst b = 2')}\n${ts('last')}`,
    [4, 'const a = 1\n\nconst b = 2', 10, 'last'],
  ],
  [`${fence}sh\nls\n${fence}\n${fence}\`\n${ts('shown')}${fence}\`\n`, []],
  [`- item\n\n  ${fence}ts\n  if (a) {\n    b()\n  }\n  ${fence}\n`, [4, 'if (a) {\n  b()\n}']],
  [`${fence}ts\r\na\r\n${fence}\r\n`, [2, 'a']],
])('the ts blocks of %j', (text, blocks) => {
  expect(typescriptBlocks(text).flatMap(({ line, code }) => [line, code])).toEqual(blocks)
})

test('reports an error with the line of the document or source, and compiles blocks as separate modules', {
  timeout: 60_000,
}, async () => {
  const good =
    "import { create } from '@bufbuild/protobuf'\nconst name = await Promise.resolve(typeof create)\nconsole.log(name)"
  const bad = [
    "import { Secret } from '@brokerwire/core'\nconst secret: string = new Secret('x')",
    "import { noSuchName } from '@brokerwire/core/internal'",
    "import '@brokerwire/no-such-package'",
    'const twice = 1\nconst twice = 2',
  ]
  const docstring = `/**\n * Adds.\n *\n * @example\n * ${fence}ts\n * let a: string = 1\n * ${fence}\n */\nexport {}`
  const { blocks, problems } = await compileBlocks([
    ...[good, good, ...bad].flatMap((code) => page(ts(code))),
    docstringDocument({ file: 'packages/signer/src/made-up.ts', text: docstring }),
  ])
  expect(blocks).toBe(7)
  expect(problems.map((problem) => problem.split('\n')[0])).toEqual([
    expect.stringMatching(/README\.md:3: error TS2322: Type 'Secret' is not assignable to type 'string'/),
    expect.stringMatching(/README\.md:2: error TS\d+: .*noSuchName/),
    expect.stringMatching(/README\.md:2: error TS\d+: .*no-such-package/),
    expect.stringMatching(/README\.md:2: error TS\d+: .*twice/),
    expect.stringMatching(/README\.md:3: error TS\d+: .*twice/),
    expect.stringMatching(/^packages\/signer\/src\/made-up\.ts:6: error TS2322/),
  ])
})

test.each([
  ['[file](README.md)', []],
  ['[up](../../LICENSE)', []],
  ['[heading](../core/README.md#runtimes)', []],
  ['[web](https://example.com/nothing)', []],
  ['# The `Store` port: a title\n\n[own](#the-store-port-a-title)', []],
  [`${fence}md\n[shown](nothing.md)\n${fence}\n`, []],
  ['[file](nothing.md)', ['nothing.md: no such file']],
  ['[heading](../core/README.md#nothing)', ['../core/README.md#nothing: no such heading']],
  ['[own](#nothing)', ['#nothing: no such heading']],
])('the link %s', (text, problems) => {
  expect(linkProblems(page(text))).toEqual(problems.map((problem) => `packages/signer/README.md: ${problem}`))
})

test.each([
  ["import { a } from '@brokerwire/core/endpoints'\nimport { readFile } from 'node:fs'\nimport './x.ts'", []],
  ["import {\n  b,\n} from 'left-pad'", ['left-pad']],
  ["import '@scope/side-effect'", ['@scope/side-effect']],
])('finds the packages to install for %j', (code, names) => {
  const problems = installProblems(page(`${fence}sh\nnpm install @brokerwire/core\n${fence}\n\n${ts(code)}`))
  expect(problems.map((problem) => problem.split(' ')[1])).toEqual(names)
})

test('reports a program that differs from its file, and replaces it', () => {
  const path = 'examples/several-app-keys.ts'
  const shown = (code: string): string =>
    `before\n\n<!-- example: ${path} -->\n\n${fence}ts\n${code}${fence}\n\nafter\n`
  const current = shown(readFileSync(join(ROOT, path), 'utf8'))
  expect(exampleProblems(page(current))).toEqual([])
  expect(exampleProblems(page(shown('const other = 1\n')))).toHaveLength(1)
  expect(withExamples(shown('const other = 1\n'))).toBe(current)
})

test.each([
  ['call `add(1, 2)`', 1],
  ['call `add`', 1],
  ["import {\n  add,\n  other,\n} from '@brokerwire/signer'", 1],
  ['add it, or `addition`', 0],
])('reports functions without an example that a README names: %j', (text, count) => {
  const source = (docstring: string) => [
    { file: 'packages/signer/src/x.ts', text: `${docstring}export function add() {}\n` },
  ]
  const reports = new Map([['signer.api.md', 'export function add(): void;\n']])
  expect(missingExamples(page(text), source(''), reports)).toHaveLength(count)
  expect(missingExamples(page(text), source('/** Adds. */\n'), reports)).toHaveLength(count)
  expect(missingExamples(page(text), source('/**\n * @example\n */\n'), reports)).toEqual([])
})

test.each([
  ['| `check.ts` | `check` | text |', []],
  ['| `check.ts`, `nothing.ts` | `check` | text |', ['tools/checks/readme/nothing.ts: no such file']],
  ['| `check.ts` | `nothing` | text |', ['tools/checks/readme/check.ts: no function nothing']],
])('a table of files with %s', (row, problems) => {
  const text = `The files, in \`packages/../tools/checks/readme\`:\n\n| File | Functions | Text |\n|---|---|---|\n${row}\n`
  expect(fileTableProblems(page(text)).map((problem) => problem.replace(/^[^:]+: /, ''))).toEqual(problems)
})

test('the tables of ARCHITECTURE.md name files and functions that exist; a relayed event passes at most nine files', async () => {
  const pages = (await readmeDocuments()).filter(({ file }) => file === 'ARCHITECTURE.md')
  expect(fileTableProblems(pages)).toEqual([])
  const [, walk = ''] = pages[0]?.text.split('### A relayed event') ?? []
  const rows = /\n((?:\| `.*\n)+)/.exec(walk)?.[1]?.trim().split('\n') ?? []
  expect(rows.length).toBeGreaterThan(5)
  expect(rows.length).toBeLessThanOrEqual(9)
})
