/** Formats paths for messages. */
import { received } from '@brokerwire/core/internal'

/** Longer path segments may be keys, tokens or account ids. */
const NAME = /^[\w.-]{1,24}$/

/**
 * Returns an invalid path if its segments are names. A query is not shown, because it may contain secrets.
 */
export function displayPath(value: unknown): string {
  const isPath = typeof value === 'string' && value !== '' && value.split('/').every(isNameSegment)
  return isPath ? `"${value}"` : received(value)
}

const isNameSegment = (part: string): boolean => part === '' || NAME.test(part.replace(/^:/, ''))
