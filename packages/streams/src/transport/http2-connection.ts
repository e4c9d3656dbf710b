/**
 * One HTTP/2 connection: windows, keep-alive, GOAWAY, and what it was lost of.
 *
 * Both windows are raised, because either alone gains nothing, and the connection's always has room for one stream
 * more than there are: a stream whose consumer is slow never stops another. PINGs are sent only while a call is open.
 */
import { type ClientHttp2Session, connect } from 'node:http2'
import type { Duplex } from 'node:stream'
import { Code, ConnectError } from '@connectrpc/connect'
import type { TransportSettings } from './options.ts'
import { openSocket } from './socket.ts'

/** RFC 9113, section 6.9.1. */
const MAX_WINDOW = 0x7f_ff_ff_ff
/** How long a connection that is closed may take to send what was written. */
const FLUSH_MS = 1000

/** What a call hears of its connection. */
export interface CallEvents {
  /** The connection is closed from this side. */
  onClose(reason: ConnectError): void
  /** The server processes no stream with a higher number than this. */
  onGoaway(lastStreamId: number): void
}

/** An open connection. */
export interface Http2Connection {
  readonly session: ClientHttp2Session
  /** Whether a call may still begin on it. */
  readonly usable: boolean
  /** Why its calls fail, once it was lost. */
  readonly lost: ConnectError | undefined
  /**
   * A call begins.
   *
   * @returns What to call at the call's end.
   */
  enter(call: CallEvents): () => void
  /** Something was received. */
  noteActivity(): void
  /** Takes no more calls, and is closed when those that it has are over. */
  retire(): void
  /** Ends the calls, lets what was written leave, then ends. Harmless when called again. */
  close(): void
}

/**
 * Opens a connection.
 *
 * @throws ConnectError `unavailable`, or the signal's reason.
 */
export async function openHttp2Connection(
  settings: TransportSettings,
  signal: AbortSignal,
): Promise<Http2Connection> {
  const socket = await openSocket(settings, signal)
  return superviseSession(socket, settings)
}

function superviseSession(socket: Duplex, settings: TransportSettings): Http2Connection {
  let lost: ConnectError | undefined
  let goaway: string | undefined
  let closing = false
  /** The server takes no more calls on it. */
  let retired = false
  const calls = new Set<CallEvents>()
  let roomFor = 0
  let lastActivityMs = performance.now()
  let pingTimer: NodeJS.Timeout | undefined
  let idleTimer: NodeJS.Timeout | undefined

  const lose = (text: string, cause?: unknown): void => {
    lost ??= new ConnectError(
      goaway === undefined ? text : `${text} (${goaway})`,
      Code.Unavailable,
      undefined,
      undefined,
      cause,
    )
  }
  // Before http2 adds its own listeners: those reset the streams, and their calls want to know why.
  socket.on('error', (error) => {
    lose('the connection was lost', error)
    // TLS does not do so by itself.
    socket.destroy()
  })
  socket.on('close', () => lose('the connection was lost'))

  const session = connect(settings.baseUrl.origin, {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: settings.streamWindowBytes },
  })
  session.on('error', (error) => lose('the connection failed', error))
  session.on('goaway', (code, lastStreamId) => {
    retired = true
    goaway = `GOAWAY with code ${code}`
    // With an error Node gives up the streams at once, and under that code instead of the connection's end.
    if (code !== 0) lose('the server ended the connection')
    for (const call of [...calls]) call.onGoaway(lastStreamId)
  })
  session.on('close', () => {
    clearTimeout(pingTimer)
    clearTimeout(idleTimer)
  })
  session.once('connect', () => widen())
  session.unref()

  /** Never narrows again: what was announced cannot be taken back. */
  function widen(): void {
    if (session.destroyed || session.connecting) return
    const streams = Math.max(1, calls.size)
    if (streams <= roomFor) return
    roomFor = streams
    session.setLocalWindowSize(Math.min(MAX_WINDOW, (streams + 1) * settings.streamWindowBytes))
  }

  function watchActivity(afterMs: number): void {
    clearTimeout(pingTimer)
    pingTimer = setTimeout(() => {
      const quietMs = performance.now() - lastActivityMs
      // Timers may fire a fraction of a millisecond early.
      if (quietMs + 1 < settings.pingIntervalMs) watchActivity(settings.pingIntervalMs - quietMs)
      else ping()
    }, afterMs).unref()
  }

  function ping(): void {
    if (session.destroyed) return
    clearTimeout(pingTimer)
    pingTimer = setTimeout(() => {
      lose(`no answer to an HTTP/2 PING within ${settings.pingTimeoutMs} ms`)
      destroy()
    }, settings.pingTimeoutMs).unref()
    // A PING that fails takes the session with it, and that is told by its calls.
    session.ping((error) => {
      if (error !== null || calls.size === 0) return
      lastActivityMs = performance.now()
      watchActivity(settings.pingIntervalMs)
    })
  }

  /** Both: of a session that is destroyed, Node ends the socket in good order, and a dead one never comes to that. */
  function destroy(): void {
    session.destroy()
    socket.destroy()
  }

  function close(): void {
    if (closing) return
    closing = true
    clearTimeout(idleTimer)
    const reason = closedError()
    for (const call of [...calls]) call.onClose(reason)
    clearTimeout(pingTimer)
    if (session.destroyed) return
    session.close()
    session.unref()
    setTimeout(destroy, FLUSH_MS).unref()
  }

  return {
    session,
    get usable() {
      return (
        lost === undefined &&
        !closing &&
        !retired &&
        !session.closed &&
        !session.destroyed &&
        !socket.destroyed
      )
    },
    get lost() {
      return lost
    },
    enter(call) {
      calls.add(call)
      widen()
      clearTimeout(idleTimer)
      if (calls.size === 1) {
        session.ref()
        // A connection that was idle for long may be dead without knowing: the call does not wait a whole interval.
        if (performance.now() - lastActivityMs > settings.pingIntervalMs) ping()
        else watchActivity(settings.pingIntervalMs)
      }
      return () => {
        if (!calls.delete(call) || calls.size > 0) return
        if (session.destroyed) {
          setTimeout(destroy, FLUSH_MS).unref()
          return
        }
        clearTimeout(pingTimer)
        session.unref()
        if (retired) close()
        else idleTimer = setTimeout(close, settings.idleTimeoutMs).unref()
      }
    },
    noteActivity() {
      lastActivityMs = performance.now()
    },
    retire() {
      retired = true
      if (calls.size === 0) close()
    },
    close,
  }
}

/** Why calls fail that this side gave up with the connection. */
export function closedError(): ConnectError {
  return new ConnectError('the transport was closed', Code.Canceled)
}
