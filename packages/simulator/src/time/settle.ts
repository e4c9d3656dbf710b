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
/** After so many a client does not read because it does not want to. */
const MOST_IDLE_TURNS = 200

/** Makes the wait. */
export function createSettle({ clients, sockets, isSent, activity }: SettleContext): () => Promise<void> {
  const look = (): { readonly moved: number; readonly isRest: boolean; readonly isAlone: boolean } => {
    let moved = activity() + clients.begun
    let isAlone = true
    let isRest = clients.pending === 0 && isSent()
    for (const socket of sockets()) {
      isAlone = false
      moved += 1 + socket.bytesRead + socket.bytesWritten
      isRest &&= clients.hasRead(socket)
    }
    return { moved, isRest, isAlone }
  }
  return async () => {
    const endWatch = clients.watch()
    try {
      const first = clients.begun
      let before = look().moved
      for (let turns = 0; turns < MOST_IDLE_TURNS; turns += 1) {
        if (clients.begun !== first) await clients.passThreads()
        await new Promise<void>((resolve) => setImmediate(resolve))
        const { moved, isRest, isAlone } = look()
        const enough = isAlone && clients.begun === first ? ALONE_TURNS : QUIET_TURNS
        if (moved !== before) turns = 0
        else if (turns >= enough && isRest) return
        before = moved
      }
    } finally {
      endWatch()
    }
  }
}
