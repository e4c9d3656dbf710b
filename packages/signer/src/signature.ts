/** Signatures: the headers to send, and the canonical string. */
import { canonicalRequest, type RequestParts } from './canonical-request.ts'

/** The headers that carry a signature. */
export type SignatureHeaders = Readonly<
  Record<
    | 'x-app-key'
    | 'x-timestamp'
    | 'x-signature-version'
    | 'x-signature-algorithm'
    | 'x-signature-nonce'
    | 'x-signature',
    string
  >
>

/** The signature of an event stream. */
export interface StreamSignature {
  /** Headers to send as gRPC metadata. */
  readonly headers: SignatureHeaders
  /** The canonical string, before percent-encoding. */
  readonly canonical: string
}

/**
 * The signature of an HTTP request. `canonical` is a getter that builds the string: a copy by spreading and
 * `JSON.stringify` do not have it.
 */
export interface Signature extends StreamSignature {
  /** Headers to add to the request. `host` is not among them, because the client sends it. */
  readonly headers: SignatureHeaders
  /**
   * URL to send: the origin, the path as given, and the query in signed order, encoded as in RFC 3986. The
   * origin is that of the input, by default the scheme and the signed host.
   */
  readonly url: string
}

/** A signature that builds its canonical string when you read `canonical`. */
export class RequestSignature implements Signature {
  readonly headers: SignatureHeaders
  readonly url: string
  readonly #parts: RequestParts

  constructor(headers: SignatureHeaders, url: string, parts: RequestParts) {
    this.headers = headers
    this.url = url
    this.#parts = parts
  }

  get canonical(): string {
    return canonicalRequest(this.#parts)
  }
}
