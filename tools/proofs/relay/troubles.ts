/** What happens to relays, to the servers that they write to, and to the networks between them. */
import type { Random } from '../attacks/random.ts'
import { pause } from '../stores/troubles.ts'
import type { Service } from './service.ts'
import type { RelayHost, World } from './world.ts'

/** What a trouble has to its hand. */
export interface Scene {
  readonly world: World
  readonly service: Service
  readonly random: Random
  /** Longer than this a relay that says nothing counts as dead. */
  readonly leaseMs: number
}

const LOOK_MS = 20
/** Real time: an earlier holder has tried to write by then, or never does. */
const MAX_REFUSAL_MS = 300_000

/** One that nothing else strikes at the same time. */
const pickRelay = ({ world, random }: Scene): RelayHost => random.pick(world.relays)

/** Long enough that another relay has the keys meanwhile. */
const beyondLease = ({ random, leaseMs }: Scene): number => leaseMs * (1.2 + random.next() * 0.8)

/** A server at a time: of three replicas two are to be there. */
async function killNode({ world, random }: Scene, at: number): Promise<void> {
  const node = world.nodes[at]
  await node?.kill()
  await pause(random.integer(0, 3000))
  await node?.restart()
  await world.untilReplicated()
}

/** Cuts a network off for a while: at once and for all to see, or so that nobody hears anything. */
async function cutOff(proxies: RelayHost['toNats'], forMs: number, isSilent: boolean): Promise<void> {
  for (const proxy of proxies) {
    proxy.weather = isSilent ? 'hold' : 'refuse'
    if (!isSilent) proxy.cut()
  }
  await pause(forMs)
  // Behind a silence some connections are gone.
  for (const proxy of proxies) {
    if (isSilent) proxy.cut()
    proxy.weather = 'open'
  }
}

const RELAY_TROUBLES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'relay killed'(scene) {
    const relay = pickRelay(scene)
    await relay.kill()
    // Back at once under the same name, or long after the others have its keys.
    await pause(scene.random.chance(0.3) ? scene.random.integer(0, 500) : beyondLease(scene))
    await relay.start()
  },
  async 'relay stopped'(scene) {
    const relay = pickRelay(scene)
    relay.stop()
    await pause(beyondLease(scene))
    relay.goOn()
  },
  async 'relay ended'(scene) {
    const relay = pickRelay(scene)
    await relay.end()
    await pause(scene.random.integer(0, 500))
    await relay.start()
  },
  async 'cut off from NATS'(scene) {
    const { random } = scene
    await cutOff(pickRelay(scene).toNats, random.integer(200, 6000), random.chance(0.5))
  },
  async 'cut off from the service'(scene) {
    const { random } = scene
    await cutOff([pickRelay(scene).toService], random.integer(200, 6000), random.chance(0.5))
  },
  async 'cut off from the store'(scene) {
    await cutOff([pickRelay(scene).toStore], beyondLease(scene), scene.random.chance(0.5))
  },
  // The one trouble in which an earlier holder is sure to write: nothing tells it before its stream does.
  async 'stream taken by another'({ world, service, random, leaseMs }) {
    const before = world.heard.refused
    const untilMs = performance.now() + MAX_REFUSAL_MS
    while (world.heard.refused === before) {
      if (performance.now() > untilMs)
        throw new Error('waited in vain: an earlier holder that tries to write')
      await world.takeStream(random.pick(world.keys))
      service.sendSome(1)
      // Between two holders nobody is refused: then once more.
      for (let waited = 0; waited < 2 * leaseMs && world.heard.refused === before; waited += LOOK_MS)
        await pause(LOOK_MS)
    }
  },
}

const NODE_TROUBLES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'leader killed'(scene) {
    const { world, random } = scene
    await killNode(scene, await world.leaderOf(random.pick(world.keys)))
  },
  async 'node killed'(scene) {
    await killNode(scene, scene.random.integer(0, 2))
  },
}

const TROUBLES = { ...RELAY_TROUBLES, ...NODE_TROUBLES }

/** Names of all that can happen. */
const TROUBLE_NAMES: readonly string[] = Object.keys(TROUBLES)

/** A trouble, or two of different sorts at once. */
export function drawTroubles(count: number, random: Random): string[][] {
  const rounds: string[][] = []
  const [relays, nodes] = [Object.keys(RELAY_TROUBLES), Object.keys(NODE_TROUBLES)]
  // Each at least once, as far as there are so many.
  let left: string[] = []
  while (rounds.length < count) {
    if (left.length === 0) left = random.shuffle(TROUBLE_NAMES)
    const first = left.pop() ?? ''
    const other = random.pick(relays.includes(first) ? nodes : relays)
    rounds.push(random.chance(0.25) ? [first, other] : [first])
  }
  return rounds
}

export async function strike(name: string, scene: Scene): Promise<void> {
  await TROUBLES[name]?.(scene)
}
