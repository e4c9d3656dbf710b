import { createSeededRandom } from '@brokerwire/core/testing'
import { expect, test } from 'vitest'
import { draw, sentencesOf } from './sentences.ts'

test('prose, items and rows are sentences; headings, code and the heads of tables are none', () => {
  const markdown = [
    '# A heading',
    'One sentence that',
    'goes on. Another one: `code` in it.',
    '',
    '- An item of a list.',
    '- A second item.',
    '',
    '| Option | Meaning |',
    '|---|---|',
    '| `option` | its meaning |',
    '```ts',
    'const sentence = "A text in code."',
    '```',
  ].join('\n')
  expect(sentencesOf('a.md', markdown).map(({ line, text }) => [line, text])).toEqual([
    [2, 'One sentence that goes on.'],
    [2, 'Another one: `code` in it.'],
    [5, 'An item of a list.'],
    [6, 'A second item.'],
    [10, '`option` | its meaning'],
  ])
})

test('a seed draws the same ones again, none of them twice', () => {
  const all = Array.from({ length: 50 }, (_, index) => index)
  const drawn = draw(all, 20, createSeededRandom(7))
  expect(draw(all, 20, createSeededRandom(7))).toEqual(drawn)
  expect(new Set(drawn).size).toBe(20)
  expect(draw(all, 100, createSeededRandom(7)).sort((one, other) => one - other)).toEqual(all)
})
