/** Faults of relays, of the servers that they write to, and of the networks between them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../random.ts'
import type { Cluster } from './cluster.ts'
import type { Events } from './events.ts'

export interface Target {
  readonly cluster: Cluster
  readonly events: Events
  readonly random: Random
  /** The time without a heartbeat after which a relay counts as dead. */
  readonly leaseMs: number
}
type Fault = (target: Target) => Promise<void>
type Relay = Cluster['relays'][number]

const POLL_MS = 20
/** Limit in real time until an earlier writer has tried to write. */
const MAX_REJECTION_MS = 300_000

const pickRelay = ({ cluster, random }: Target): Relay => random.pick(cluster.relays)

/** Draws a time after which another relay has taken over the apps. */
const beyondLease = ({ random, leaseMs }: Target): number => leaseMs * (1.2 + random.next() * 0.8)

/**
 * Kills one server. A second one must not be down at the same time, because a stream needs two of its three
 * replicas.
 */
async function killNode({ cluster, events, random }: Target, at: number): Promise<void> {
  const node = cluster.streams.nodes[at]
  const killed = node?.kill()
  // A failover loses some of these events, because the replica does not get them.
  events.sendSome(1)
  await killed
  await sleep(random.integer(0, 3000))
  await node?.restart()
  await cluster.untilReplicated()
}

/** Interrupts a network for `forMs`: connections are reset, or no bytes pass. */
async function cutOff({ random }: Target, proxies: Relay['toStreams'], forMs: number): Promise<void> {
  const isSilent = random.chance(0.5)
  for (const proxy of proxies) {
    proxy.mode = isSilent ? 'hold' : 'refuse'
    if (!isSilent) proxy.cut()
  }
  await sleep(forMs)
  for (const proxy of proxies) {
    // Resets the connections after an interruption without resets, because some connections stay broken.
    if (isSilent) proxy.cut()
    proxy.mode = 'open'
  }
}

export const STREAM_TAKEN = 'stream written by another relay'

const RELAY_FAULTS: Readonly<Record<string, Fault>> = {
  async 'relay killed'(target) {
    const relay = pickRelay(target)
    await relay.kill()
    // The relay is restarted immediately under the same name, or after other relays have taken over its apps.
    await sleep(target.random.chance(0.3) ? target.random.integer(0, 500) : beyondLease(target))
    await relay.start()
  },
  async 'relay stopped'(target) {
    const relay = pickRelay(target)
    relay.stop()
    await sleep(beyondLease(target))
    relay.resume()
  },
  async 'relay closed'(target) {
    const relay = pickRelay(target)
    await relay.close()
    await sleep(target.random.integer(0, 500))
    await relay.start()
  },
  'cut off from the streams': (target) =>
    cutOff(target, pickRelay(target).toStreams, target.random.integer(200, 6000)),
  'cut off from the service': (target) =>
    cutOff(target, [pickRelay(target).toService], target.random.integer(200, 6000)),
  'cut off from the store': (target) => cutOff(target, [pickRelay(target).toStore], beyondLease(target)),
  // This is the only fault after which an earlier writer certainly tries to write, because only the stream
  // shows the earlier writer that there is another one.
  async [STREAM_TAKEN]({ cluster, events, random, leaseMs }) {
    const before = cluster.counts.rejected
    const endMs = performance.now() + MAX_REJECTION_MS
    while (cluster.counts.rejected === before) {
      if (performance.now() > endMs) throw new Error('no earlier writer tried to write')
      await cluster.takeStream(random.pick(cluster.apps))
      events.sendSome(1)
      // If the app has no writer at this moment, there is no rejection, and the loop tries again.
      for (let waited = 0; waited < 2 * leaseMs && cluster.counts.rejected === before; waited += POLL_MS)
        await sleep(POLL_MS)
    }
  },
}

const NODE_FAULTS: Readonly<Record<string, Fault>> = {
  async 'leader killed'(target) {
    await killNode(target, await target.cluster.leaderOf(target.random.pick(target.cluster.apps)))
  },
  'node killed': (target) =>
    killNode(target, target.random.integer(0, target.cluster.streams.nodes.length - 1)),
}

const FAULTS = { ...RELAY_FAULTS, ...NODE_FAULTS }

/**
 * Draws a fault for each round, or two of different sorts at the same time. Each sort occurs at least once if
 * there are enough rounds.
 */
export function drawFaults(count: number, random: Random): string[][] {
  const [relays, nodes] = [Object.keys(RELAY_FAULTS), Object.keys(NODE_FAULTS)]
  let left: string[] = []
  return random.list(count, () => {
    if (left.length === 0) left = random.shuffle(Object.keys(FAULTS))
    const first = left.pop() ?? ''
    const other = random.pick(relays.includes(first) ? nodes : relays)
    return random.chance(0.25) ? [first, other] : [first]
  })
}

export async function inject(name: string, target: Target): Promise<void> {
  await FAULTS[name]?.(target)
}
