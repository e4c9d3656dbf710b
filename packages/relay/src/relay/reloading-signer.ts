/** A signer whose secret is read again at an interval, so that a secret is replaced without a restart. */
import type { Clock, Secret } from '@brokerwire/core'
import type { StreamSigner } from '@brokerwire/streams'

/** How long a secret is used before it is read again, milliseconds. */
const VALID_MS = 10_000

export interface ReloadingSignerOptions {
  /** The secret that was read at the start. */
  readonly appSecret: Secret
  /** Reads the secret again. If it fails, the earlier secret stays in use. */
  readonly readSecret: () => Promise<Secret>
  readonly createSigner: (appSecret: Secret) => StreamSigner
  readonly clock: Clock
}

/** Creates the signer. A subscription that is open is not affected: its request was signed before. */
export function createReloadingSigner(options: ReloadingSignerOptions): StreamSigner {
  const { appSecret, readSecret, createSigner, clock } = options
  let current = { secret: appSecret.reveal(), signer: createSigner(appSecret) }
  let readMs = clock.now()

  async function reload(): Promise<void> {
    const next = await readSecret()
    if (next.reveal() !== current.secret) current = { secret: next.reveal(), signer: createSigner(next) }
  }

  return {
    appKey: current.signer.appKey,
    async signStream(requestBytes) {
      const nowMs = clock.now()
      if (Math.abs(nowMs - readMs) >= VALID_MS) {
        readMs = nowMs
        await reload().catch(() => {})
      }
      return current.signer.signStream(requestBytes)
    },
  }
}
