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

export class SentSecrets {
  #last: readonly string[] = []
  #redact = createRedactor([])

  /** @param secrets - Signature, nonce, token. Those of the attempt before stay hidden too: what a service says may be late. */
  add(secrets: readonly string[]): void {
    this.#redact = createRedactor([...secrets, ...this.#last])
    this.#last = secrets
  }

  readonly shown: Shown = (text) => printable(this.#redact(text, MAX_LOOKED_AT), MAX_LENGTH)
}
