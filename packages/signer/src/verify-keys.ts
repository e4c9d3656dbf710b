/**
 * Keys of the secrets that a verifier was given, so that none is made anew for each request: an HMAC with a prepared key
 * takes a third of the time, and WebCrypto imports a key once.
 */
import type { SecretInput } from '@brokerwire/core'
import { revealSecret, utf8Encode } from '@brokerwire/core/internal'
import type { MacHash } from './algorithms.ts'
import type { SignerCrypto } from './crypto/port.ts'
import { check } from './signer-error.ts'

/** Secrets of an app key: several while they are rotated, `undefined` or `null` where the key is unknown. */
export type SecretLookup = SecretInput | readonly SecretInput[] | null | undefined

type Mac = ReturnType<SignerCrypto['hmac']>

/** Keys that are kept at most. Beyond it all are forgotten, and made again as they are needed. */
const MAX_KEYS = 256

const isList = (found: SecretLookup): found is readonly SecretInput[] => Array.isArray(found)

/** Makes a function that gives the HMACs of what a look-up found: none where the app key is unknown. */
export function macsOfSecrets(crypto: SignerCrypto): (found: SecretLookup, hash: MacHash) => readonly Mac[] {
  const known = new Map<string, Mac>()
  const macOf = (secret: SecretInput, hash: MacHash): Mac => {
    const text = revealSecret(secret)
    check(text, 'secretFor()', 'a Secret or a string that is not empty, a list of them, or undefined')
    const name = `${hash} ${text}`
    const kept = known.get(name)
    if (kept !== undefined) return kept
    if (known.size >= MAX_KEYS) known.clear()
    const mac = crypto.hmac(hash, utf8Encode(`${text}&`))
    known.set(name, mac)
    return mac
  }
  return (found, hash) => {
    if (found === undefined || found === null) return []
    return (isList(found) ? found : [found]).map((secret) => macOf(secret, hash))
  }
}
