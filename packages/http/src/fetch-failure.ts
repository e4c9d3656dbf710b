/**
 * Determines whether a request that failed without a response was sent.
 *
 * This decides what may be retried. Only failures that are known to precede the first byte count as not sent: name
 * resolution, connection, the server's certificate. Everything else counts as sent.
 */
import { proxyFailure, unsentCause } from '#host'
import type { HostError, ProxyFailure, UnsentCause } from './host/port.ts'

/** A failure of `fetch`. */
export interface FetchFailure {
  /** `false` if the request was sent, or if that is unknown. */
  readonly isCertainlyUnsent: boolean
  /** Whether a retry would fail in the same way, because the host or the proxy rejects the request. */
  readonly isPermanent: boolean
  /**
   * A code such as `ECONNRESET`, or the error's name; `unknown` if the error has neither. Never a message,
   * because a message may quote a header. The code of a replaced `fetch` may be any string of this form, so
   * {@link classify} removes the request's secrets from it.
   */
  readonly code: string
  /** Set if a proxy opened no connection. */
  readonly proxy?: ProxyFailure | undefined
}

interface NestedError extends HostError {
  readonly name?: unknown
  readonly cause?: unknown
  readonly errors?: unknown
}

/** The forms of codes (`ECONNRESET`, Bun's `ConnectionRefused`) and names (`TypeError`). A token has neither form. */
const CODE = /^(?=.{2,48}$)(?:[A-Z][A-Z0-9_]+|(?:[A-Z][a-z]+){1,5})$/

const asCode = (value: unknown): string | undefined =>
  typeof value === 'string' && CODE.test(value) ? value : undefined

const MAX_DEPTH = 5

const NOT_CONNECTED: UnsentCause = { code: 'connect', isPermanent: false }

/** Parses an error of `fetch`. A replaced `fetch` may throw anything, including objects whose getters throw. */
export function parseFetchFailure(thrown: unknown): FetchFailure {
  let code: string | undefined
  try {
    let error = thrown as NestedError | null | undefined
    for (let depth = 0; depth < MAX_DEPTH && error; depth += 1) {
      code = asCode(error.code) ?? code
      const proxy = proxyFailure(error)
      if (proxy !== undefined)
        return { isCertainlyUnsent: true, isPermanent: !proxy.retryable, code: proxy.code, proxy }
      const { syscall, cause, errors }: NestedError = error
      const unsent = syscall === 'connect' || syscall === 'getaddrinfo' ? NOT_CONNECTED : unsentCause(error)
      if (unsent !== undefined)
        return { isCertainlyUnsent: true, isPermanent: unsent.isPermanent, code: code ?? unsent.code }
      // `errors` is set if several addresses were tried. The first error is enough, because each address
      // failed in the same phase.
      error = Array.isArray(errors) ? errors[0] : cause
    }
    code ??= asCode((thrown as NestedError | null | undefined)?.name)
  } catch {
    // A getter threw. The properties that were read before are used.
  }
  return { isCertainlyUnsent: false, isPermanent: false, code: code ?? 'unknown' }
}
