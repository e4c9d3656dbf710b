/** Eight real processes on each store that machines share, five of them killed at the same points as over files. */
import { describe, test } from 'vitest'
import type { ChildServer } from '../../../tools/servers/child-server.ts'
import { needs, type ServerPackage } from '../../../tools/servers/installed.ts'
import { startNats } from '../../../tools/servers/nats.ts'
import { startPostgres } from '../../../tools/servers/postgres.ts'
import { startRedis } from '../../../tools/servers/redis.ts'
import { eightProcesses } from './test/eight-processes.ts'

const SERVERS: readonly (readonly [
  kind: 'redis' | 'postgres' | 'nats',
  needed: ServerPackage,
  start: () => Promise<ChildServer>,
])[] = [
  ['redis', 'redis-server', () => startRedis()],
  ['postgres', 'postgresql', () => startPostgres()],
  ['nats', 'nats-server', () => startNats()],
]

/** Twenty-four processes that begin on a busy machine: a holder that is kept from running for so long is none. */
const LEASE_MS = 5000

for (const [kind, needed, start] of SERVERS) {
  const { skip, note } = needs(needed)
  // They wait for leases most of the time.
  describe.skipIf(skip).concurrent(`eight processes on ${kind}${note}`, () => {
    test('five killed: one create at a time, one poller, one token', async ({ onTestFinished }) => {
      const server = await start()
      onTestFinished(() => server.close())
      await eightProcesses({ kind, port: server.port, leaseMs: LEASE_MS }, onTestFinished)
    }, 120_000)
  })
}
