/**
 * An observer that publishes to Node's `diagnostics_channel`, so that monitoring code needs no access to the streams.
 *
 * The channels are `brokerwire:streams:attempt`, `:state`, `:alive`, `:batch` and `:notice`. The messages are the observer's
 * reports. Publishing to a channel without subscribers costs almost nothing.
 */
import { channel } from 'node:diagnostics_channel'
import type { StreamsObserver } from './observer.ts'

const NAMES = {
  onStreamAttempt: 'attempt',
  onStreamState: 'state',
  onStreamAlive: 'alive',
  onStreamBatch: 'batch',
  onStreamNotice: 'notice',
} as const satisfies Record<keyof StreamsObserver, string>

/**
 * Creates the observer for the option `observer` of `createStreams()`.
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
export function diagnosticsObserver(): StreamsObserver {
  return Object.fromEntries(
    Object.entries(NAMES).map(([method, name]) => {
      const target = channel(`brokerwire:streams:${name}`)
      return [method, (report: unknown): void => target.publish(report)]
    }),
  )
}
