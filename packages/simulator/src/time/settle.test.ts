/** What is waited for, without a network: how many turns pass before it is there is up to the test. */
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createSettle } from './settle.ts'

/** @param comesAfter - So many passes until the bytes that are on their way are there; they never are: `Infinity`. */
function begin(where: 'to the client' | 'to the simulator' | 'held by a window', comesAfter: number) {
  let passes = 0
  const isThere = (): boolean => passes >= comesAfter
  const is = (here: typeof where): boolean => where !== here || isThere()
  const socket = { bytesRead: 0, bytesWritten: 1000 } as Socket
  const settle = createSettle({
    clients: {
      hasRead: () => is('to the client'),
      hasArrived: () => is('to the simulator'),
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
    isSent: () => is('held by a window'),
    activity: () => (isThere() ? 1 : 0),
  })
  return { settle, isThere, passes: () => passes }
}

test.each([
  ['to the client', 1000],
  ['to the simulator', 1000],
  ['held by a window', 100],
] as const)(
  'bytes on their way %s are waited for, however late a busy host delivers them',
  async (where, after) => {
    const { settle, isThere } = begin(where, after)
    await settle()
    expect(isThere()).toBe(true)
  },
)

test.each(['to the client', 'to the simulator', 'held by a window'] as const)(
  'bytes %s that never come are not waited for for ever',
  async (where) => {
    const { settle, passes } = begin(where, Number.POSITIVE_INFINITY)
    await settle()
    expect(passes()).toBeGreaterThan(100)
    expect(passes()).toBeLessThan(3000)
  },
)
