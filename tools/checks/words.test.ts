import { describe, expect, it } from 'vitest'
import { wordProblems } from './words.ts'

describe('words', () => {
  it.each([
    ['a comment', '// It tells the caller.\n', 1],
    ['the second line of a docstring', '/**\n * A fine line.\n * It is told here.\n */\n', 3],
    ['the second of two line comments', '// One.\n// Nobody reads it.\n', 2],
    ['a message', "const a = 1\nfail('nobody reads it')\n", 2],
    ['a template', 'fail(`It is told.`)\n', 1],
    ['the beginning of a comment', '/** What the caller sends. */\n', 1],
    ['the beginning of a title', "it('what the caller sends', () => {})\n", 1],
    ['the beginning of a title with a table', "it.each([])('where it ends', () => {})\n", 1],
  ])('reports the line of %s', (_, code, line) => {
    expect(wordProblems('x.ts', code)).toEqual([expect.stringMatching(`^x\\.ts:${line}: .*; write: .`)])
  })

  it.each([
    ['a sentence without such a form', '// Returns the next batch, if there is one.\n'],
    ['identifiers and a module name', "import { nobody } from './nobody.ts'\nconst whoever = nobody()\n"],
    ['a string of one word', "const said = 'told'\n"],
    ['a regular expression', 'const pattern = /nobody is told/\n'],
    ['an address in a string', "const url = 'https://nobody.example'\n"],
    ['a message that begins with "what"', "fail('what to do next')\n"],
    ['"own" before a noun', '// A copy of its own properties.\n'],
    ['"What to"', '/** What to do after a failure. */\n'],
    ['a question', '// What is the time of the server?\n'],
  ])('accepts %s', (_, code) => {
    expect(wordProblems('x.ts', code)).toEqual([])
  })

  it('reports paragraphs, lists and tables of a page, but not its headings and its code', () => {
    const fence = '`'.repeat(3)
    const page = [
      '# What it tells',
      'Nobody reads it.',
      '- Where there is a store, it is used.',
      '| `whoever` | said |',
      `${fence}ts`,
      '// nobody',
      fence,
      'A stand-in. What it is',
    ]
    expect(wordProblems('x.md', page.join('\n')).map((problem) => problem.split('; ')[0])).toEqual([
      'x.md:2: document: "Nobody"',
      'x.md:3: document: "Where there"',
      'x.md:3: document: "- Where"',
      'x.md:4: document: "said"',
      'x.md:8: document: ". What"',
    ])
  })
})
