/** The keys of a sink's signatures. The secrets are read again at an interval, so that one is replaced without a restart. */
import type { Clock } from '@brokerwire/core'
import { notify } from '@brokerwire/core/internal'
import { type HmacKey, importKeys } from '../webhook/signature.ts'
import type { WebhookSecrets } from '../webhook/webhook-secrets.ts'

export interface SigningKeysOptions {
  /** The secrets, or a function that returns them. */
  readonly secrets: WebhookSecrets | (() => WebhookSecrets | PromiseLike<WebhookSecrets>)
  readonly clock: Clock
  /** Called when the secrets could not be read again. */
  readonly onSecretsFailed?: ((error: unknown) => void) | undefined
}

/** How long keys are used before the secrets are read again. */
const VALID_MS = 10_000

export class SigningKeys {
  readonly #options: SigningKeysOptions
  #keys: readonly HmacKey[] | undefined
  #readMs = 0

  constructor(options: SigningKeysOptions) {
    this.#options = options
  }

  /** Returns the keys. @throws RelayError `RELAY_OPTION_INVALID`, or the error of the function, at the first call. */
  async get(): Promise<readonly HmacKey[]> {
    const { secrets, clock, onSecretsFailed } = this.#options
    const nowMs = clock.now()
    const isValid = typeof secrets !== 'function' || Math.abs(nowMs - this.#readMs) < VALID_MS
    if (this.#keys !== undefined && isValid) return this.#keys
    try {
      this.#keys = await importKeys('secrets', typeof secrets === 'function' ? await secrets() : secrets)
    } catch (error) {
      if (this.#keys === undefined) throw error
      notify(() => onSecretsFailed?.(error))
    }
    this.#readMs = nowMs
    return this.#keys
  }
}
