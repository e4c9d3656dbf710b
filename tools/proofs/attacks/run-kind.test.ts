import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { AttackContext, Kind } from './kind.ts'
import { runKind } from './run-kind.ts'

const kindOf = (run: (context: AttackContext) => void | Promise<void>): Kind => ({
  name: 'a kind',
  promise: 'it holds',
  counts: [10, 1],
  run: async (context) => run(context),
})

test('counts attacks by sort, and holds where none broke anything', async () => {
  const outcome = await runKind(
    kindOf(({ attack, count }) => {
      for (let n = 0; n < count; n += 1) attack(n % 2 === 0 ? 'even' : 'odd')
    }),
    1,
    5,
  )
  expect(outcome).toEqual({
    sorts: new Map([
      ['even', 3],
      ['odd', 2],
    ]),
    attacks: 5,
    broken: [],
  })
})

test('the same seed draws the same, another one something else', async () => {
  const draws: string[] = []
  const kind = kindOf(({ attack, random }) => {
    attack('draw')
    draws.push(random.text(40) + random.fork('part').hex(8))
  })
  for (const seed of [7, 7, 8]) await runKind(kind, seed, 1)
  expect(draws[0]).toBe(draws[1])
  expect(draws[0]).not.toBe(draws[2])
})

test('a kind that throws, that tells of a break, or that attacks nothing does not hold', async () => {
  const thrown = await runKind(
    kindOf(({ attack }) => {
      attack('once')
      throw new Error('the attack itself fell')
    }),
    1,
    1,
  )
  expect(thrown.broken).toEqual([expect.stringContaining('the attack itself fell')])
  const told = await runKind(
    kindOf(({ attack, broken }) => {
      attack('once')
      broken('a forgery was accepted')
    }),
    1,
    1,
  )
  expect(told.broken).toEqual(['a forgery was accepted'])
  expect(
    (
      await runKind(
        kindOf(() => {}),
        1,
        1,
      )
    ).broken,
  ).toEqual(['nothing was attacked'])
})

test('what was opened is closed in the opposite order, and the folder is gone, also after a throw', async () => {
  const ended: string[] = []
  let folder = ''
  await runKind(
    kindOf((context) => {
      context.attack('once')
      folder = context.folder
      expect(existsSync(folder)).toBe(true)
      context.atEnd(() => ended.push('first'))
      context.atEnd(async () => ended.push('second'))
      throw new Error('in the middle')
    }),
    1,
    1,
  )
  expect(ended).toEqual(['second', 'first'])
  expect(existsSync(folder)).toBe(false)
})
