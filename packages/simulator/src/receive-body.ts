/**
 * Receives request bodies with two limits: one for each body, and one for all bodies in memory, over HTTP and
 * gRPC together. While a request is being received, its head counts too, because a thousand requests that
 * never end use as much memory as one request that is a thousand times larger.
 */
import type { Readable } from 'node:stream'

/** Result of receiving a body. `'gone'` means that the client disconnected before the end. */
export type ReceivedBody = Uint8Array | 'too-large' | 'busy' | 'gone'

/** A request whose body must be received. */
export interface BodySource {
  readonly incoming: Readable
  /**
   * Emits `'close'` at the end of the exchange. Until that event the body counts towards the limit of all
   * bodies.
   */
  readonly exchange: { once(event: 'close', listener: () => void): unknown }
  /** Maximum size of this body. @defaultValue the receiver's limit */
  readonly maxBytes?: number | undefined
}

/** Receives a body. */
export type ReceiveBody = (source: BodySource) => Promise<ReceivedBody>

/** Limits of {@link createBodyReceiver}. */
export interface BodyBounds {
  readonly maxRequestBytes: number
}

/** Maximum size of a request head. */
export const MAX_HEAD_BYTES = 64 * 1024

/**
 * Memory for all bodies, and for the heads of requests that are still being received. One body of the maximum
 * size is allowed in addition.
 */
const MAX_BUFFERED_BYTES = 128 * 1024 * 1024

/** Creates a receiver. All servers of a simulator share one receiver. */
export function createBodyReceiver({ maxRequestBytes }: BodyBounds): ReceiveBody {
  const maxTotalBytes = MAX_BUFFERED_BYTES + maxRequestBytes
  let totalBytes = 0
  return ({ incoming, exchange, maxBytes = maxRequestBytes }) =>
    new Promise((resolve) => {
      if (incoming.destroyed) return resolve('gone')
      if (totalBytes + MAX_HEAD_BYTES > maxTotalBytes) return resolve('busy')
      totalBytes += MAX_HEAD_BYTES
      // Chunks are copied into one buffer, because a chunk of one byte uses as much memory as a chunk of a
      // hundred bytes.
      let body = Buffer.alloc(0)
      let size = 0
      let isFinished = false
      const release = (): void => {
        totalBytes -= body.length
        body = Buffer.alloc(0)
      }
      const finish = (result: ReceivedBody): void => {
        if (isFinished) return
        isFinished = true
        totalBytes -= MAX_HEAD_BYTES
        if (!(result instanceof Uint8Array)) release()
        resolve(result)
      }
      exchange.once('close', () => {
        finish('gone')
        release()
      })
      incoming.on('data', (chunk: Buffer) => {
        // Data that arrives after a rejection is discarded.
        if (isFinished) return
        const needed = size + chunk.length
        if (needed > maxBytes) return finish('too-large')
        if (needed > body.length) {
          const capacity = Math.max(needed, Math.min(body.length * 2, maxBytes))
          if (totalBytes - body.length + capacity > maxTotalBytes) return finish('busy')
          totalBytes += capacity - body.length
          const larger = Buffer.allocUnsafeSlow(capacity)
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
