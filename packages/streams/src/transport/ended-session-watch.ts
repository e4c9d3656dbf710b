/**
 * Detection of HTTP/2 sessions that nghttp2 has ended without an event.
 *
 * If a server violates HTTP/2, nghttp2 writes a GOAWAY and then neither reads nor writes. Node 20 emits no
 * event: calls would wait for the next PING, or forever. The only visible sign is that bytes were written,
 * and no bytes were read since. After this sign the watch sends an empty SETTINGS frame as a probe: a live
 * session writes it at once, an ended one never. Every server acknowledges SETTINGS and none counts them as
 * PINGs. One probe follows each burst of writes without a response.
 */
import type { ClientHttp2Session } from 'node:http2'

/** Time between two checks. A verdict takes at most three checks. */
export const CHECK_INTERVAL_MS = 400
/** Most SETTINGS frames that wait for an acknowledgement. Node ends the session at ten. */
const MAX_UNANSWERED = 5
/** Size of an empty SETTINGS frame (RFC 9113, section 4.1). */
const PROBE_BYTES = 9

export interface Traffic {
  readonly read: number
  readonly written: number
}

/** Memory of the checks of one session. */
export interface ProbeState {
  readonly last: Traffic
  /** Bytes written up to the last proof that the session was alive. */
  readonly proven: number
  /** Bytes that had been written when the pending probe was submitted. */
  readonly probedAt: number | undefined
}

export const INITIAL_PROBE_STATE: ProbeState = {
  last: { read: 0, written: 0 },
  proven: 0,
  probedAt: undefined,
}

/**
 * Compares the byte counts of a check with those of the previous check.
 *
 * Bytes that were read prove nothing about what was written since the previous check: nghttp2 also reads the bytes that make
 * it end the session.
 *
 * @returns The next state, and `'probe'` if a probe is due, or `'stuck'` if the pending probe was not
 * written.
 */
export function checkTraffic(
  state: ProbeState,
  now: Traffic,
): readonly [ProbeState, 'alive' | 'probe' | 'stuck'] {
  const { last, proven, probedAt } = state
  if (probedAt !== undefined) {
    if (now.written === probedAt) return [{ ...state, last: now }, now.read > last.read ? 'alive' : 'stuck']
    // Bytes that were written after the probe may be the GOAWAY.
    return [{ last: now, proven: probedAt + PROBE_BYTES, probedAt: undefined }, 'alive']
  }
  if (now.read > last.read) return [{ last: now, proven: last.written, probedAt }, 'alive']
  if (now.written === proven) return [{ last: now, proven, probedAt }, 'alive']
  return [{ last: now, proven, probedAt: now.written }, 'probe']
}

/** All watched sessions. They share one timer: with a thousand connections, a timer each would cost more than the checks. */
const watched = new Set<EndedSessionWatch>()
let timer: NodeJS.Timeout | undefined

function checkAll(): void {
  for (const watch of [...watched]) watch.check()
}

/** Watches one session between `start()` and `stop()`. It keeps the process alive, which an ended session does not. */
export class EndedSessionWatch {
  readonly #session: ClientHttp2Session
  readonly #onEnded: () => void
  #state = INITIAL_PROBE_STATE
  #unanswered = 0

  /** @param onEnded - Called once, if the session has ended without an event. */
  constructor(session: ClientHttp2Session, onEnded: () => void) {
    this.#session = session
    this.#onEnded = onEnded
  }

  start(): void {
    watched.add(this)
    // When the immediate runs, everything received or written before the timer fired is processed, even if the timer is late.
    timer ??= setInterval(() => setImmediate(checkAll), CHECK_INTERVAL_MS)
  }

  stop(): void {
    watched.delete(this)
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  /** Called by the timer. */
  check(): void {
    const session = this.#session
    if (!watched.has(this) || session.destroyed) return
    const { bytesRead: read, bytesWritten: written } = session.socket
    const [next, verdict] = checkTraffic(this.#state, { read, written })
    if (verdict === 'stuck' && isEnded(session)) {
      this.stop()
      this.#onEnded()
      return
    }
    // If no further SETTINGS may be sent, the state stays, and the next check tries again.
    if (verdict !== 'probe' || this.#probe()) this.#state = next
  }

  #probe(): boolean {
    if (this.#unanswered >= MAX_UNANSWERED) return false
    this.#unanswered++
    this.#session.settings({}, () => {
      this.#unanswered--
    })
    return true
  }
}

/**
 * Whether a frame waits in the session although the socket accepts more bytes. The size of the host's socket
 * queue has no public API. If the size is not available, the queue counts as full, and only the PINGs detect
 * the ended session.
 */
function isEnded({ socket, state }: ClientHttp2Session): boolean {
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: unknown } }
  return (state.outboundQueueSize ?? 0) > 0 && handle?.writeQueueSize === 0 && socket.writableLength === 0
}
