/**
 * Finds out that a session was ended in silence.
 *
 * When a server breaks HTTP/2, nghttp2 writes a GOAWAY of its own, reads no more and writes no more. Node 20 tells nobody:
 * calls would wait for the next PING, or for ever. What shows from outside is that bytes went out and none came in since.
 * Then an empty SETTINGS frame is handed to nghttp2, which a session that lives sends at once, and a dead one never. Every
 * server answers it, none counts it as a PING, and it is due once after each burst of ours that nobody answers.
 */
import type { ClientHttp2Session } from 'node:http2'

/** How often is looked. Three looks are the longest way to the verdict. */
export const LOOK_MS = 400
/** SETTINGS that a server has not acknowledged; Node gives up at ten. */
const MAX_UNANSWERED = 5
/** SETTINGS without any (RFC 9113, section 4.1). */
const PROBE_BYTES = 9

export interface Traffic {
  readonly read: number
  readonly written: number
}

export interface Silence {
  readonly last: Traffic
  /** Bytes that were written before something was read: the session was alive behind them. */
  readonly proven: number
  /** A frame was handed over when so many bytes were written. */
  readonly probedAt: number | undefined
}

export const UNSEEN: Silence = { last: { read: 0, written: 0 }, proven: 0, probedAt: undefined }

/**
 * What another look means: nothing, that a frame must be handed over, or that the one before did not leave.
 *
 * Reading is no proof for what was written since the look before: nghttp2 reads what it ends a session over.
 */
export function look(silence: Silence, now: Traffic): readonly [Silence, 'alive' | 'probe' | 'stuck'] {
  const { last, proven, probedAt } = silence
  if (probedAt !== undefined) {
    if (now.written === probedAt) return [{ ...silence, last: now }, now.read > last.read ? 'alive' : 'stuck']
    // What went out behind the frame may be the GOAWAY.
    return [{ last: now, proven: probedAt + PROBE_BYTES, probedAt: undefined }, 'alive']
  }
  if (now.read > last.read) return [{ last: now, proven: last.written, probedAt }, 'alive']
  if (now.written === proven) return [{ last: now, proven, probedAt }, 'alive']
  return [{ last: now, proven, probedAt: now.written }, 'probe']
}

/** The sessions that are watched. One timer serves all of them: with a thousand connections, timers of their own would cost more than the looks. */
const watched = new Set<SilenceWatch>()
let timer: NodeJS.Timeout | undefined

function lookAtAll(): void {
  for (const watch of [...watched]) watch.look()
}

/** Watches one session while it is started. It keeps the process alive: of a session that ended in silence, nothing else would. */
export class SilenceWatch {
  readonly #session: ClientHttp2Session
  readonly #onEnded: () => void
  #silence = UNSEEN
  #unanswered = 0

  /** @param onEnded - Called once. */
  constructor(session: ClientHttp2Session, onEnded: () => void) {
    this.#session = session
    this.#onEnded = onEnded
  }

  start(): void {
    watched.add(this)
    // Everything that was received or written before the timer fired is processed when the immediate runs, however late that is.
    timer ??= setInterval(() => setImmediate(lookAtAll), LOOK_MS)
  }

  stop(): void {
    watched.delete(this)
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  /** Called by the timer. */
  look(): void {
    const session = this.#session
    if (!watched.has(this) || session.destroyed) return
    const { bytesRead: read, bytesWritten: written } = session.socket
    const [next, verdict] = look(this.#silence, { read, written })
    if (verdict === 'stuck' && isEnded(session)) {
      this.stop()
      this.#onEnded()
      return
    }
    // One that cannot be answered for is no probe: it is looked for again.
    if (verdict !== 'probe' || this.#probe()) this.#silence = next
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
 * A frame waits although the socket takes more. How much the host's own queue of a socket holds has no public name; a
 * host that does not tell counts as one whose queue is full, and its sessions end by their PINGs.
 */
function isEnded({ socket, state }: ClientHttp2Session): boolean {
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: unknown } }
  return (state.outboundQueueSize ?? 0) > 0 && handle?.writeQueueSize === 0 && socket.writableLength === 0
}
