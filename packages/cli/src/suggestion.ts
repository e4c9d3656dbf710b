/** The ends of messages about a wrong name. */
import { didYouMean, receivedName } from '@brokerwire/core/internal'

/** `. Did you mean "X"?`, or nothing. */
export function suggestion(name: string, names: readonly string[]): string {
  const found = didYouMean(name.slice(0, MAX_NAME), names)
  return found === undefined ? '' : `. Did you mean "${found}"?`
}

const MAX_NAME = 40

/** `; received "X"`, and the known name that is near. Long texts are not shown: they may be secrets. */
export const receivedText = (text: string, names: readonly string[] = []): string =>
  `; received ${receivedName(text)}${suggestion(text, names)}`
