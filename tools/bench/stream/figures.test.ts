import { describe, expect, test } from 'vitest'
import { judge, percentile, ratioOf, rotated, table } from './figures.ts'
import { GOALS, KINDS, SHAPES } from './parts.ts'

describe('ratioOf', () => {
  test('neither disturbed rounds nor lucky ones count', () => {
    const rounds = { ours: [200, 3, 201, 9000, 199], other: [9000, 100, 100, 1, 101] }
    expect(ratioOf(rounds, 'ours', 'other')).toBe(2)
  })

  test('is no number where there is nothing to compare with', () => {
    expect(ratioOf({ ours: [1] }, 'ours', 'other')).toBeNaN()
  })
})

test('percentile sorts by number', () => {
  expect(percentile([10, 9, 100, 1], 50)).toBe(10)
  expect(percentile([10, 9, 100, 1], 99)).toBe(100)
  expect(percentile([], 50)).toBeNaN()
})

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

test('a table has its first column to the left and figures to the right', () => {
  expect(
    table([
      ['name', 'rate'],
      ['ours', '1,000'],
      ['another', '9'],
    ]),
  ).toBe('name      rate\nours     1,000\nanother      9')
})
