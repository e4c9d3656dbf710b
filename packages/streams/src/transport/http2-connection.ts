/**
 * One HTTP/2 connection: windows, GOAWAY, and what it was lost of.
 *
 * Both windows are raised, because either alone gains nothing, and the connection's always has room for one stream
 * more than there are: a stream whose consumer is slow never stops another. When it is asked for a sign of life is
 * decided in `keep-alive.ts`.
 */
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import type { Duplex } from 'node:stream'
import { Code, ConnectError } from '@connectrpc/connect'
import { EndedSessionWatch } from './ended-session-watch.ts'
import { quoted } from './grpc-status.ts'
import type { TransportSettings } from './options.ts'
import { hostClock, type PingPace, PingWatch } from './ping-watch.ts'
import { keepSessionHandle } from './session-handle.ts'

/** RFC 9113, section 6.9.1. */
const MAX_WINDOW = 0x7f_ff_ff_ff
const { NGHTTP2_ENHANCE_YOUR_CALM } = constants
/** How long a connection that is closed may take to send what was written. */
const FLUSH_MS = 1000

/** What a connection asks of a call, and tells it. */
export interface ConnectedCall {
  /** Whether reading is paused because the consumer is slow. */
  readonly paused: boolean
  /** The connection is closed from this side. */
  fail(reason: ConnectError): void
  /** The server processes no stream with a higher number than this. */
  onGoaway(lastStreamId: number): void
}

export class Http2Connection {
  readonly session: ClientHttp2Session
  readonly #socket: Duplex
  readonly #settings: TransportSettings
  readonly #pings: PingWatch
  readonly #endedWatch: EndedSessionWatch
  readonly #calls = new Set<ConnectedCall>()
  #windowStreams = 0
  /** Why its calls fail, once it was lost. */
  lost: ConnectError | undefined
  #goaway: string | undefined
  /** It takes no more calls. */
  #retired = false
  #idleTimer: NodeJS.Timeout | undefined

  /** @param pace - How often it is asked for a sign of life; it learns where the server had too many PINGs. */
  constructor(socket: Duplex, settings: TransportSettings, pace: PingPace) {
    this.#socket = socket
    this.#settings = settings
    // Before http2 adds its own listeners: those reset the streams, and their calls want to know why.
    socket.on('error', (error) => {
      this.#lose('the connection was lost', error)
      // TLS does not do so by itself.
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
    const { policy } = pace
    this.#pings = new PingWatch(policy, {
      clock: hostClock,
      ping: (onAnswer) => this.#ping(onAnswer),
      onDead: () => {
        const timeoutMs = policy === false ? 0 : policy.timeoutMs
        this.#lose(`no answer to an HTTP/2 PING within ${timeoutMs} ms`)
        this.#destroy()
      },
    })
    session.on('goaway', (code, lastStreamId, debugData) => {
      this.#retired = true
      this.#goaway = `GOAWAY with code ${code}`
      if (code === NGHTTP2_ENHANCE_YOUR_CALM) this.#goaway += pace.slowDown(policy)
      // For people (RFC 9113, section 6.8): `too_many_pings`, for example.
      if (debugData !== undefined && debugData.length > 0) this.#goaway += `: ${quoted(debugData.toString())}`
      // With an error Node gives up the streams at once, and under that code instead of the connection's end.
      if (code !== 0) this.#lose('the server ended the connection')
      for (const call of [...this.#calls]) call.onGoaway(lastStreamId)
    })
    this.#endedWatch = new EndedSessionWatch(session, () => {
      this.#lose('the server does not keep to HTTP/2', undefined, Code.Internal)
      // Whatever was sent may have been processed.
      for (const call of [...this.#calls]) call.onGoaway(Infinity)
      this.#destroy()
    })
    session.on('close', () => {
      this.#pings.stop()
      this.#endedWatch.stop()
      clearTimeout(this.#idleTimer)
    })
    session.once('connect', () => this.#widen())
    session.unref()
  }

  get usable(): boolean {
    const { closed, destroyed } = this.session
    const over = this.lost !== undefined || this.#retired
    return !over && !closed && !destroyed && !this.#socket.destroyed
  }

  get received(): number {
    return this.session.destroyed ? Number.NaN : this.session.socket.bytesRead
  }

  /** HEADERS or DATA came. */
  noteData(): void {
    this.#pings.noteData()
  }

  enter(call: ConnectedCall): void {
    this.#calls.add(call)
    this.#widen()
    clearTimeout(this.#idleTimer)
    if (this.#calls.size === 1) {
      this.session.ref()
      this.#endedWatch.start()
    }
    this.#pings.dispatch({ type: 'call-began' })
  }

  /** Called when the reading of a call is paused or resumed. */
  notePaused(paused: boolean): void {
    this.#pings.dispatch({ type: paused ? 'paused' : 'resumed' })
  }

  /** The call is over. */
  leave(call: ConnectedCall): void {
    this.#calls.delete(call)
    this.#pings.dispatch({ type: 'call-ended', paused: call.paused })
    if (this.#calls.size > 0) return
    this.#endedWatch.stop()
    this.session.unref()
    if (this.#retired || this.session.destroyed) this.close()
    else this.#idleTimer = setTimeout(() => this.close(), this.#settings.idleTimeoutMs).unref()
  }

  /** Takes no more calls, and is closed when those that it has are over. */
  retire(): void {
    this.#retired = true
    if (this.#calls.size === 0) this.close()
  }

  /** Ends the calls, lets what was written leave, then ends. Harmless when called again. */
  close(): void {
    this.#retired = true
    for (const call of [...this.#calls]) call.fail(closedError())
    this.#pings.stop()
    this.session.close()
    setTimeout(() => this.#destroy(), FLUSH_MS).unref()
  }

  #lose(text: string, cause?: unknown, code = Code.Unavailable): void {
    const whole = this.#goaway === undefined ? text : `${text} (${this.#goaway})`
    this.lost ??= new ConnectError(whole, code, undefined, undefined, cause)
  }

  #ping(onAnswer: () => void): void {
    // After the request that is about to leave: a PING without a call counts for more. And Node tells of an answer
    // before it tells of the head of a response that came first. One that fails takes the session with it.
    setImmediate(() => {
      if (this.session.destroyed) return
      this.session.ping((error) => {
        if (error === null) setImmediate(onAnswer)
      })
    })
  }

  /** Never narrows again: what was announced cannot be taken back. */
  #widen(): void {
    const { session } = this
    if (session.destroyed || session.connecting) return
    const streams = Math.max(1, this.#calls.size)
    if (streams <= this.#windowStreams) return
    this.#windowStreams = streams
    session.setLocalWindowSize(Math.min(MAX_WINDOW, (streams + 1) * this.#settings.streamWindowBytes))
  }

  /** Both: of a session that is destroyed, Node ends the socket in good order, and a dead one never comes to that. */
  #destroy(): void {
    this.session.destroy()
    this.#socket.destroy()
  }
}

/** Why calls fail that this side gave up with the connection. */
export function closedError(): ConnectError {
  return new ConnectError('the transport was closed', Code.Canceled)
}
