/**
 * One HTTP/2 connection: flow-control windows, GOAWAY, keep-alive, and the error of a lost connection.
 *
 * The window of the connection is always larger than the windows of its streams together, by the window of
 * one stream. So a stream with a slow consumer never stops another one.
 */
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import type { Duplex } from 'node:stream'
import { Code, ConnectError } from '@connectrpc/connect'
import { EndedSessionWatch } from './ended-session-watch.ts'
import { quoted } from './grpc-status.ts'
import { type KeepAliveBackoff, KeepAliveRunner, monotonicClock } from './keep-alive-runner.ts'
import type { TransportSettings } from './options.ts'
import { keepSessionHandle } from './session-handle.ts'

/** The largest flow-control window (RFC 9113, section 6.9.1). */
const MAX_WINDOW = 0x7f_ff_ff_ff
const { NGHTTP2_ENHANCE_YOUR_CALM } = constants
/** Longest time for which a closed connection still sends the data that was written. */
const FLUSH_MS = 1000

/** A call of a connection. */
export interface ConnectedCall {
  /** Whether reading is paused because the consumer is slow. */
  readonly paused: boolean
  /** Ends the call, because this side closed the connection. */
  fail(reason: ConnectError): void
  /** Called after GOAWAY: the server does not process streams with a higher id. */
  onGoaway(lastStreamId: number): void
}

/** A connection for any number of calls. */
export class Http2Connection {
  readonly session: ClientHttp2Session
  readonly #socket: Duplex
  readonly #settings: TransportSettings
  readonly #pings: KeepAliveRunner
  readonly #endedWatch: EndedSessionWatch
  readonly #calls = new Set<ConnectedCall>()
  #windowStreams = 0
  /** The error of the connection's calls, after the connection was lost. */
  connectionError: ConnectError | undefined
  #goaway: string | undefined
  /** Whether the connection accepts no more calls. */
  #draining = false
  #idleTimer: NodeJS.Timeout | undefined

