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

/** Faults in waiting. */
export interface HttpFaultQueue {
  /** @param path - Only for requests to this path. */
  add(fault: HttpFault, path: string | undefined, count: number): void
  take(path: string): HttpFault | undefined
  clear(): void
}

/** Makes an empty queue. */
export function createHttpFaultQueue(): HttpFaultQueue {
  let waiting: { readonly fault: HttpFault; readonly path: string | undefined }[] = []
  return {
    add(fault, path, count) {
      for (let left = count; left > 0; left -= 1) waiting.push({ fault, path })
    },
    take(path) {
      const index = waiting.findIndex((item) => item.path === undefined || item.path === path)
      return index < 0 ? undefined : waiting.splice(index, 1)[0]?.fault
    },
    clear() {
      waiting = []
    },
  }
}
