/** Eight real processes on each store that machines share, five of them killed at the same points as over files. */

import { needs } from '@brokerwire/testing/installed'
import { SHARED_SERVERS } from '@brokerwire/testing/shared-servers'
import { describe, test } from 'vitest'
import { eightProcesses } from './test/eight-processes.ts'

/** Twenty-four processes that begin on a busy machine: a holder that is kept from running for so long is none. */
const LEASE_MS = 5000
/** No server is stopped here: a late answer is a busy disk's, not a failure. */
const TIMEOUT_MS = 30_000

for (const [kind, needed, start] of SHARED_SERVERS) {
  const { skip, note } = needs(needed)
  // They wait for leases most of the time.
  describe.skipIf(skip).concurrent(`eight processes on ${kind}${note}`, () => {
    test('five killed: one create at a time, one poller, one token', async ({ onTestFinished }) => {
      const server = await start()
      onTestFinished(() => server.close())
      await eightProcesses(
        { kind, port: server.port, leaseMs: LEASE_MS, timeoutMs: TIMEOUT_MS },
        onTestFinished,
      )
    }, 120_000)
  })
}
