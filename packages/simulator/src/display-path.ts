/** Formats paths for messages. */
import { received } from '@brokerwire/core/internal'

/** Form of a path segment that may be shown. A longer segment could be a key, a token or an account id. */
const NAME = /^[\w.-]{1,24}$/

/**
 * Formats an invalid path for a message. The path is shown only if all its segments are names. A path with a
 * query is not shown, because a query may contain secrets.
 */
export function displayPath(value: unknown): string {
  const isPath = typeof value === 'string' && value !== '' && value.split('/').every(isNameSegment)
  return isPath ? `"${value}"` : received(value)
}

const isNameSegment = (part: string): boolean => part === '' || NAME.test(part.replace(/^:/, ''))
