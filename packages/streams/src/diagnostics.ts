/**
 * An observer that publishes to Node's `diagnostics_channel`, for whoever collects figures without touching the code
 * that runs the streams.
 *
 * Channels: `brokerwire:streams:attempt`, `:state`, `:alive`, `:batch`, `:notice`.
 * Messages are the observer's reports. A channel without subscribers costs one look-up that was made beforehand.
 */
import { channel } from 'node:diagnostics_channel'
import type { StreamObserver } from './observer.ts'

const NAMES = {
  onAttempt: 'attempt',
  onState: 'state',
  onAlive: 'alive',
  onBatch: 'batch',
  onNotice: 'notice',
} as const satisfies Record<keyof StreamObserver, string>

/**
 * Makes the observer: hand it to `createStreams({ observer })`.
 *
 * @example
 * ```ts
 * import { createStreams, type StreamsOptions } from '@brokerwire/streams'
 * import { diagnosticsObserver } from '@brokerwire/streams/diagnostics'
 *
 * declare const options: StreamsOptions
 *
 * const streams = createStreams({ ...options, observer: diagnosticsObserver() })
 * await streams.close()
 * ```
 */
export function diagnosticsObserver(): StreamObserver {
  return Object.fromEntries(
    Object.entries(NAMES).map(([method, name]) => {
      const target = channel(`brokerwire:streams:${name}`)
      return [method, (report: unknown): void => target.publish(report)]
    }),
  )
}
