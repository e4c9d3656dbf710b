/**
 * Converts failures of a server or its client to this package's error. Clients put the whole command, including a
 * token, into their messages, so only name and code are kept.
 */
import { escapeControlChars } from '@brokerwire/core'
import { StoresError, type StoresErrorDetails } from '../stores-error.ts'

/** Maximum length of a client's error name and code. */
const MAX_SHOWN = 100

/** Whether the same call may succeed later, and the reason without any value. */
export interface FailureClass {
  readonly retryable: boolean
  readonly reason: string
}

/** The error for a server that is not available now. */
export function unavailable(operation: string, reason: string): StoresError<'STORE_UNAVAILABLE'> {
  return new StoresError('STORE_UNAVAILABLE', `${operation}: the server is not available: ${reason}`, {
    details: { operation, reason },
    retryable: true,
  })
}

/** The error for a server that could lose data or is not set up. @param nextStep - The action for the user. */
export function misconfigured(
  { setting, expected, received }: StoresErrorDetails['STORE_MISCONFIGURED'],
  nextStep: string,
  problem = `${setting} must be ${expected}; received ${received}`,
): StoresError<'STORE_MISCONFIGURED'> {
  return new StoresError('STORE_MISCONFIGURED', `${problem}. ${nextStep}`, {
    details: { setting, expected, received },
  })
}

/** The error for stored data that this store did not write. */
export function corrupt(path: string, reason: string): StoresError<'STORE_CORRUPT'> {
  return new StoresError('STORE_CORRUPT', `${path}: ${reason}`, { details: { path, reason } })
}

/** The error for a failure of the client. */
export function serverFailure(operation: string, { retryable, reason }: FailureClass): StoresError {
  if (retryable) return unavailable(operation, reason)
  return new StoresError('STORE_IO', `${operation}: the server rejected it: ${reason}`, {
    details: { operation, reason },
  })
}

/** Returns a string property of a client's error. */
export function stringProperty(error: unknown, property: 'name' | 'code' | 'message'): string | undefined {
  const value = (error as { readonly [key in typeof property]?: unknown } | null | undefined)?.[property]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns name and code of a client's error, for example `Error ECONNREFUSED`. */
export function errorLabel(error: unknown): string {
  const shown = [stringProperty(error, 'name'), stringProperty(error, 'code')].filter(
    (text) => text !== undefined,
  )
  return shown.length === 0 ? 'no error' : escapeControlChars([...new Set(shown)].join(' '), MAX_SHOWN)
}
