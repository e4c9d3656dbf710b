/** Faults of a server and of the network in front of it, at random moments. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildServer } from '@brokerwire/testing/child-server'
import type { TcpProxy } from '@brokerwire/testing/tcp-proxy'
import type { Random } from '../random.ts'

export interface Target {
  readonly server: ChildServer
  readonly proxy: TcpProxy
}

/** The duration of a stop: shorter than the timeout of a call, or longer than a lease. */
const stopMs = (random: Random): number =>
  random.chance(0.5) ? random.integer(50, 1000) : random.integer(2500, 3200)

async function repeated(random: Random, action: () => void): Promise<void> {
  for (let times = random.integer(1, 3); times > 0; times -= 1) {
    action()
    await sleep(random.integer(20, 200))
  }
}

const FAULTS: Readonly<Record<string, (target: Target, random: Random) => Promise<void>>> = {
  async 'server killed'({ server }, random) {
    await server.kill()
    await sleep(random.integer(0, 600))
    await server.restart()
  },
  async 'server stopped'({ server }, random) {
    await server.pause()
    await sleep(stopMs(random))
    server.resume()
  },
  'connections reset': ({ proxy }, random) => repeated(random, () => proxy.cut()),
  'connections half-closed': ({ proxy }, random) => repeated(random, () => proxy.halfClose()),
  async 'answers delayed'({ proxy }, random) {
    proxy.delayMs = random.integer(20, 400)
    await sleep(random.integer(300, 1200))
    proxy.delayMs = 0
  },
  async 'bytes held'({ proxy }, random) {
    proxy.mode = 'hold'
    await sleep(stopMs(random))
    proxy.mode = 'open'
  },
  async 'connections refused'({ proxy }, random) {
    proxy.mode = 'refuse'
    proxy.cut()
    await sleep(random.integer(50, 800))
    proxy.mode = 'open'
  },
}

export const FAULT_NAMES: readonly string[] = Object.keys(FAULTS)

export async function inject(names: readonly string[], target: Target, random: Random): Promise<void> {
  for (const name of names) {
    await sleep(random.integer(0, 300))
    await FAULTS[name]?.(target, random)
  }
}
