/**
 * `pnpm proof NAME [--short] [--seed N] [--only TEXT]`: long runs that try to break the promises of the
 * packages.
 *
 * - Without a name it lists the proofs.
 * - `pnpm proof NAME --help` lists the options and the cases of one.
 * - The exit status is 1 if a case fails.
 */
import { type Proof, runProof, UsageError } from './harness.ts'

const PROOFS: Readonly<Record<string, readonly [summary: string, load: () => Promise<{ proof: Proof }>]>> = {
  attacks: [
    'hostile requests, responses, brokers, streams and files, and processes that are killed in a loop, against the packages and real servers',
    () => import('./attacks/attacks.ts'),
  ],
  backfill: [
    'the order events of a service that loses some of them and cuts connections, with a backfill',
    () => import('./backfill/backfill.ts'),
  ],
  faults: [
    'event streams between processes while servers, connections, frames and consumers fail',
    () => import('./faults/faults.ts'),
  ],
  fuzz: ['random payloads and MQTT packets through the decoders', () => import('./fuzz.ts')],
  orders: [
    'processes that are killed while they place orders through the journal',
    () => import('./orders/orders.ts'),
  ],
  quiet: [
    'streams without data for seven minutes on a server that counts PINGs',
    () => import('./quiet/quiet.ts'),
  ],
  relay: [
    'three relays that write to NATS, Postgres, Redis or webhooks while relays, servers and networks fail',
    () => import('./relay/relay.ts'),
  ],
  repeat: [
    'the tests, repeated in random order, on an idle and on a busy machine',
    () => import('./repeat.ts'),
  ],
  state: ['the state file of a simulator that is killed at random moments', () => import('./state/state.ts')],
  stores: [
    'eight processes that share a token in a store, for each store, while processes, servers and networks fail',
    () => import('./stores/stores.ts'),
  ],
}

const [name, ...args] = process.argv.slice(2)
const names = Object.keys(PROOFS)
try {
  if (name === undefined || name === '--help') {
    for (const [each, [summary]] of Object.entries(PROOFS))
      console.log(`pnpm proof ${each.padEnd(8)} ${summary}`)
    process.exit(0)
  }
  const entry = Object.hasOwn(PROOFS, name) ? PROOFS[name] : undefined
  if (entry === undefined)
    throw new UsageError(`"${name}" is not a proof; the proofs are ${names.join(', ')}`)
  const passed = await runProof(name, (await entry[1]()).proof, args)
  // Ends the process, because a failed case may have left a connection open.
  process.exit(passed ? 0 : 1)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exit(2)
}
