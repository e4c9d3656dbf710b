/** Faults of an HTTP request or its response. */

/** Faults of one HTTP request. */
export type HttpFault =
  /** Sends this response instead of handling the request. */
  | {
      readonly kind: 'respond'
      /** HTTP status, 200 to 599. */
      readonly status: number
      /** Body of the response. @defaultValue an empty body */
      readonly body?: string | undefined
      /** Headers of the response. @defaultValue none except `date` */
      readonly headers?: Readonly<Record<string, string>> | undefined
    }
  /** Never responds and does not execute the request. */
  | { readonly kind: 'hang' }
  /** Destroys the connection instead of responding. With `processed: true`, executes the request first. */
  | {
      readonly kind: 'close'
      /** Whether the request is executed first. @defaultValue false */
      readonly processed?: boolean | undefined
    }
  /** Executes the request, sends half of the response and destroys the connection. */
  | { readonly kind: 'truncate' }
  /** Executes the request and sends the response byte by byte. */
  | {
      readonly kind: 'drip'
      /** Milliseconds between two bytes. */
      readonly intervalMs: number
    }
  /** Executes the request immediately and sends the response later. */
  | {
      readonly kind: 'delay'
      /** Milliseconds before the response. */
      readonly delayMs: number
    }
  /** Responds with status 200 and a body of `bytes` bytes: white space, then an empty object. */
  | {
      readonly kind: 'flood'
      /** Size of the body in bytes, at least 2. */
      readonly bytes: number
    }

/** Kinds of {@link HttpFault}. */
export const HTTP_FAULTS = ['respond', 'hang', 'close', 'truncate', 'drip', 'delay', 'flood'] as const
