/** The name that somebody meant, behind a message. */
import { didYouMean } from '@brokerwire/core/internal'

/** ` (Did you mean X?)`, or nothing. */
export function suggestion(name: string, names: readonly string[]): string {
  const found = didYouMean(name, names)
  return found === undefined ? '' : ` (Did you mean ${found}?)`
}
