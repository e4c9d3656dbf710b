import { describe, expect, test } from 'vitest'
import { layOut, STATE_HEIGHT, STATE_WIDTH } from './machine-layout.ts'

const move = (from: string, to: string, on = 'it') => ({ from, to, on })

const TOKEN = [
  move('PENDING', 'NORMAL', 'approved'),
  move('PENDING', 'INVALID', 'ended'),
  move('PENDING', 'EXPIRED', 'ended'),
  move('PENDING', 'EXPIRED', 'too late'),
  move('NORMAL', 'INVALID', 'ended'),
  move('NORMAL', 'EXPIRED', 'over'),
]

describe('a machine is drawn from its table', () => {
  test('states that no move leaves share the last column', () => {
    const { states } = layOut(TOKEN)
    expect(states.filter(({ isFinal }) => isFinal).map(({ name }) => name)).toEqual(['INVALID', 'EXPIRED'])
    const [pending, normal, invalid, expired] = states
    expect(pending?.x).toBeLessThan(normal?.x ?? 0)
    expect(normal?.x).toBeLessThan(invalid?.x ?? 0)
    expect(invalid?.x).toBe(expired?.x)
  })

  test('all transitions from one state to another are one arrow with all their names', () => {
    const { moves } = layOut(TOKEN)
    expect(moves).toHaveLength(5)
    expect(moves.find(({ from, to }) => from === 'PENDING' && to === 'EXPIRED')?.on).toEqual([
      'ended',
      'too late',
    ])
  })

  test.each([
    ['the token', TOKEN],
    ['a chain', [move('a', 'b'), move('b', 'c'), move('c', 'd')]],
    ['a circle', [move('a', 'b'), move('b', 'a')]],
    ['three ends', [move('a', 'b'), move('a', 'c'), move('a', 'd')]],
    ['nothing', []],
  ])('no two states overlap, and all stand within the drawing: %s', (_name, table) => {
    const { states, width, height } = layOut(table)
    for (const one of states) {
      expect(one.x >= 0 && one.x + STATE_WIDTH <= width).toBe(true)
      expect(one.y >= 0 && one.y + STATE_HEIGHT <= height).toBe(true)
      for (const other of states) {
        const isApart =
          one === other ||
          Math.abs(one.x - other.x) >= STATE_WIDTH ||
          Math.abs(one.y - other.y) >= STATE_HEIGHT
        expect([one.name, other.name, isApart]).toEqual([one.name, other.name, true])
      }
    }
  })
})
