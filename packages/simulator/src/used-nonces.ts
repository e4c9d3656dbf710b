/** The store of used nonces: large enough for a local load test. */
import { createInMemoryNonceStore, type InMemoryNonceStore } from '@brokerwire/signer'

/** Requests of an app within the timestamp window and a minute. Further ones are rejected. */
const MAX_NONCES_PER_APP = 200_000

/** Creates an empty store. */
export const createUsedNonces = (): InMemoryNonceStore =>
  createInMemoryNonceStore({ maxEntriesPerKey: MAX_NONCES_PER_APP })
