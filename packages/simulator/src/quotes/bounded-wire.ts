/** Bounds what waits on a connection of market data: a client that does not read would have it all kept here. */
import type { SessionWire } from './sessions.ts'

/** A message that alone is larger goes out. */
const MAX_UNREAD_BYTES = 1024 * 1024

/**
 * The connection below, which is broken where its client leaves more unread than the bound.
 *
 * @param unread - The bytes that wait on it.
 */
export function boundedWire(wire: SessionWire, unread: () => number): SessionWire {
  /** What was sent in this turn of the event loop: nobody could read it yet, however fast. */
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
