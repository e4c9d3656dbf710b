/** Wrong paths in messages. */
import { received } from '@brokerwire/core/internal'

/** Longer ones may be keys, tokens or account ids. */
const NAME = /^[\w.-]{1,24}$/

/** A value in place of a path whose parts are names. A query may contain anything, so it is not shown. */
export function shownPath(value: unknown): string {
  const isPath = typeof value === 'string' && value !== '' && value.split('/').every(isPart)
  return isPath ? `"${value}"` : received(value)
}

const isPart = (part: string): boolean => part === '' || NAME.test(part.replace(/^:/, ''))
