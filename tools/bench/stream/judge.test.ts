import { describe, expect, test } from 'vitest'
import { judge, rotated } from './judge.ts'
import { GOALS, KINDS, SHAPES } from './parts.ts'

describe('goals', () => {
  test('there is one for each ratio of both shapes, and for latency and memory', () => {
    const keys = KINDS.flatMap(({ ratios }) => ratios.map(({ key }) => key))
    expect(new Set(keys).size).toBe(keys.length)
    expect(Object.keys(GOALS)).toEqual([
      ...SHAPES.flatMap((shape) => keys.map((key) => `${shape}.${key}`)),
      'latency.p50.vs_grpc_js',
      'latency.supervised.p50.vs_transport',
      'rss.vs_connect_node',
      'rss.supervised.vs_connect_node',
    ])
  })

  test('who is compared takes part in the same rounds', () => {
    for (const { contenders, ratios } of KINDS) {
      for (const { of, to } of ratios) expect(contenders).toEqual(expect.arrayContaining([of, to]))
    }
  })

  test('what is measured is judged from its own side', () => {
    expect(judge('permsg.client.vs_connect_node', 3)).toBe('goal: at least 3, ok')
    expect(judge('packed.client.vs_raw', 0.39)).toBe('goal: at least 0.4, missed')
    expect(judge('latency.p50.vs_grpc_js', 1.1)).toBe('goal: at most 1.1, ok')
    expect(judge('rss.vs_connect_node', 1.31)).toBe('goal: at most 1.3, missed')
    expect(judge('rss.vs_connect_node', Number.NaN)).toBe('goal: at most 1.3, missed')
  })
})

test('each round begins with another one, and all take part in each', () => {
  const rounds = [0, 1, 2, 3].map((turn) => rotated(['a', 'b', 'c'], turn))
  expect(rounds).toEqual([
    ['a', 'b', 'c'],
    ['a', 'c', 'b'],
    ['c', 'a', 'b'],
    ['c', 'b', 'a'],
  ])
  expect(rotated([], 3)).toEqual([])
})
