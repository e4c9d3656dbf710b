import { expect, test } from 'vitest'
import { drawDiagram } from './diagram.ts'

test('draws one arrow between two states, the start, and the final states', () => {
  const table = [
    { from: ['off'], on: 'press', when: undefined, to: ['on'] },
    { from: ['off', 'on'], on: 'press', when: 'twice', to: ['broken', 'on'] },
    { from: ['on'], on: 'look', when: undefined, to: [] },
  ]
  expect(drawDiagram(table).split('\n')).toEqual([
    'stateDiagram-v2',
    '  [*] --> off',
    '  off --> on: press, press [twice]',
    '  off --> broken: press [twice]',
    '  on --> broken: press [twice]',
    '  broken --> [*]',
  ])
})
