/** What is waited for, without a network: how many turns pass before it is there is up to the test. */
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createSettle } from './settle.ts'

/** @param comesAfter - So many passes until what is waited for is there; it never is: `Infinity`. */
function begin(where: 'on its way' | 'held by a window', comesAfter: number) {
  let passes = 0
  let read = 0
  const isThere = (): boolean => passes >= comesAfter
  const socket = { bytesRead: 0, bytesWritten: 1000 } as Socket
  const settle = createSettle({
    clients: {
      traffic: () =>
        where === 'on its way' ? { written: 1000, read: isThere() ? 1000 : read } : { written: 1, read: 1 },
      isHere: () => true,
      pending: 0,
      begun: 0,
      async passThreads() {
        passes += 1
      },
      watch: () => () => undefined,
      close: () => undefined,
    },
    sockets: () => [socket],
    isSent: () => where === 'on its way' || isThere(),
    activity: () => 0,
  })
  return {
    settle,
    isThere,
    passes: () => passes,
    readOn: () => {
      read += 1
    },
  }
}

test.each([
  ['on its way', 1000],
  ['held by a window', 100],
] as const)('what is %s is waited for, however late a busy host delivers it', async (where, after) => {
  const { settle, isThere } = begin(where, after)
  await settle()
  expect(isThere()).toBe(true)
})

test.each([
  ['on its way', 1900, 2100],
  ['held by a window', 150, 250],
] as const)('what is %s and never comes is not waited for for ever', async (where, least, most) => {
  const { settle, passes } = begin(where, Number.POSITIVE_INFINITY)
  await settle()
  expect(passes()).toBeGreaterThan(least)
  expect(passes()).toBeLessThan(most)
})

test('a client that does not read costs the long wait once, not at each step of a long way, until it reads on', async () => {
  const { settle, passes, readOn } = begin('on its way', Number.POSITIVE_INFINITY)
  await settle()
  const once = passes()
  for (let step = 0; step < 10; step += 1) await settle()
  expect(passes() - once).toBeLessThan(10 * 250)
  const before = passes()
  readOn()
  await settle()
  expect(passes() - before).toBeGreaterThan(1900)
})
