/**
 * Which connection a call goes over: the one that is open, or a new one where that takes no more calls.
 *
 * Calls that begin while a connection is being opened share it; when the last of them gives up, so does the opening.
 */
import { abortable } from '@brokerwire/core/internal'
import { Code, ConnectError } from '@connectrpc/connect'
import { closedError, Http2Connection } from './http2-connection.ts'
import type { TransportSettings } from './options.ts'
import type { PingPace } from './ping-watch.ts'
import { openSocket } from './socket.ts'

interface Opening {
  readonly connection: Promise<Http2Connection>
  readonly abort: AbortController
  waiting: number
}

/** Nothing is opened before the first call. */
export class Connections {
  readonly #settings: TransportSettings
  readonly #pace: PingPace
  /** Those that still serve calls, although they take no more, among them. */
  readonly #connected = new Set<Http2Connection>()
  #current: Http2Connection | undefined
  /** Calls that were given the current one. */
  #begun = 0
  #opening: Opening | undefined
  #closed = false

  constructor(settings: TransportSettings, pace: PingPace) {
    this.#settings = settings
    this.#pace = pace
  }

  /**
   * @param place - The call must be among the first so many of its connection: it was refused before by a server that
   * processed that many of another one.
   * @throws ConnectError `unavailable`, or the signal's reason.
   */
  async acquire(signal: AbortSignal, place = Infinity): Promise<Http2Connection> {
    for (;;) {
      if (this.#closed) throw closedError()
      if (this.#current?.usable === true && this.#begun < place) {
        this.#begun++
        return this.#current
      }
      const joined = await this.#join(signal)
      if (!joined.usable) throw joined.lost ?? new ConnectError('the server takes no calls', Code.Unavailable)
    }
  }

  /** Closes what is open; calls that are under way fail. */
  close(): void {
    this.#closed = true
    this.#opening?.abort.abort(closedError())
    for (const connection of this.#connected) connection.close()
  }

  #open(): Opening {
    const abort = new AbortController()
    const connection = openSocket(this.#settings, abort).then(
      (socket) => new Http2Connection(socket, this.#settings, this.#pace),
    )
    const started: Opening = { connection, abort, waiting: 0 }
    const over = (): void => {
      if (this.#opening === started) this.#opening = undefined
    }
    connection.then((ready) => {
      over()
      if (this.#closed || abort.signal.aborted) {
        ready.close()
        return
      }
      // One that still takes calls, but not those that need a place among the first.
      this.#current?.retire()
      this.#current = ready
      this.#begun = 0
      this.#connected.add(ready)
      ready.session.once('close', () => this.#connected.delete(ready))
    }, over)
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
