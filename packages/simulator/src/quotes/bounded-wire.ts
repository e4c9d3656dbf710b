/** Bounds the unsent bytes of a market data connection: otherwise a client that does not read would fill memory. */
import type { SessionWire } from './sessions.ts'

/** A single larger message is still sent. */
const MAX_UNREAD_BYTES = 1024 * 1024

/**
 * Wraps a connection, and destroys it if its client leaves too many bytes unread.
 *
 * @param unread - Returns the number of unsent bytes.
 */
export function boundedWire(wire: SessionWire, unread: () => number): SessionWire {
  /** Bytes that were sent in this turn of the event loop: no client could have read them yet. */
  let fresh = 0
  return {
    ...wire,
    send(bytes) {
      if (unread() - fresh > MAX_UNREAD_BYTES) {
        wire.destroy()
        return
      }
      if (fresh === 0) {
        setImmediate(() => {
          fresh = 0
        })
      }
      fresh += bytes.length
      wire.send(bytes)
    },
  }
}
