/**
 * The connections of a transport. A call uses the open connection, or a new one if the open connection
 * accepts no more calls.
 *
 * Calls that start while a connection is opened share it. If all of them are cancelled, opening is cancelled too.
 */
import { abortable } from '@brokerwire/core/internal'
import { Code, ConnectError } from '@connectrpc/connect'
import { closedError, Http2Connection } from './http2-connection.ts'
import type { KeepAliveBackoff } from './keep-alive-runner.ts'
import type { TransportSettings } from './options.ts'
import { openSocket } from './socket.ts'

interface Opening {
  readonly connection: Promise<Http2Connection>
  readonly abort: AbortController
  waiting: number
}

/** The connections of one transport. Nothing is opened before the first call. */
export class Connections {
  readonly #settings: TransportSettings
  readonly #keepAlive: KeepAliveBackoff
  /** All open connections, including those that accept no more calls. */
  readonly #connected = new Set<Http2Connection>()
  #current: Http2Connection | undefined
  /** Number of calls that used the current connection. */
  #callsOnCurrent = 0
  #opening: Opening | undefined
  #closed = false

  constructor(settings: TransportSettings, keepAlive: KeepAliveBackoff) {
    this.#settings = settings
    this.#keepAlive = keepAlive
  }

  /**
   * Returns a connection for a call, and opens one if necessary.
   *
   * @param maxCalls - Maximum number of calls on the connection, including this call. It is set if a server
   * refused this call on another connection after it had processed that many calls there.
   * @throws ConnectError `unavailable`, or the signal's reason.
   */
  async acquire(signal: AbortSignal, maxCalls = Infinity): Promise<Http2Connection> {
    for (;;) {
      if (this.#closed) throw closedError()
      if (this.#current?.isUsable === true && this.#callsOnCurrent < maxCalls) {
        this.#callsOnCurrent++
        return this.#current
      }
      const joined = await this.#join(signal)
      if (!joined.isUsable)
        throw (
          joined.connectionError ??
          new ConnectError('the server accepts no calls on a new connection', Code.Unavailable)
        )
    }
  }

  /** Closes all connections. Open calls fail. */
  close(): void {
    this.#closed = true
    this.#opening?.abort.abort(closedError())
    for (const connection of this.#connected) connection.close()
  }

  #open(): Opening {
    const abort = new AbortController()
    const connection = openSocket(this.#settings, abort).then(
      (socket) => new Http2Connection(socket, this.#settings, this.#keepAlive),
    )
    const started: Opening = { connection, abort, waiting: 0 }
    const onSettled = (): void => {
      if (this.#opening === started) this.#opening = undefined
    }
    connection.then((ready) => {
      onSettled()
      if (this.#closed || abort.signal.aborted) {
        ready.close()
        return
      }
      // The previous connection may still accept calls, but not those with a lower maxCalls.
      this.#current?.drain()
      this.#current = ready
      this.#callsOnCurrent = 0
      this.#connected.add(ready)
      ready.session.once('close', () => this.#connected.delete(ready))
    }, onSettled)
    return started
  }

  async #join(signal: AbortSignal): Promise<Http2Connection> {
    this.#opening ??= this.#open()
    const joined = this.#opening
    joined.waiting++
    try {
      return await abortable(joined.connection, signal)
    } finally {
      joined.waiting--
      if (joined.waiting === 0 && this.#opening === joined) {
        this.#opening = undefined
        joined.abort.abort(closedError())
      }
    }
  }
}
