import { expect, test } from 'vitest'
import { typescriptBlocks } from './blocks.ts'

const fence = '`'.repeat(3)

test('finds the ts blocks, with the line of their code', () => {
  const text = `# title\n\n${fence}ts\nconst a = 1\n\nconst b = 2\n${fence}\n\ntext\n\n${fence}ts\nlast\n${fence}\n`
  expect(typescriptBlocks(text)).toEqual([
    { line: 4, code: 'const a = 1\n\nconst b = 2' },
    { line: 12, code: 'last' },
  ])
})

test('leaves other languages alone, and what only shows a block', () => {
  const shown = `${fence}\`\n${fence}ts\nnot code\n${fence}\n${fence}\`\n`
  expect(typescriptBlocks(`${fence}sh\nls\n${fence}\n${fence}json\n{}\n${fence}\n${shown}`)).toEqual([])
})

test('takes the indent of a list off the code', () => {
  expect(typescriptBlocks(`- item\n\n  ${fence}ts\n  if (a) {\n    b()\n  }\n  ${fence}\n`)).toEqual([
    { line: 4, code: 'if (a) {\n  b()\n}' },
  ])
})

test('reads files with Windows line ends', () => {
  expect(typescriptBlocks(`${fence}ts\r\na\r\n${fence}\r\n`)).toEqual([{ line: 2, code: 'a' }])
})
