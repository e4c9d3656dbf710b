/** What happens to a server and to the network before it, at instants that are drawn. */

import type { ChildServer } from '@brokerwire/testing/child-server'
import type { TcpProxy } from '@brokerwire/testing/tcp-proxy'
import type { Random } from '../attacks/random.ts'

/** What is struck. */
export interface Target {
  readonly server: ChildServer
  readonly proxy: TcpProxy
}

/** Waits in real time: the servers and the processes are real. */
export const pause = (forMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, forMs))

const STRIKES: Readonly<Record<string, (target: Target, random: Random) => Promise<void>>> = {
  async killed({ server }, random) {
    await server.kill()
    await pause(random.integer(0, 600))
    await server.restart()
  },
  /** Shorter than the longest wait for an answer, or longer than a lease. */
  async stopped({ server }, random) {
    await server.pause()
    await pause(random.chance(0.5) ? random.integer(50, 1000) : random.integer(2500, 3200))
    server.resume()
  },
  async 'cut off'({ proxy }, random) {
    for (let times = random.integer(1, 3); times > 0; times -= 1) {
      proxy.cut()
      await pause(random.integer(20, 200))
    }
  },
  async 'half-closed'({ proxy }, random) {
    for (let times = random.integer(1, 3); times > 0; times -= 1) {
      proxy.halfClose()
      await pause(random.integer(20, 200))
    }
  },
  async delayed({ proxy }, random) {
    proxy.delayMs = random.integer(20, 400)
    await pause(random.integer(300, 1200))
    proxy.delayMs = 0
  },
  async held({ proxy }, random) {
    proxy.weather = 'hold'
    await pause(random.chance(0.5) ? random.integer(50, 1000) : random.integer(2500, 3200))
    proxy.weather = 'open'
  },
  async refused({ proxy }, random) {
    proxy.weather = 'refuse'
    proxy.cut()
    await pause(random.integer(50, 800))
    proxy.weather = 'open'
  },
}

/** Names of all that can happen. */
export const TROUBLES: readonly string[] = Object.keys(STRIKES)

/** One after the other. */
export async function strike(names: readonly string[], target: Target, random: Random): Promise<void> {
  for (const name of names) {
    await pause(random.integer(0, 300))
    await STRIKES[name]?.(target, random)
  }
}
