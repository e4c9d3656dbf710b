/**
 * A cache of HMAC keys. With a cached key, an HMAC takes a third of the time, and WebCrypto imports each key
 * only once.
 */
import type { SecretInput } from '@brokerwire/core'
import { revealSecret, utf8Encode } from '@brokerwire/core/internal'
import type { MacHash } from './algorithms.ts'
import type { SignerCrypto } from './crypto/port.ts'
import { check } from './signer-error.ts'

/**
 * The secret of an app key, or several secrets while they are rotated. `undefined` or `null` if the app key
 * is unknown.
 */
export type SecretLookup = SecretInput | readonly SecretInput[] | null | undefined

type Mac = ReturnType<SignerCrypto['hmac']>

/** Maximum number of cached keys. A full cache is cleared. */
const MAX_KEYS = 256

const isList = (found: SecretLookup): found is readonly SecretInput[] => Array.isArray(found)

/**
 * Creates a function that returns the HMACs for the result of a look-up. A result that is not a secret or a
 * list counts as an unknown app key, because an app key in a request must not make `verify()` throw. For
 * example, `(key) => table[key]` returns a function for the key `constructor`.
 */
export function createHmacCache(
  crypto: SignerCrypto,
): (found: SecretLookup, hash: MacHash) => readonly Mac[] {
  const known = new Map<string, Mac>()
  const getHmac = (text: string | undefined, hash: MacHash): Mac => {
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
    if (isList(found)) return found.map((secret) => getHmac(revealSecret(secret), hash))
    const text = revealSecret(found)
    return text === undefined ? [] : [getHmac(text, hash)]
  }
}
