/**
 * Receives request bodies with two limits: for each body, and for all that are in memory, over HTTP and gRPC together.
 *
 * A request that is still being received also counts its head: a thousand requests that never end use as much memory as
 * one that is a thousand times as large.
 */
import type { Readable } from 'node:stream'

/** Result of receiving a body. `'gone'`: the client disconnected before its end. */
export type ReceivedBody = Uint8Array | 'too-large' | 'busy' | 'gone'

/** A request whose body is to be received. */
export interface BodySource {
  readonly incoming: Readable
  /** Emits `'close'` at the end of the exchange. Until then the body counts. */
  readonly exchange: { once(event: 'close', listener: () => void): unknown }
  /** Limit of this body. @defaultValue the receiver's limit */
  readonly maxBytes?: number | undefined
}

/** Receives a body. */
export type ReceiveBody = (source: BodySource) => Promise<ReceivedBody>

/** Limits of {@link createBodyReceiver}. */
export interface BodyBounds {
  readonly maxRequestBytes: number
}

/** Largest request head that the servers accept. */
export const MAX_HEAD_BYTES = 64 * 1024

/** Memory limit beyond the largest body: bodies, and heads of requests that are still being received. */
const MAX_BUFFERED_BYTES = 128 * 1024 * 1024

/** Creates a receiver; all servers of a simulator share one. */
export function createBodyReceiver({ maxRequestBytes }: BodyBounds): ReceiveBody {
  const maxTotalBytes = MAX_BUFFERED_BYTES + maxRequestBytes
  let totalBytes = 0
  return ({ incoming, exchange, maxBytes = maxRequestBytes }) =>
    new Promise((resolve) => {
      if (incoming.destroyed) return resolve('gone')
      if (totalBytes + MAX_HEAD_BYTES > maxTotalBytes) return resolve('busy')
      totalBytes += MAX_HEAD_BYTES
      // Copied into one buffer: a chunk of one byte uses as much memory as one of a hundred.
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
        // Discards data that arrives after a rejection.
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
