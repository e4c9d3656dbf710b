/**
 * An observer that publishes to Node's `diagnostics_channel`, so that monitoring needs no access to the code that
 * creates the client.
 *
 * Channels: `brokerwire:http:attempt`, `brokerwire:http:attempt-end`. A message is the argument of the
 * observer's function.
 */
import { channel } from 'node:diagnostics_channel'
import type { HttpObserver } from './observer.ts'

/**
 * Creates the observer. Pass it as `createHttpClient({ observer })`.
 *
 * @example
 * ```ts
 * import { subscribe } from 'node:diagnostics_channel'
 * import { createHttpClient } from '@brokerwire/http'
 * import { diagnosticsObserver } from '@brokerwire/http/diagnostics'
 * import { createSigner } from '@brokerwire/signer'
 *
 * subscribe('brokerwire:http:attempt-end', (end) => console.log(end))
 * const signer = createSigner({ appKey: 'your-app-key', appSecret: 'your-app-secret' })
 * createHttpClient({ baseUrl: 'https://service.example', signer, observer: diagnosticsObserver() })
 * ```
 */
export function diagnosticsObserver(): HttpObserver {
  const attempts = channel('brokerwire:http:attempt')
  const ends = channel('brokerwire:http:attempt-end')
  return {
    onHttpAttempt(attempt) {
      if (attempts.hasSubscribers) attempts.publish(attempt)
    },
    onHttpAttemptEnd(end) {
      if (ends.hasSubscribers) ends.publish(end)
    },
  }
}
