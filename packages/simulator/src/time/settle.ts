/**
 * Waits until nothing moves any more between the simulator and the clients in its process: no byte in either direction,
 * no work begun and not ended, everything that was written read. It counts turns of the event loop and sets no timer.
 */
import type { Socket } from 'node:net'
import { connectionOf, type LocalClients } from './local-clients.ts'

/** What is watched. */
export interface SettleContext {
  readonly clients: Pick<
    LocalClients,
    'traffic' | 'pending' | 'begun' | 'forgetPending' | 'passThreads' | 'nap' | 'watch'
  >
  /** The simulator's side of all connections. */
  readonly sockets: () => Iterable<Socket>
  /** Connections over which a stream has more to send than they take, as {@link connectionOf} names them. */
  readonly held: () => ReadonlySet<string>
}

/** A wait. */
export interface SettleOptions {
  /** Whether clients had the processor before it, so that they may have begun what nobody counted. */
  readonly isFirst?: boolean | undefined
}

/** Turns without a change after which it is quiet. */
const QUIET_TURNS = 10
/** The same where nobody is connected and nothing was begun: a scenario of many steps needs no more. */
const ALONE_TURNS = 3
/** After so many a client does not take more because it does not want to. */
const MOST_IDLE_TURNS = 200
/**
 * The same while bytes are between the two ends, which a busy host may deliver late, and while a thread works, which may
 * take as long as it needs. Turns beyond {@link MOST_IDLE_TURNS} last a millisecond at least.
 */
const MOST_LATE_TURNS = 500
const MOST_WORKING_TURNS = 5000
/** After so many turns, with changes in between, a client goes on for ever: it asks again for each answer. */
const MOST_TURNS = 10_000

/** One look at everything. */
interface Look {
  readonly traffic: ReadonlyMap<Socket, number>
  readonly begun: number
  readonly pending: number
  readonly behind: readonly { readonly socket: Socket; readonly read: number; readonly isLate: boolean }[]
}

/** Makes the wait. */
export function createSettle(context: SettleContext): (options?: SettleOptions) => Promise<void> {
  const { clients } = context
  /** What had been read on a connection when it was given up. It is not waited for again before one end reads on. */
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
        // One that was given up, and reads on, is not late: it is slow.
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
        // Not in a hurry: who has to do something for it to go on may need the processor.
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

/** Turns without a change after which it is over. */
function turnsFor({ traffic, pending, behind }: Look, isRest: boolean, isBusy: boolean): number {
  if (isRest) return traffic.size === 0 && !isBusy ? ALONE_TURNS : QUIET_TURNS
  if (pending > 0) return MOST_WORKING_TURNS
  return behind.some(({ isLate }) => isLate) ? MOST_LATE_TURNS : MOST_IDLE_TURNS
}

/** Each by itself: in a sum, a connection that closes could hide what another one has read. */
function isOther(before: Look, now: Look): boolean {
  if (before.begun !== now.begun || before.pending !== now.pending) return true
  if (before.traffic.size !== now.traffic.size) return true
  for (const [socket, bytes] of now.traffic) if (before.traffic.get(socket) !== bytes) return true
  return false
}
