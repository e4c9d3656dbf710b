/**
 * A workaround for an assertion of Node 20: keeps the native handle of a session alive until its streams were freed.
 *
 * A stream whose headers began and never ended uses memory of its session. If the garbage collector frees the
 * session first, Node aborts the process (`current_nghttp2_memory_ == 0`). A server that stops sending within
 * the headers is enough to cause this. Node releases the session when it is destroyed, and its streams one
 * turn of the event loop later. The handle has no public name. If the private name is different, this does
 * nothing.
 */
import type { ClientHttp2Session } from 'node:http2'

/**
 * Time for which the handle is kept, in milliseconds. Node frees the streams in the next turn of the event
 * loop.
 */
const KEPT_MS = 1000

function nativeHandle(session: ClientHttp2Session): unknown {
  const name = Object.getOwnPropertySymbols(session).find(({ description }) => description === 'kHandle')
  return name === undefined ? undefined : Reflect.get(session, name)
}

/** Keeps the native handle of a session for a second after its end. */
export function keepSessionHandle(session: ClientHttp2Session): void {
  let handle: unknown
  session.once('connect', () => {
    handle = nativeHandle(session)
  })
  session.once('close', () => {
    // The streams are freed after the timers of a turn. If the event loop was busy, the timer fires first, so wait one turn more.
    const release = (kept: unknown): void => void setImmediate((_kept) => {}, kept)
    setTimeout(release, KEPT_MS, handle).unref()
  })
}
