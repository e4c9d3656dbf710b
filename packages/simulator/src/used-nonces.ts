/** What the simulator remembers of nonces: enough for a load test on one's own desk. */
import { createNonceMemory, type NonceMemory } from '@brokerwire/signer'

/** So many requests an app may send within the window of timestamps and a minute. What is beyond is refused. */
const MOST_OF_AN_APP = 200_000

/** Makes an empty memory. */
export const createUsedNonces = (): NonceMemory => createNonceMemory({ maxEntriesPerKey: MOST_OF_AN_APP })
