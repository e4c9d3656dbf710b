/** Faults of relays, of the servers that they write to, and of the networks between them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../random.ts'
import type { Cluster } from './cluster.ts'
import type { Events } from './events.ts'

export interface Target {
  readonly cluster: Cluster
  readonly events: Events
  readonly random: Random
  /** A relay that is silent for longer counts as dead. */
  readonly leaseMs: number
}
type Fault = (target: Target) => Promise<void>
type Relay = Cluster['relays'][number]

const POLL_MS = 20
/** Real time in which an earlier holder tries to write. */
const MAX_REFUSAL_MS = 300_000

const pickRelay = ({ cluster, random }: Target): Relay => random.pick(cluster.relays)

/** So long that another relay takes the apps over. */
const beyondLease = ({ random, leaseMs }: Target): number => leaseMs * (1.2 + random.next() * 0.8)

/** One server at a time: two of three replicas are needed. */
async function killNode({ cluster, random }: Target, at: number): Promise<void> {
  const node = cluster.nodes[at]
  await node?.kill()
  await sleep(random.integer(0, 3000))
  await node?.restart()
  await cluster.untilReplicated()
}

/** Interrupts a network for a while: with resets, or without a response. */
async function cutOff({ random }: Target, proxies: Relay['toNats'], forMs: number): Promise<void> {
  const isSilent = random.chance(0.5)
  for (const proxy of proxies) {
    proxy.weather = isSilent ? 'hold' : 'refuse'
    if (!isSilent) proxy.cut()
  }
  await sleep(forMs)
  for (const proxy of proxies) {
    // After a silence some connections are gone.
    if (isSilent) proxy.cut()
    proxy.weather = 'open'
  }
}

export const STREAM_TAKEN = 'stream taken by another'

const RELAY_FAULTS: Readonly<Record<string, Fault>> = {
  async 'relay killed'(target) {
    const relay = pickRelay(target)
    await relay.kill()
    // It comes back at once under the same name, or after the others have its apps.
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
  'cut off from NATS': (target) => cutOff(target, pickRelay(target).toNats, target.random.integer(200, 6000)),
  'cut off from the service': (target) =>
    cutOff(target, [pickRelay(target).toService], target.random.integer(200, 6000)),
  'cut off from the store': (target) => cutOff(target, [pickRelay(target).toStore], beyondLease(target)),
  // The only fault in which an earlier holder is sure to write: only its stream informs it.
  async [STREAM_TAKEN]({ cluster, events, random, leaseMs }) {
    const before = cluster.counts.refused
    const endMs = performance.now() + MAX_REFUSAL_MS
    while (cluster.counts.refused === before) {
      if (performance.now() > endMs) throw new Error('no earlier holder tried to write')
      await cluster.takeStream(random.pick(cluster.apps))
      events.sendSome(1)
      // An app without a holder at this moment gives no refusal: try again.
      for (let waited = 0; waited < 2 * leaseMs && cluster.counts.refused === before; waited += POLL_MS)
        await sleep(POLL_MS)
    }
  },
}

const NODE_FAULTS: Readonly<Record<string, Fault>> = {
  async 'leader killed'(target) {
    await killNode(target, await target.cluster.leaderOf(target.random.pick(target.cluster.apps)))
  },
  'node killed': (target) => killNode(target, target.random.integer(0, 2)),
}

const FAULTS = { ...RELAY_FAULTS, ...NODE_FAULTS }

/** For each round a fault, or two of different sorts at once. Each occurs at least once if there are enough rounds. */
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
