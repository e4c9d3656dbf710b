/**
 * Keeps the native half of a session for a moment longer than Node does.
 *
 * A stream whose head has begun and never ended holds memory of its session. Where the collector frees the session first,
 * Node aborts the process (`current_nghttp2_memory_ == 0`, seen with Node 20): a server that falls silent within a head is
 * enough. Node lets go of the session as it is destroyed, and of its streams a turn later. It has no public name for the
 * native half: where the private one is another, nothing is kept and nothing fails.
 */
import type { ClientHttp2Session } from 'node:http2'

/** Longer than the turn that frees the streams. */
const KEPT_MS = 1000

function nativeHalf(session: ClientHttp2Session): unknown {
  const name = Object.getOwnPropertySymbols(session).find(({ description }) => description === 'kHandle')
  return name === undefined ? undefined : Reflect.get(session, name)
}

export function keepSessionHandle(session: ClientHttp2Session): void {
  let handle: unknown
  session.once('connect', () => {
    handle = nativeHalf(session)
  })
  session.once('close', () => {
    // The streams' own turn comes after the timers: a loop that was busy for long would otherwise run past it.
    const release = (kept: unknown): void => void setImmediate((_kept) => {}, kept)
    setTimeout(release, KEPT_MS, handle).unref()
  })
}
