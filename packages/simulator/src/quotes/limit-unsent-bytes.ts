/**
 * Limits the unsent bytes of a market data connection, because a client that does not read would otherwise
 * fill the memory.
 */
import type { SessionWire } from './sessions.ts'

/** Maximum number of unsent bytes. A single message may be larger. */
const MAX_UNSENT_BYTES = 1024 * 1024

/**
 * Wraps a connection so that it is destroyed if its client leaves too many bytes unread.
 *
 * @param getUnsentBytes - Returns the number of unsent bytes.
 */
export function limitUnsentBytes(wire: SessionWire, getUnsentBytes: () => number): SessionWire {
  /**
   * Number of bytes that were sent in this turn of the event loop. They do not count, because no client could
   * have read them yet.
   */
  let sentThisTick = 0
  return {
    ...wire,
    send(bytes) {
      if (getUnsentBytes() - sentThisTick > MAX_UNSENT_BYTES) {
        wire.destroy()
        return
      }
      if (sentThisTick === 0) {
        setImmediate(() => {
          sentThisTick = 0
        })
      }
      sentThisTick += bytes.length
      wire.send(bytes)
    },
  }
}
