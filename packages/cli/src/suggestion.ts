/** The name that somebody meant, behind a message. */
import { nearestName } from '@brokerwire/core/internal'

/** ` (Did you mean X?)`, or nothing. */
export function suggestion(name: string, names: readonly string[]): string {
  const found = nearestName(name, names)
  return found === undefined ? '' : ` (Did you mean ${found}?)`
}
