import { expect, test } from 'vitest'
import { compileBlocks } from './compile.ts'
import { readmeDocuments } from './documents.ts'
import { linkProblems } from './links.ts'

const fence = '`'.repeat(3)
const document = (code: string): { file: string; text: string } => ({
  file: 'packages/signer/EXAMPLE.md',
  text: `intro\n\n${fence}ts\n${code}\n${fence}\n`,
})

test('every ts block of the documents compiles', { timeout: 60_000 }, async () => {
  const { blocks, problems } = compileBlocks(await readmeDocuments())
  expect(problems).toEqual([])
  expect(blocks).toBeGreaterThan(5)
})

test('every link within the repository leads somewhere', async () => {
  expect(linkProblems(await readmeDocuments())).toEqual([])
})

test('what does not compile is named by the line of the document', { timeout: 60_000 }, () => {
  const { problems } = compileBlocks([
    document("import { Secret } from '@brokerwire/core'\nconst secret: string = new Secret('x')"),
    document("import { noSuchName } from '@brokerwire/core'"),
    document("import '@brokerwire/no-such-package'"),
    document('const twice = 1\nconst twice = 2'),
  ])
  expect(problems.map((problem) => problem.replace(/: .*/s, ''))).toEqual(
    expect.arrayContaining([
      'packages/signer/EXAMPLE.md:5',
      'packages/signer/EXAMPLE.md:4',
      'packages/signer/EXAMPLE.md:4',
      'packages/signer/EXAMPLE.md:4',
    ]),
  )
  expect(
    problems.some((problem) => problem.includes("Type 'Secret' is not assignable to type 'string'")),
  ).toBe(true)
  expect(problems.some((problem) => problem.includes('noSuchName'))).toBe(true)
  expect(problems.some((problem) => problem.includes('no-such-package'))).toBe(true)
  expect(problems.some((problem) => problem.includes('twice'))).toBe(true)
})

test('blocks stand alone: each may use the same names, await, and what another package depends on', () => {
  const code =
    "import { create } from '@bufbuild/protobuf'\nconst name = await Promise.resolve(typeof create)\nconsole.log(name)"
  expect(compileBlocks([document(code), document(code)])).toEqual({ blocks: 2, problems: [] })
})
