/**
 * Waits until nothing moves any more between the simulator and the clients in its process: no byte in either direction,
 * no work begun and not ended, everything that was written read. It counts turns of the event loop and sets no timer.
 */
import type { Socket } from 'node:net'
import type { LocalClients } from './local-clients.ts'

/** What is watched. */
export interface SettleContext {
  readonly clients: LocalClients
  /** The simulator's side of all connections. */
  readonly sockets: () => Iterable<Socket>
  /** Whether every stream has handed all that it has to send to its connection. */
  readonly isSent: () => boolean
  /** Grows with whatever arrives and is sent. */
  readonly activity: () => number
}

/** Turns without a change after which it is quiet. */
const QUIET_TURNS = 10
/** The same where nobody is connected and nothing was begun: a scenario of many steps needs no more. */
const ALONE_TURNS = 3
/** After so many a client does not take more because it does not want to. */
const MOST_IDLE_TURNS = 200
/** The same while bytes are between the two ends: a busy host delivers them late, also from itself to itself. */
const MOST_TURNS_ON_THE_WAY = 2000

/** Makes the wait. */
export function createSettle({ clients, sockets, isSent, activity }: SettleContext): () => Promise<void> {
  /** What had been read on a connection when it was given up. It is not waited for again before one end reads on. */
  const givenUpAt = new WeakMap<Socket, number>()

  const look = () => {
    let moved = activity() + clients.begun
    let isAlone = true
    let isRead = true
    const onTheWay: { readonly socket: Socket; readonly read: number }[] = []
    for (const socket of sockets()) {
      isAlone = false
      moved += 1 + socket.bytesRead + socket.bytesWritten
      const { written, read } = clients.traffic(socket) ?? { written: 0, read: 0 }
      moved += read
      if (read >= written) continue
      isRead = false
      if (givenUpAt.get(socket) !== read) onTheWay.push({ socket, read })
    }
    return { moved, isAlone, isRest: isRead && clients.pending === 0 && isSent(), onTheWay }
  }

  return async () => {
    const endWatch = clients.watch()
    try {
      const first = clients.begun
      let before = look().moved
      let isStuck = false
      for (let turns = 0; ; turns += 1) {
        // Not in a hurry: who has to do something for it to go on may need the processor.
        if (clients.begun !== first || isStuck) await clients.passThreads()
        await new Promise<void>((resolve) => setImmediate(resolve))
        const { moved, isAlone, isRest, onTheWay } = look()
        const enough = isAlone && clients.begun === first ? ALONE_TURNS : QUIET_TURNS
        const most = onTheWay.length > 0 ? MOST_TURNS_ON_THE_WAY : MOST_IDLE_TURNS
        if (moved !== before) turns = 0
        else if (turns >= (isRest ? enough : most)) {
          for (const { socket, read } of onTheWay) givenUpAt.set(socket, read)
          return
        }
        isStuck = moved === before && !isRest
        before = moved
      }
    } finally {
      endWatch()
    }
  }
}
