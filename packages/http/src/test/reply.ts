/**
 * The replies of the local service. They are JSON, because a test may run in workerd while the service is a Node process.
 */
import type { VerifyResult } from '@brokerwire/signer'

/** One step of a reply. */
export type Step =
  /** Sends status and headers at once. */
  | 'head'
  /** Ends the body. */
  | 'end'
  /** Breaks the connection. */
  | 'destroy'
  /** Sends bytes without end, as fast as the client reads them. */
  | 'pour'
  | { readonly write: string }
  | { readonly writeBase64: string }
  /** Sends this number of filler bytes. */
  | { readonly fill: number }
  /** Sends this number of zero bytes, compressed with gzip. */
  | { readonly zip: number }
  /** Sends one byte each time that so many milliseconds have passed, without end. */
  | { readonly dripEveryMs: number }
  /** Writes this string to the socket, instead of an HTTP response. */
  | { readonly raw: string }

/**
 * A reply. `{header NAME}` and `{body}` in `json` and `headers` are replaced by the parts of the request, for a service that quotes
 * them.
 */
export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
  /** Steps instead of a whole response, in order. An empty list: the request gets no response. */
  readonly steps?: readonly Step[]
  /** Leaves the `Date` header out. */
  readonly withoutDate?: boolean
  /** The reply to requests whose signature is invalid. @defaultValue this reply */
  readonly ifSignatureInvalid?: Reply
}

/** A received request. */
export interface Received {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
  /** The body as a string. */
  readonly text: string
  readonly verdict: VerifyResult
  /** Number of writes of the response so far. */
  readonly writes: number
}
