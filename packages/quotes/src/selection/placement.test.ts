import { expect, test } from 'vitest'
import { place } from './placement.ts'

const keys = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `k${from + index}`)

test('fills one connection after the other', () => {
  const { placement, left } = place(keys(250), new Map(), [100, 100, 100, 100, 100])
  expect([0, 1, 2, 3].map((at) => [...placement.values()].filter((value) => value === at).length)).toEqual([
    100, 100, 50, 0,
  ])
  expect(left).toEqual([])
})

test('what is placed stays, also where another connection has more room', () => {
  const before = place(keys(150), new Map(), [100, 100]).placement
  const { placement } = place(keys(60, 90), before, [100, 100])
  for (const key of keys(60, 90)) expect(placement.get(key)).toBe(before.get(key))
})

test('new ones take the room that others left', () => {
  const before = place(keys(100), new Map(), [100, 100]).placement
  const { placement } = place([...keys(50, 50), ...keys(60, 200)], before, [100, 100])
  expect([...placement.values()].filter((at) => at === 0)).toHaveLength(100)
  expect(placement.get('k259')).toBe(1)
})

test('a connection that turned out smaller gives some away', () => {
  const before = place(keys(10), new Map(), [10, 10]).placement
  const { placement, left } = place(keys(10), before, [6, 3])
  expect([...placement.values()].filter((at) => at === 0)).toHaveLength(6)
  expect([...placement.values()].filter((at) => at === 1)).toHaveLength(3)
  expect(left).toEqual(['k9'])
})
