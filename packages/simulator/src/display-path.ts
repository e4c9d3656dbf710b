/** Checks of paths in messages. */
import { received } from '@brokerwire/core/internal'

/** Longer path segments may be keys, tokens or account ids. */
const NAME = /^[\w.-]{1,24}$/

/** The text for an invalid path whose segments are names. A query may contain secrets and is not shown. */
export function displayPath(value: unknown): string {
  const isPath = typeof value === 'string' && value !== '' && value.split('/').every(isNameSegment)
  return isPath ? `"${value}"` : received(value)
}

const isNameSegment = (part: string): boolean => part === '' || NAME.test(part.replace(/^:/, ''))
