/**
 * Waits until there is no activity between the simulator and the clients in its process: no bytes in transit, no
 * running work, and everything sent was read. It counts turns of the event loop and sets no timer.
 */
import type { Socket } from 'node:net'
import { connectionOf, type LocalClients } from './local-clients.ts'

/** Dependencies of the wait. */
export interface SettleContext {
  readonly clients: Pick<
    LocalClients,
    'traffic' | 'pending' | 'begun' | 'forgetPending' | 'passThreads' | 'nap' | 'watch'
  >
  /** Server-side sockets of all connections. */
  readonly sockets: () => Iterable<Socket>
  /** Connections that are paused by backpressure, as {@link connectionOf} names them. */
  readonly held: () => ReadonlySet<string>
}

/** Options of a wait. */
export interface SettleOptions {
  /** Whether clients ran before it and may have started work that was not counted. */
  readonly isFirst?: boolean | undefined
}

/** Number of turns without a change after which it resolves. */
const QUIET_TURNS = 10
/** The same if there is no connection and no work: a scenario of many steps needs no more. */
const ALONE_TURNS = 3
/** Number of turns after which a client that does not read is ignored. */
const MOST_IDLE_TURNS = 200
/**
 * The same while bytes are in transit, which a busy host may deliver late, and while a thread works, which may take any
 * time. Turns beyond {@link MOST_IDLE_TURNS} last at least a millisecond.
 */
const MOST_LATE_TURNS = 500
const MOST_WORKING_TURNS = 5000
/**
 * Number of turns, with changes, after which a client counts as endless: it sends a new request after each response.
 */
const MOST_TURNS = 10_000

/** One snapshot of all activity. */
interface Look {
  readonly traffic: ReadonlyMap<Socket, number>
  readonly begun: number
  readonly pending: number
  readonly behind: readonly { readonly socket: Socket; readonly read: number; readonly isLate: boolean }[]
}

/** Creates the wait. */
export function createSettle(context: SettleContext): (options?: SettleOptions) => Promise<void> {
  const { clients } = context
  /**
   * Bytes that had been read on a connection when it was ignored. It is waited for again after one end has read more.
   */
  const givenUpAt = new WeakMap<Socket, number>()
  let mostTurns = MOST_TURNS

  const look = (): Look => {
    const traffic = new Map<Socket, number>()
    const behind: Look['behind'][number][] = []
    const held = context.held()
    for (const socket of context.sockets()) {
      const { read, isOnTheWay } = clients.traffic(socket) ?? { read: socket.bytesRead, isOnTheWay: false }
      traffic.set(socket, socket.bytesWritten + socket.bytesRead + read)
      if (isOnTheWay || (held.size > 0 && held.has(connectionOf(socket)))) {
        const before = givenUpAt.get(socket)
        // A connection that was ignored and then reads more is slow, but not late.
        if (before !== read) behind.push({ socket, read, isLate: isOnTheWay && before === undefined })
      } else {
        givenUpAt.delete(socket)
      }
    }
    return { traffic, begun: clients.begun, pending: clients.pending, behind }
  }

  return async ({ isFirst = false } = {}) => {
    const endWatch = clients.watch()
    try {
      const { begun } = clients
      let isBusy = clients.pending > 0
      let before = look()
      let isStuck = false
      let idle = 0
      for (let turns = 0; ; turns += 1) {
        // Slows down: whoever must act next may need the processor.
        const isSlow = isStuck || (isBusy && idle > 0) || (isFirst && turns < ALONE_TURNS)
        if (isSlow) await clients.passThreads()
        if (idle >= MOST_IDLE_TURNS) clients.nap()
        await new Promise<void>((resolve) => setImmediate(resolve))
        const now = look()
        isBusy ||= now.begun !== begun
        const isRest = now.behind.length === 0 && now.pending === 0
        const hasMoved = isOther(before, now)
        idle = hasMoved ? 0 : idle + 1
        isStuck = !(hasMoved || isRest)
        before = now
        if (turns < mostTurns && idle < turnsFor(now, isRest, isBusy)) continue
        mostTurns = turns < mostTurns ? MOST_TURNS : MOST_IDLE_TURNS
        for (const { socket, read } of now.behind) givenUpAt.set(socket, read)
        clients.forgetPending()
        return
      }
    } finally {
      endWatch()
    }
  }
}

/** Number of turns without a change after which the wait ends. */
function turnsFor({ traffic, pending, behind }: Look, isRest: boolean, isBusy: boolean): number {
  if (isRest) return traffic.size === 0 && !isBusy ? ALONE_TURNS : QUIET_TURNS
  if (pending > 0) return MOST_WORKING_TURNS
  return behind.some(({ isLate }) => isLate) ? MOST_LATE_TURNS : MOST_IDLE_TURNS
}

/** Compared one by one: in a sum, a closed connection could hide bytes that another one has read. */
function isOther(before: Look, now: Look): boolean {
  if (before.begun !== now.begun || before.pending !== now.pending) return true
  if (before.traffic.size !== now.traffic.size) return true
  for (const [socket, bytes] of now.traffic) if (before.traffic.get(socket) !== bytes) return true
  return false
}
