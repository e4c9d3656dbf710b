/** The short reason of an error: usually the system error code at the end of the cause chain. */
import { isBrokerwireError } from '@brokerwire/core'
import { isRecord } from '@brokerwire/core/internal'

const MAX_DEPTH = 5
/** Error names that only wrap the reason. */
const WRAPPERS: readonly unknown[] = ['Error', 'TypeError', 'AggregateError']

/**
 * Returns the code and the sentence of an error of the toolkit, the error code of the system, or the name of
 * any other error.
 */
export function describeReason(error: unknown): string {
  if (isBrokerwireError(error)) return `${error.code}: ${error.message}`
  let found: string | undefined
  let at = error
  for (let depth = 0; depth < MAX_DEPTH && isRecord(at); depth += 1) {
    const { code, name, message, cause, errors } = at
    if (typeof code === 'string') return code
    // The innermost error is used, because it is the most specific. A message such as `fetch failed` explains
    // nothing.
    if (typeof name === 'string') found = WRAPPERS.includes(name) && message ? String(message) : name
    at = cause ?? (Array.isArray(errors) ? errors[0] : undefined)
  }
  return found ?? 'unknown reason'
}
