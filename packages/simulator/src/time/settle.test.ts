/** Settling without a network. The test decides after how many turns an event happens. */
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { getConnectionName, type Traffic } from './in-process-clients.ts'
import { createSettle } from './settle.ts'

const IS_READ: Traffic = { read: 0, isInTransit: false }

function begin() {
  let passes = 0
  let looks = 0
  let naps = 0
  const end = { bytesRead: 0, bytesWritten: 1000, remoteAddress: '127.0.0.1', remotePort: 1, localPort: 2 }
  const state = {
    sockets: [end] as { bytesRead: number; bytesWritten: number }[],
    traffic: IS_READ,
    held: false,
    pending: 0,
    begun: 0,
    onTurn: (_turn: number): void => undefined,
  }
  const settle = createSettle({
    clients: {
      traffic: () => state.traffic,
      get pending() {
        return state.pending
      },
      get started() {
        return state.begun
      },
      ignorePending() {
        state.pending = 0
      },
      async waitForThreadPool() {
        passes += 1
      },
      yieldToThreads() {
        naps += 1
      },
      trackWork: () => () => undefined,
    },
    sockets() {
      looks += 1
      state.onTurn(looks)
      return state.sockets as Socket[]
    },
    pausedConnections: () => new Set(state.held ? [getConnectionName(end as Socket)] : []),
  })
  const during = async (work: () => Promise<void>) => {
    const before = { passes, looks, naps }
    await work()
    return { passes: passes - before.passes, turns: looks - before.looks, naps: naps - before.naps }
  }
  return { settle, state, during }
}

const ON_THE_WAY: Traffic = { read: 0, isInTransit: true }

test.each([
  ['bytes in transit', { traffic: ON_THE_WAY }, 400],
  ['a closed flow control window', { held: true }, 100],
  ['work on the thread pool', { pending: 1 }, 4000],
])('activity is waited for, however late a busy host is: %s', async (_, what, after) => {
  const { settle, state } = begin()
  Object.assign(state, what)
  let isThere = false
  state.onTurn = (turn) => {
    if (turn < after) return
    isThere = true
    Object.assign(state, { traffic: IS_READ, held: false, pending: 0 })
  }
  await settle()
  expect(isThere).toBe(true)
})

test.each([
  ['bytes in transit', { traffic: ON_THE_WAY }, 450, 550],
  ['a closed flow control window', { held: true }, 150, 250],
  ['work on the thread pool', { pending: 1 }, 4900, 5100],
])(
  'activity that never ends is waited for once, not at each step of a long advance: %s',
  async (_, what, least, most) => {
    const { settle, state, during } = begin()
    Object.assign(state, what)
    const { passes, naps } = await during(settle)
    expect(passes).toBeGreaterThan(least)
    expect(passes).toBeLessThan(most)
    // A fast host completes that many turns quickly, so the waits must take real time.
    expect(Math.abs(naps - Math.max(passes - 200, 0))).toBeLessThan(5)
    const later = await during(async () => {
      for (let step = 0; step < 10; step += 1) await settle()
    })
    expect(later.passes).toBe(0)
    expect(later.turns).toBeLessThan(10 * 15)
  },
)

test('a client that reads slowly is waited for until it has read everything', async () => {
  const { settle, state, during } = begin()
  state.traffic = ON_THE_WAY
  await settle()
  const slow = await during(async () => {
    for (let step = 1; step <= 10; step += 1) {
      state.traffic = { read: step, isInTransit: true }
      await settle()
    }
  })
  expect(slow.passes).toBeGreaterThan(10 * 150)
  expect(slow.passes).toBeLessThan(10 * 250)
  state.traffic = { read: 1000, isInTransit: false }
  await settle()
  state.traffic = { read: 1000, isInTransit: true }
  expect((await during(settle)).passes).toBeGreaterThan(450)
})

test('a client that sends a request after each response is waited for only some thousand turns, once', async () => {
  const { settle, state, during } = begin()
  const [socket] = state.sockets
  state.onTurn = () => {
    if (socket !== undefined) socket.bytesRead += 1
  }
  expect((await during(settle)).turns).toBeLessThan(10_100)
  expect((await during(settle)).turns).toBeLessThan(250)
  state.onTurn = () => undefined
  await settle()
  state.onTurn = (turn) => {
    if (socket !== undefined && turn % 9 === 0) socket.bytesRead += 1
  }
  expect((await during(settle)).turns).toBeGreaterThan(9900)
})

test('a connection that closes does not hide reads of another one', async () => {
  const { settle, state } = begin()
  const [first] = state.sockets
  let moves = 0
  state.onTurn = () => {
    if (moves === 50) return
    moves += 1
    // One connection gains as many bytes as the other loses.
    const bytesWritten = 1000 + moves
    state.sockets = [...(first === undefined ? [] : [first]), { bytesRead: 0, bytesWritten }]
    if (first !== undefined) first.bytesWritten = 1000 - moves
  }
  await settle()
  expect(moves).toBe(50)
})

test('completed work counts as a change, so that its consequences are waited for', async () => {
  const { settle, state } = begin()
  state.pending = 1
  let endedAt = 0
  state.onTurn = (turn) => {
    if (turn < 30) return
    state.pending = 0
    endedAt ||= turn
    if (turn === endedAt + 5) state.begun += 1
  }
  await settle()
  expect(state.begun).toBe(1)
})
