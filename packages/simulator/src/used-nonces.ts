/** The store of used nonces. Its capacity is large enough for a local load test. */
import { createInMemoryNonceStore, type InMemoryNonceStore } from '@brokerwire/signer'

/**
 * Maximum number of stored nonces of an app: those of its requests within the timestamp window and a minute.
 * Further requests are rejected.
 */
const MAX_NONCES_PER_APP = 200_000

/** Creates an empty store. */
export const createUsedNonces = (): InMemoryNonceStore =>
  createInMemoryNonceStore({ maxEntriesPerKey: MAX_NONCES_PER_APP })
