/**
 * Whether a request that failed without an answer left this process.
 *
 * It decides what may be repeated, so only failures that are known to come before the first byte count as not sent:
 * name resolution, the connection, the server's certificate. Hosts that say nothing of it get the careful answer.
 */
import { unsentBecause } from '#host'
import type { HostFailure } from './host/port.ts'

/** What is known of a failure. */
export interface FetchFailure {
  readonly sent: boolean
  /** A code such as `ECONNRESET`, or the error's name. Never a message: it may quote a header. */
  readonly reason: string
}

interface Failure extends HostFailure {
  readonly name?: unknown
  readonly cause?: unknown
  readonly errors?: unknown
}

/** A code or a name, without anything that might be quoted. */
const wordOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\w{1,60}$/.test(value) ? value : undefined

const MAX_DEPTH = 5

/** Reads what a host's `fetch` threw. A replaced one may throw anything, getters that throw as well. */
export function readFetchFailure(thrown: unknown): FetchFailure {
  let reason: string | undefined
  try {
    let error = thrown as Failure | null | undefined
    for (let depth = 0; depth < MAX_DEPTH && error; depth += 1) {
      const { code, syscall, cause, errors }: Failure = error
      reason = wordOf(code) ?? reason
      const why = syscall === 'connect' || syscall === 'getaddrinfo' ? 'connect' : unsentBecause(error)
      if (why !== undefined) return { sent: false, reason: reason ?? why }
      // Several addresses that were tried: each failed in the same phase.
      error = Array.isArray(errors) ? errors[0] : cause
    }
    reason ??= wordOf((thrown as Failure | null | undefined)?.name)
  } catch {
    // As far as it was read.
  }
  return { sent: true, reason: reason ?? 'unknown' }
}
