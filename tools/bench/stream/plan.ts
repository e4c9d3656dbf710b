/** What a client asks the server to send: JSON in the request's `payload`, so that every client can carry it. */

/** One DATA frame per message, or frames of 16 KiB that know nothing of messages. */
export type Shape = 'permsg' | 'packed'

/** Whose messages: order events, or events of several modules. */
export type Service = 'trade' | 'module'

export type Plan =
  /** As fast as the windows and the socket allow. */
  | {
      readonly kind: 'blast'
      readonly shape: Shape
      /** @defaultValue 'trade' */
      readonly service?: Service
      readonly blocks: number
    }
  /** So many messages each second, one DATA frame each. */
  | { readonly kind: 'paced'; readonly perSecond: number; readonly messages: number }
  /** One message at a time, each with the instant at which it was sent. */
  | { readonly kind: 'lone'; readonly messages: number; readonly intervalMs: number }

/** Windows of each contender that can raise them: the default of our transport. */
export const WINDOW_BYTES = 1024 * 1024

/** What a client reports of one run. */
export interface ClientReport {
  /** Of those who see messages. */
  readonly messages?: number
  /** Characters of all payloads, or bytes of all frames where messages are not seen: proves that nothing is missing. */
  readonly size: number
  readonly seconds: number
  readonly cpuSeconds: number
  readonly rssBytes: number
  /** Resident memory during the run, every 50 ms. */
  readonly rssSamples: readonly number[]
  /** Microseconds from sending to receiving. */
  readonly latencies: readonly number[]
}

/** What the server reports of the same run. */
export interface ServerReport {
  readonly seconds: number
  readonly cpuSeconds: number
  /** Nothing could be sent because the client had not granted room. */
  readonly waitedForWindow: number
  /** Nothing could be sent because the client had not read the socket. */
  readonly waitedForSocket: number
}
