/** Suggestions in messages about an unknown name. */
import { didYouMean, receivedName } from '@brokerwire/core/internal'

/** Returns `. Did you mean "X"?`, or an empty string. */
export function suggestion(name: string, names: readonly string[]): string {
  const found = didYouMean(name.slice(0, MAX_NAME), names)
  return found === undefined ? '' : `. Did you mean "${found}"?`
}

const MAX_NAME = 40

/**
 * Returns `; received "X"`, and a similar known name. A long text is not shown, because it may be a secret.
 */
export const receivedText = (text: string, names: readonly string[] = []): string =>
  `; received ${receivedName(text)}${suggestion(text, names)}`