  /** @param keepAlive - The PING intervals of the server. They increase after ENHANCE_YOUR_CALM. */
  constructor(socket: Duplex, settings: TransportSettings, keepAlive: KeepAliveBackoff) {
    this.#socket = socket
    this.#settings = settings
    // Added before the listeners of http2, because these reset the streams, and the calls then need the
    // error.
    socket.on('error', (error) => {
      this.#lose('the connection was lost', error)
      // A TLSSocket does not destroy itself.
      socket.destroy()
    })
    socket.on('close', () => this.#lose('the connection was lost'))
    const session = connect(settings.baseUrl.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: settings.streamWindowBytes },
    })
    this.session = session
    keepSessionHandle(session)
    session.on('error', (error) => this.#lose('the connection failed', error))
    const { policy } = keepAlive
    this.#pings = new KeepAliveRunner(policy, {
      clock: monotonicClock,
      ping: (onAck) => this.#ping(onAck),
      onDead: () => {
        const timeoutMs = policy === false ? 0 : policy.timeoutMs
        this.#lose(`an HTTP/2 PING was not acknowledged within ${timeoutMs} ms`)
        this.#destroy()
      },
    })
    session.on('goaway', (code, lastStreamId, debugData) => {
      this.#draining = true
      this.#goaway = `GOAWAY with code ${code}`
      if (code === NGHTTP2_ENHANCE_YOUR_CALM) this.#goaway += keepAlive.increaseInterval(policy)
      // Diagnostic text (RFC 9113, section 6.8), such as `too_many_pings`.
      if (debugData !== undefined && debugData.length > 0) this.#goaway += `: ${quoted(debugData.toString())}`
      // After an error code, Node resets the streams at once with that code, so the reason is recorded first.
      if (code !== 0) this.#lose('the server ended the connection')
      for (const call of [...this.#calls]) call.onGoaway(lastStreamId)
    })
    this.#endedWatch = new EndedSessionWatch(session, () => {
      this.#lose('the server violated HTTP/2', undefined, Code.Internal)
      // `Infinity`, because all streams may have been processed.
      for (const call of [...this.#calls]) call.onGoaway(Infinity)
      this.#destroy()
    })
    session.on('close', () => {
      this.#pings.stop()
      this.#endedWatch.stop()
      clearTimeout(this.#idleTimer)
    })
    session.once('connect', () => this.#growWindow())
    session.unref()
  }

  get isUsable(): boolean {
    const { closed, destroyed } = this.session
    const over = this.connectionError !== undefined || this.#draining
    return !over && !closed && !destroyed && !this.#socket.destroyed
  }

  /** Number of bytes received; `NaN` after the end of the session. */
  get received(): number {
    return this.session.destroyed ? Number.NaN : this.session.socket.bytesRead
  }

  /** Records that HEADERS or DATA were received. */
  noteActivity(): void {
    this.#pings.noteActivity()
  }

  /** Adds a call to the connection. */
  addCall(call: ConnectedCall): void {
    this.#calls.add(call)
    this.#growWindow()
    clearTimeout(this.#idleTimer)
    if (this.#calls.size === 1) {
      this.session.ref()
      this.#endedWatch.start()
    }
    this.#pings.dispatch({ type: 'call-began' })
  }

  /** Called when reading of a call is paused or resumed. */
  onPauseChange(paused: boolean): void {
    this.#pings.dispatch({ type: paused ? 'paused' : 'resumed' })
  }

  /** Removes a call that has ended. */
  removeCall(call: ConnectedCall): void {
    this.#calls.delete(call)
    this.#pings.dispatch({ type: 'call-ended', paused: call.paused })
    if (this.#calls.size > 0) return
    this.#endedWatch.stop()
    this.session.unref()
    if (this.#draining || this.session.destroyed) this.close()
    else this.#idleTimer = setTimeout(() => this.close(), this.#settings.idleTimeoutMs).unref()
  }

  /** Accepts no more calls, and closes after the last open one. */
  drain(): void {
    this.#draining = true
    if (this.#calls.size === 0) this.close()
  }

  /** Ends the calls, sends what was written, and closes. Later calls do nothing. */
  close(): void {
    this.#draining = true
    for (const call of [...this.#calls]) call.fail(closedError())
    this.#pings.stop()
    this.session.close()
    setTimeout(() => this.#destroy(), FLUSH_MS).unref()
  }

  #lose(text: string, cause?: unknown, code = Code.Unavailable): void {
    const whole = this.#goaway === undefined ? text : `${text} (${this.#goaway})`
    this.connectionError ??= new ConnectError(whole, code, undefined, undefined, cause)
  }

  #ping(onAck: () => void): void {
    // The PING is sent after a request of the same turn, because servers are stricter with PINGs while no
    // call is open. The ACK is reported one turn later, because Node emits it before the response headers
    // that were received first.
    setImmediate(() => {
      if (this.session.destroyed) return
      this.session.ping((error) => {
        if (error === null) setImmediate(onAck)
      })
    })
  }

  /** Enlarges the window of the connection. It never shrinks, because HTTP/2 cannot take back a window. */
  #growWindow(): void {
    const { session } = this
    if (session.destroyed || session.connecting) return
    const streams = Math.max(1, this.#calls.size)
    if (streams <= this.#windowStreams) return
    this.#windowStreams = streams
    session.setLocalWindowSize(Math.min(MAX_WINDOW, (streams + 1) * this.#settings.streamWindowBytes))
  }

  /** Destroys the socket too, because a destroyed session waits for a graceful end, which a lost connection never reaches. */
  #destroy(): void {
    this.session.destroy()
    this.#socket.destroy()
  }
}

/** Creates the error of calls whose connection this side closed. */
export function closedError(): ConnectError {
  return new ConnectError('the transport was closed', Code.Canceled)
}
