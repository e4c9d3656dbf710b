/**
 * The responses that a test gives to the local service, as data: the test may run in workerd while the service is a Node
 * process, so nothing but JSON can pass between them.
 */
import type { VerifyResult } from '@brokerwire/signer'

/** One thing that the service does with a connection. */
export type Step =
  /** Status and headers, now. */
  | 'head'
  /** The end of the body. */
  | 'end'
  /** The connection is cut. */
  | 'destroy'
  /** Bytes without end, as fast as they are taken. */
  | 'pour'
  | { readonly write: string }
  | { readonly writeBase64: string }
  /** So many bytes of filler. */
  | { readonly fill: number }
  /** So many zero bytes, as gzip packs them. */
  | { readonly zip: number }
  /** One byte, and another each time that so many milliseconds have passed, without end. */
  | { readonly dripEveryMs: number }
  /** Text on the socket itself, in the place of an HTTP answer. */
  | { readonly raw: string }

/**
 * An answer. `{header NAME}` and `{body}` in `json` and `headers` stand for what arrived: a service that quotes the
 * request.
 */
export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
  /** Done in the place of a whole answer, in order. None: the request stays without an answer. */
  readonly steps?: readonly Step[]
  /** Leaves the `Date` header out. */
  readonly withoutDate?: boolean
  /** The answer to requests whose signature was refused. */
  readonly refused?: Reply
}

/** A request as it arrived. */
export interface Received {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
  /** The body as text. */
  readonly text: string
  readonly verdict: VerifyResult
  /** Writes of the answer that its connection has taken so far. */
  readonly writes: number
}
