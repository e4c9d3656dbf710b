import { describe, expect, test } from 'vitest'
import { drawDiagram, placeDiagram } from './diagram.ts'
import { freshDocument } from './stale.ts'

const table = [
  { from: ['off'], on: 'press', when: undefined, to: ['on'] },
  { from: ['off', 'on'], on: 'press', when: 'twice', to: ['broken', 'on'] },
  { from: ['on'], on: 'look', when: undefined, to: [] },
]

describe('diagrams', () => {
  test('one arrow between two states, a start, and the final states', () => {
    expect(drawDiagram(table).split('\n')).toEqual([
      'stateDiagram-v2',
      '  [*] --> off',
      '  off --> on: press, press [twice]',
      '  off --> broken: press [twice]',
      '  on --> broken: press [twice]',
      '  broken --> [*]',
    ])
  })

  test('are put between their markers, and nowhere else', () => {
    const document = 'a\n<!-- diagram: x -->\nold\n<!-- /diagram -->\nb'
    const placed = placeDiagram(document, 'x', 'new') ?? ''
    expect(placed).toBe('a\n<!-- diagram: x -->\n\n```mermaid\nnew\n```\n\n<!-- /diagram -->\nb')
    expect(placeDiagram(placed, 'x', 'new')).toBe(placed)
    expect(placeDiagram(document, 'y', 'new')).toBeUndefined()
  })
})

test('the README shows what runs: if not, `pnpm diagrams` draws it again', () => {
  const { before, after, missing } = freshDocument()
  expect(missing).toEqual([])
  expect(before).toBe(after)
})
