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
import { quoted } from './grpc-status.ts'
import type { KeepAlivePolicy } from './keep-alive.ts'
import type { TransportSettings } from './options.ts'
import { hostClock, type PingPace, watchByPings } from './ping-watch.ts'
import { keepSessionHandle } from './session-handle.ts'
import { watchSilence } from './silence.ts'
import { openSocket } from './socket.ts'

/** RFC 9113, section 6.9.1. */
const MAX_WINDOW = 0x7f_ff_ff_ff
const { NGHTTP2_ENHANCE_YOUR_CALM } = constants
/** The last stream of a GOAWAY that refuses nothing but what comes after it. */
const ALL_STREAMS = 0x7f_ff_ff_ff
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
   */
  enter(call: CallEvents): CallPlace
  /** Bytes received since it began. */
  readonly received: number
  /** HEADERS or DATA came. */
  noteData(): void
  /** Takes no more calls, and is closed when those that it has are over. */
  retire(): void
  /** Ends the calls, lets what was written leave, then ends. Harmless when called again. */
  close(): void
}

/** What a call tells of itself to its connection. */
export interface CallPlace {
  /** Its reading is held back for a slow consumer, or no longer. */
  setHeld(held: boolean): void
  /** The call is over. Harmless when called again. */
  leave(): void
}

/**
 * Opens a connection.
 *
 * @param pace - How often it is asked for a sign of life; it learns where the server had too many PINGs.
 * @throws ConnectError `unavailable`, or the signal's reason.
 */
export async function openHttp2Connection(
  settings: TransportSettings,
  pace: PingPace,
  signal: AbortSignal,
): Promise<Http2Connection> {
  const socket = await openSocket(settings, signal)
  return superviseSession(socket, settings, pace)
}

function superviseSession(socket: Duplex, settings: TransportSettings, pace: PingPace): Http2Connection {
  let lost: ConnectError | undefined
  let goaway: string | undefined
  let closing = false
  /** The server takes no more calls on it. */
  let retired = false
  const calls = new Set<CallEvents>()
  let roomFor = 0
  const { policy } = pace
  let idleTimer: NodeJS.Timeout | undefined

  const lose = (text: string, cause?: unknown, code = Code.Unavailable): void => {
    lost ??= new ConnectError(
      goaway === undefined ? text : `${text} (${goaway})`,
      code,
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
  keepSessionHandle(session)
  session.on('error', (error) => lose('the connection failed', error))
  const pings = watchByPings(policy, {
    clock: hostClock,
    ping(onAnswer) {
      // After the request that is about to leave: a PING without a call counts for more. And Node tells of an answer
      // before it tells of the head of a response that came first. One that fails takes the session with it.
      setImmediate(() => {
        if (session.destroyed) return
        session.ping((error) => {
          if (error === null) setImmediate(onAnswer)
        })
      })
    },
    onDead() {
      lose(`no answer to an HTTP/2 PING within ${policy.timeoutMs} ms`)
      destroy()
    },
  })
  session.on('goaway', (code, lastStreamId, debugData) => {
    retired = true
    goaway = `GOAWAY with code ${code}`
    if (code === NGHTTP2_ENHANCE_YOUR_CALM) {
      pace.slowDown(policy)
      goaway += pingsFromNowOn(pace.policy)
    }
    // For people (RFC 9113, section 6.8): `too_many_pings`, for example.
    if (debugData !== undefined && debugData.length > 0) goaway += `: ${quoted(debugData.toString())}`
    // With an error Node gives up the streams at once, and under that code instead of the connection's end.
    if (code !== 0) lose('the server ended the connection')
    for (const call of [...calls]) call.onGoaway(lastStreamId)
  })
  const silence = watchSilence(session, () => {
    lose('the server does not keep to HTTP/2', undefined, Code.Internal)
    for (const call of [...calls]) call.onGoaway(ALL_STREAMS)
    destroy()
  })
  session.on('close', () => {
    pings.stop()
    silence.stop()
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
    pings.stop()
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
    get received() {
      return session.destroyed ? Number.NaN : session.socket.bytesRead
    },
    enter(call) {
      calls.add(call)
      widen()
      clearTimeout(idleTimer)
      if (calls.size === 1) {
        session.ref()
        silence.start()
      }
      pings.callBegan()
      let held = false
      return {
        setHeld(next) {
          if (next === held || !calls.has(call)) return
          held = next
          if (held) pings.held()
          else pings.released()
        },
        leave() {
          if (!calls.delete(call)) return
          pings.callEnded(held)
          if (calls.size > 0) return
          silence.stop()
          if (session.destroyed) {
            setTimeout(destroy, FLUSH_MS).unref()
            return
          }
          session.unref()
          if (retired) close()
          else idleTimer = setTimeout(close, settings.idleTimeoutMs).unref()
        },
      }
    },
    noteData: pings.noteData,
    retire() {
      retired = true
      if (calls.size === 0) close()
    },
    close,
  }
}

function pingsFromNowOn({ intervalMs, quietIntervalMs }: KeepAlivePolicy): string {
  if (intervalMs === undefined) return ''
  return `; HTTP/2 PINGs from now on every ${intervalMs} ms, without data ${quietIntervalMs} ms`
}

/** Why calls fail that this side gave up with the connection. */
export function closedError(): ConnectError {
  return new ConnectError('the transport was closed', Code.Canceled)
}
