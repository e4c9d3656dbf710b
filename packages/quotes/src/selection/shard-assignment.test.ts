import { expect, test } from 'vitest'
import { assignShards } from './shard-assignment.ts'

const keys = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `k${from + index}`)

test('fills one connection after the other', () => {
  const { assignment, unassigned } = assignShards(keys(250), new Map(), [100, 100, 100, 100, 100])
  expect([0, 1, 2, 3].map((at) => [...assignment.values()].filter((value) => value === at).length)).toEqual([
    100, 100, 50, 0,
  ])
  expect(unassigned).toEqual([])
})

test('keeps an assigned symbol on its connection, also if another one has more capacity', () => {
  const before = assignShards(keys(150), new Map(), [100, 100]).assignment
  const { assignment } = assignShards(keys(60, 90), before, [100, 100])
  for (const key of keys(60, 90)) expect(assignment.get(key)).toBe(before.get(key))
})

test('gives new symbols the capacity that others freed', () => {
  const before = assignShards(keys(100), new Map(), [100, 100]).assignment
  const { assignment } = assignShards([...keys(50, 50), ...keys(60, 200)], before, [100, 100])
  expect([...assignment.values()].filter((at) => at === 0)).toHaveLength(100)
  expect(assignment.get('k259')).toBe(1)
})

test('reassigns symbols of a connection whose capacity shrank', () => {
  const before = assignShards(keys(10), new Map(), [10, 10]).assignment
  const { assignment, unassigned } = assignShards(keys(10), before, [6, 3])
  expect([...assignment.values()].filter((at) => at === 0)).toHaveLength(6)
  expect([...assignment.values()].filter((at) => at === 1)).toHaveLength(3)
  expect(unassigned).toEqual(['k9'])
})
