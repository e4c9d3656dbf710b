/**
 * What became of a call to a server, in this package's errors. Clients put the command that failed, token and all, into
 * their messages: of them only the name and the code are kept.
 */
import { printable } from '@brokerwire/core'
import { StoresError, type StoresErrorDetails } from '../stores-error.ts'

/** Of the name and the code of a client's error. */
const MAX_SHOWN = 100

/** Whether the same call can succeed later, and what the server or the client said, without a word of the values. */
export interface Verdict {
  readonly retryable: boolean
  readonly reason: string
}

/** The error of a server that cannot serve now. */
export function unavailable(operation: string, reason: string): StoresError<'STORE_UNAVAILABLE'> {
  return new StoresError('STORE_UNAVAILABLE', `${operation}: the server is not available: ${reason}`, {
    details: { operation, reason },
    retryable: true,
  })
}

/**
 * The error of a server that would lose what is written, or is not set up.
 *
 * @param nextStep - What to do.
 */
export function unfit(
  { setting, expected, received }: StoresErrorDetails['STORE_MISCONFIGURED'],
  nextStep: string,
  problem = `${setting} must be ${expected}; received ${received}`,
): StoresError<'STORE_MISCONFIGURED'> {
  return new StoresError('STORE_MISCONFIGURED', `${problem}. ${nextStep}`, {
    details: { setting, expected, received },
  })
}

/** The error of stored data that this store did not write. */
export function corrupt(path: string, reason: string): StoresError<'STORE_CORRUPT'> {
  return new StoresError('STORE_CORRUPT', `${path}: ${reason}`, { details: { path, reason } })
}

/** The error for what a client threw. */
export function failed(operation: string, { retryable, reason }: Verdict): StoresError {
  if (retryable) return unavailable(operation, reason)
  return new StoresError('STORE_IO', `${operation}: the server refused: ${reason}`, {
    details: { operation, reason },
  })
}

/** A text property of what a client threw. */
export function textOf(error: unknown, property: 'name' | 'code' | 'message'): string | undefined {
  const value = (error as { readonly [key in typeof property]?: unknown } | null | undefined)?.[property]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The name and the code of what a client threw: `Error ECONNREFUSED`. */
export function nameOf(error: unknown): string {
  const shown = [textOf(error, 'name'), textOf(error, 'code')].filter((text) => text !== undefined)
  return shown.length === 0 ? 'no error' : printable([...new Set(shown)].join(' '), MAX_SHOWN)
}
