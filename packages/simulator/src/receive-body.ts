/**
 * Receives request bodies under two bounds: of each, and of everything that is held at once, over HTTP and gRPC alike.
 *
 * A request that is still being received is charged for its head as well: a thousand that never end are no less held
 * than one that is a thousand times as large.
 */
import type { Readable } from 'node:stream'

/** How a body came out. `'gone'`: the client left before its end. */
export type ReceivedBody = Uint8Array | 'too-large' | 'busy' | 'gone'

/** One request whose body is received. */
export interface BodySource {
  readonly incoming: Readable
  /** Emits `'close'` when the exchange is over: so long its body is held. */
  readonly exchange: { once(event: 'close', listener: () => void): unknown }
  /** @defaultValue the receiver's */
  readonly maxBytes?: number | undefined
}

/** Receives bodies. */
export type ReceiveBody = (source: BodySource) => Promise<ReceivedBody>

/** Bounds of {@link createBodyReceiver}. */
export interface BodyBounds {
  readonly maxRequestBytes: number
}

/** The largest head of a request that the servers take. */
export const MAX_HEAD_BYTES = 64 * 1024

/** Held at once beyond the largest body: bodies, and heads of requests that are still being received. */
const HELD_BYTES = 128 * 1024 * 1024

/** Makes a receiver; all servers of a simulator share one. */
export function createBodyReceiver({ maxRequestBytes }: BodyBounds): ReceiveBody {
  const maxHeld = HELD_BYTES + maxRequestBytes
  let held = 0
  return ({ incoming, exchange, maxBytes = maxRequestBytes }) =>
    new Promise((resolve) => {
      if (incoming.destroyed) return resolve('gone')
      if (held + MAX_HEAD_BYTES > maxHeld) return resolve('busy')
      held += MAX_HEAD_BYTES
      // Copied together: a chunk of one byte costs as much as one of a hundred.
      let body = Buffer.alloc(0)
      let size = 0
      let isOver = false
      const release = (): void => {
        held -= body.length
        body = Buffer.alloc(0)
      }
      const finish = (result: ReceivedBody): void => {
        if (isOver) return
        isOver = true
        held -= MAX_HEAD_BYTES
        if (!(result instanceof Uint8Array)) release()
        resolve(result)
      }
      exchange.once('close', () => {
        finish('gone')
        release()
      })
      incoming.on('data', (chunk: Buffer) => {
        // What comes after a refusal is let go.
        if (isOver) return
        const needed = size + chunk.length
        if (needed > maxBytes) return finish('too-large')
        if (needed > body.length) {
          const room = Math.max(needed, Math.min(body.length * 2, maxBytes))
          if (held - body.length + room > maxHeld) return finish('busy')
          held += room - body.length
          const larger = Buffer.allocUnsafeSlow(room)
          body.copy(larger, 0, 0, size)
          body = larger
        }
        chunk.copy(body, size)
        size = needed
      })
      incoming.once('end', () => finish(body.subarray(0, size)))
      incoming.once('close', () => finish('gone'))
      incoming.once('error', () => finish('gone'))
    })
}
