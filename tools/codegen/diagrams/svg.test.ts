import { expect, test } from 'vitest'
import { checkLayout, drawSvg, type Layout } from './svg.ts'

const label = { lines: ['press'], at: [80, 20] as const }
const LAYOUT: Layout = {
  title: 'A lamp',
  width: 200,
  height: 60,
  boxes: [
    { title: 'off', states: ['off', 'broken'], at: [40, 10, 50, 40] },
    { title: 'on', states: ['on'], at: [120, 10, 50, 40], look: 'usable' },
  ],
  arrows: [{ from: 'off', to: 'on', on: ['press'], path: 'M90 30H120', label }],
}
const PRESS = { from: ['off'], on: 'press', to: ['on'] }

test('accepts a layout that has exactly the arrows and events of the table', () => {
  const inside = { from: ['off'], on: 'drop', to: ['broken'] }
  const unchanged = { from: ['on'], on: 'look', to: [] }
  expect(checkLayout(LAYOUT, [PRESS, inside, unchanged])).toEqual([])
})

test.each([
  ['an arrow', { from: ['on'], on: 'press', to: ['off'] }, 'missing: on to off: press'],
  ['an event of an arrow', { from: ['off'], on: 'timer', to: ['on'] }, 'missing: off to on: timer'],
  ['a state', { from: ['on'], on: 'drop', to: ['lost'] }, 'missing: on to no box (lost): drop'],
])('reports %s that the layout lacks', (_, row, problem) => {
  expect(checkLayout(LAYOUT, [PRESS, row])).toEqual([problem])
})

test('reports an arrow that the table lacks', () => {
  expect(checkLayout(LAYOUT, [])).toEqual(['not in the table: off to on: press'])
})

test('draws boxes with their merged states, arrows and labels, with colors for both schemes', () => {
  const svg = drawSvg(LAYOUT)
  expect(svg).toContain('>off, broken</text>')
  expect(svg).toContain('class="box usable" x="120"')
  expect(svg).toContain('d="M90 30H120"')
  expect(svg).toContain('<text x="80" y="20" text-anchor="middle">press</text>')
  expect(svg).toContain('prefers-color-scheme: dark')
})
