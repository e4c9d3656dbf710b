/**
 * Which connection a call goes over: the one that is open, or a new one where that takes no more calls.
 *
 * Calls that begin while a connection is being opened share it; when the last of them gives up, so does the opening.
 */
import { abortable } from '@brokerwire/core'
import { Code, ConnectError } from '@connectrpc/connect'
import { closedError, type Http2Connection, openHttp2Connection } from './http2-connection.ts'
import type { TransportSettings } from './options.ts'
import type { PingPace } from './ping-watch.ts'

/** The connections of one transport. */
export interface Connections {
  /**
   * @param place - The call must be among the first so many of its connection: it was refused before by a server that
   * processed that many of another one.
   * @throws ConnectError `unavailable`, or the signal's reason.
   */
  acquire(signal: AbortSignal, place?: number): Promise<Http2Connection>
  /** Closes what is open; calls that are under way fail. */
  close(): void
}

interface Opening {
  readonly connection: Promise<Http2Connection>
  readonly abort: AbortController
  waiting: number
}

/** Nothing is opened before the first call. */
export function createConnections(settings: TransportSettings, pace: PingPace): Connections {
  /** Those that still serve calls, although they take no more, among them. */
  const connected = new Set<Http2Connection>()
  let current: Http2Connection | undefined
  /** Calls that were given the current one. */
  let begun = 0
  let opening: Opening | undefined
  let closed = false

  const open = (): Opening => {
    const abort = new AbortController()
    const connection = openHttp2Connection(settings, pace, abort.signal)
    const started: Opening = { connection, abort, waiting: 0 }
    connection.then(
      (ready) => {
        if (opening === started) opening = undefined
        if (closed || abort.signal.aborted) {
          ready.close()
          return
        }
        // One that still takes calls, but not those that need a place among the first.
        current?.retire()
        current = ready
        begun = 0
        connected.add(ready)
        ready.session.once('close', () => connected.delete(ready))
      },
      () => {
        if (opening === started) opening = undefined
      },
    )
    return started
  }

  /** Waits for the connection that is being opened. */
  const join = async (signal: AbortSignal): Promise<Http2Connection> => {
    opening ??= open()
    const joined = opening
    joined.waiting++
    try {
      return await abortable(joined.connection, signal)
    } finally {
      joined.waiting--
      if (joined.waiting === 0 && opening === joined) {
        opening = undefined
        joined.abort.abort(closedError())
      }
    }
  }

  return {
    async acquire(signal, place = Infinity) {
      for (;;) {
        if (closed) throw closedError()
        if (current?.usable === true && begun < place) {
          begun++
          return current
        }
        const joined = await join(signal)
        if (!joined.usable)
          throw joined.lost ?? new ConnectError('the server takes no calls', Code.Unavailable)
      }
    },
    close() {
      if (closed) return
      closed = true
      opening?.abort.abort(closedError())
      for (const connection of connected) connection.close()
    },
  }
}
