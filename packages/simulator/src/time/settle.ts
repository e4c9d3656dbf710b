/**
 * Waits until there is no activity between the simulator and the clients in its process: no bytes are in
 * transit, no work is running, and everything that was sent has been read. The wait counts turns of the event
 * loop and sets no timer.
 */
import type { Socket } from 'node:net'
import { getConnectionName, type InProcessClients } from './in-process-clients.ts'

/** Dependencies of the wait. */
export interface SettleContext {
  readonly clients: Pick<
    InProcessClients,
    'traffic' | 'pending' | 'started' | 'ignorePending' | 'waitForThreadPool' | 'yieldToThreads' | 'trackWork'
  >
  /** Server-side sockets of all connections. */
  readonly sockets: () => Iterable<Socket>
  /** Connections that are paused by backpressure, as {@link getConnectionName} names them. */
  readonly pausedConnections: () => ReadonlySet<string>
}

/** Options of a wait. */
export interface SettleOptions {
  /** Whether clients were active before this wait, and may have started work that was not counted. */
  readonly isFirst?: boolean | undefined
}

/** Number of turns without a change after which the wait ends. */
const IDLE_TURNS = 10
/** The same limit if there are no connections and no work, so that scenarios with many steps are fast. */
const IDLE_TURNS_WITHOUT_CLIENTS = 3
/** Number of turns after which the wait ignores a client that does not read. */
const MAX_IDLE_TURNS = 200
/**
 * The same limits while bytes are in transit, and while a thread works. A busy host may deliver bytes late,
 * and the work of a thread may take any time. Turns after {@link MAX_IDLE_TURNS} last at least a millisecond.
 */
const MAX_TRANSIT_TURNS = 500
const MAX_WORKING_TURNS = 5000
/**
 * Maximum number of turns of one wait. It ends the wait for a client that sends a new request after each
 * response and never stops.
 */
const MAX_TURNS = 10_000

/** One snapshot of all activity. */
interface Snapshot {
  readonly traffic: ReadonlyMap<Socket, number>
  readonly started: number
  readonly pending: number
  readonly unread: readonly {
    readonly socket: Socket
    readonly read: number
    readonly isInTransit: boolean
  }[]
}

/** Creates the wait. */
export function createSettle(context: SettleContext): (options?: SettleOptions) => Promise<void> {
  const { clients } = context
  /**
   * Number of bytes that had been read on a connection when a wait stopped waiting for it. When either end of
   * the connection has read more, a wait includes the connection again.
   */
  const ignoredAt = new WeakMap<Socket, number>()
  let turnLimit = MAX_TURNS

  const takeSnapshot = (): Snapshot => {
    const traffic = new Map<Socket, number>()
    const unread: Snapshot['unread'][number][] = []
    const paused = context.pausedConnections()
    for (const socket of context.sockets()) {
      const { read, isInTransit } = clients.traffic(socket) ?? { read: socket.bytesRead, isInTransit: false }
      traffic.set(socket, socket.bytesWritten + socket.bytesRead + read)
      if (isInTransit || (paused.size > 0 && paused.has(getConnectionName(socket)))) {
        const previous = ignoredAt.get(socket)
        // A connection that was ignored and then reads more has a slow reader. Its bytes do not count as in
        // transit.
        if (previous !== read)
          unread.push({ socket, read, isInTransit: isInTransit && previous === undefined })
      } else {
        ignoredAt.delete(socket)
      }
    }
    return { traffic, started: clients.started, pending: clients.pending, unread }
  }

  return async ({ isFirst = false } = {}) => {
    const stopTracking = clients.trackWork()
    try {
      const { started } = clients
      let isBusy = clients.pending > 0
      let previous = takeSnapshot()
      let isStuck = false
      let idle = 0
      for (let turns = 0; ; turns += 1) {
        // The wait slows down, because another thread or process may need the CPU.
        const isSlow = isStuck || (isBusy && idle > 0) || (isFirst && turns < IDLE_TURNS_WITHOUT_CLIENTS)
        if (isSlow) await clients.waitForThreadPool()
        if (idle >= MAX_IDLE_TURNS) clients.yieldToThreads()
        await new Promise<void>((resolve) => setImmediate(resolve))
        const now = takeSnapshot()
        isBusy ||= now.started !== started
        const isIdle = now.unread.length === 0 && now.pending === 0
        const hasMoved = hasChanged(previous, now)
        idle = hasMoved ? 0 : idle + 1
        isStuck = !(hasMoved || isIdle)
        previous = now
        if (turns < turnLimit && idle < getTurnLimit(now, isIdle, isBusy)) continue
        turnLimit = turns < turnLimit ? MAX_TURNS : MAX_IDLE_TURNS
        for (const { socket, read } of now.unread) ignoredAt.set(socket, read)
        clients.ignorePending()
        return
      }
    } finally {
      stopTracking()
    }
  }
}

/** Returns the number of turns without a change after which the wait ends. */
function getTurnLimit({ traffic, pending, unread }: Snapshot, isIdle: boolean, isBusy: boolean): number {
  if (isIdle) return traffic.size === 0 && !isBusy ? IDLE_TURNS_WITHOUT_CLIENTS : IDLE_TURNS
  if (pending > 0) return MAX_WORKING_TURNS
  return unread.some(({ isInTransit }) => isInTransit) ? MAX_TRANSIT_TURNS : MAX_IDLE_TURNS
}

/**
 * Whether there was activity between two snapshots. Connections are compared one by one, because in a sum a
 * closed connection could hide the bytes that another connection has read.
 */
function hasChanged(previous: Snapshot, now: Snapshot): boolean {
  if (previous.started !== now.started || previous.pending !== now.pending) return true
  if (previous.traffic.size !== now.traffic.size) return true
  for (const [socket, bytes] of now.traffic) if (previous.traffic.get(socket) !== bytes) return true
  return false
}
