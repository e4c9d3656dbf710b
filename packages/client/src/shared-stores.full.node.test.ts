/** Eight processes on each store that machines share. Five of them are killed at the same points as in the test of the file store. */

import { needs } from '@brokerwire/testing/installed'
import { SHARED_SERVERS } from '@brokerwire/testing/shared-servers'
import { describe, test } from 'vitest'
import { eightProcesses } from './test/eight-processes.ts'

/** Time after which a lock holder counts as killed: longer than a holder waits for the processor on a machine with 24 starting processes. */
const LEASE_MS = 5000
/** No server is stopped here, so a late response means that the disk is busy. */
const TIMEOUT_MS = 30_000

for (const [kind, needed, start] of SHARED_SERVERS) {
  const { skip, note } = needs(needed)
  // The processes wait for leases most of the time.
  describe.skipIf(skip).concurrent(`eight processes on ${kind}${note}`, () => {
    test('eight processes of which five are killed send one create at a time, poll once, and share one token', async ({
      onTestFinished,
    }) => {
      const server = await start()
      onTestFinished(() => server.close())
      await eightProcesses(
        { kind, port: server.port, leaseMs: LEASE_MS, timeoutMs: TIMEOUT_MS },
        onTestFinished,
      )
    }, 120_000)
  })
}
