/**
 * What a service or a network said, as errors and notices show it: free of the secrets that were sent, however they are
 * encoded, printable, and short.
 */
import { createRedactor, printable } from '@brokerwire/core'

/** Makes a text of somebody else's one that may be shown. */
export type Shown = (text: string) => string

const MAX_LENGTH = 200
/** An escape of one character is up to ten long; more than so much is not looked at. */
const MAX_LOOKED_AT = 10 * MAX_LENGTH

/** @param secrets - What was sent and must not be shown: signature, nonce, token. Empty ones are none. */
export function shownWithout(secrets: readonly string[]): Shown {
  const redact = createRedactor(secrets)
  return (text) => printable(redact(text, MAX_LOOKED_AT), MAX_LENGTH)
}

export class SentSecrets {
  #last: readonly string[] = []
  #shown = shownWithout([])

  /** Those of the attempt before stay hidden too: what a service says may be late. */
  add(secrets: readonly string[]): void {
    this.#shown = shownWithout([...secrets, ...this.#last])
    this.#last = secrets
  }

  readonly shown: Shown = (text) => this.#shown(text)
}
