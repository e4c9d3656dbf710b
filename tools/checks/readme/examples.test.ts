import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../ci/lib/workspace.ts'
import { readmeDocuments } from './documents.ts'
import { exampleProblems, withExamples } from './examples.ts'

const fence = '`'.repeat(3)
const PATH = 'examples/several-app-keys.ts'
const shown = (code: string) => ({
  file: 'x.md',
  text: `before\n\n<!-- example: ${PATH} -->\n\n${fence}ts\n${code}${fence}\n\nafter\n`,
})

test('the documents show their programs as the tests run them', async () => {
  const documents = await readmeDocuments()
  expect(await exampleProblems(documents)).toEqual([])
  for (const file of ['packages/edge/README.md', 'packages/tokens/README.md']) {
    const text = documents.find((document) => document.file === file)?.text ?? ''
    const paths = [...text.matchAll(/<!-- example: (\S+) -->/g)].map(([, path]) => path)
    expect(paths).toEqual(
      ['node-file-store/server.ts', 'worker-durable-object/worker.ts', 'several-app-keys.ts'].map(
        (path) => `examples/${path}`,
      ),
    )
  }
})

test('another text is told, and replaced', async () => {
  const source = await readFile(join(ROOT, PATH), 'utf8')
  expect(await exampleProblems([shown(source)])).toEqual([])
  const other = shown('const another = 1\n')
  expect(await exampleProblems([other])).toHaveLength(1)
  expect(await withExamples(other)).toBe(shown(source).text)
})
