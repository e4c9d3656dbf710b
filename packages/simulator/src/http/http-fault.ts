/** What can be done to an HTTP request or its answer, instead of answering as it should. */

/** Faults of one HTTP request. */
export type HttpFault =
  /** Answers this instead of looking at the request. */
  | {
      readonly kind: 'answer'
      readonly status: number
      /** @defaultValue an empty body */
      readonly body?: string | undefined
      readonly headers?: Readonly<Record<string, string>> | undefined
    }
  /** Never answers. The request has no effect. */
  | { readonly kind: 'hang' }
  /** Breaks the connection instead of answering. With `processed`, the request has had its effect. */
  | { readonly kind: 'close'; readonly processed?: boolean | undefined }
  /** Processes the request, sends half of the answer and breaks the connection. */
  | { readonly kind: 'truncate' }
  /** Processes the request and sends the answer byte by byte. */
  | { readonly kind: 'drip'; readonly intervalMs: number }
  /** Answers 200 with this many bytes of white space before an object. */
  | { readonly kind: 'flood'; readonly bytes: number }

/** Kinds of {@link HttpFault}. */
export const HTTP_FAULTS = ['answer', 'hang', 'close', 'truncate', 'drip', 'flood'] as const
