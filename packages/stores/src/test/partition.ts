/**
 * A namespace behind a network that a test cuts: requests that never arrive, and answers that never come or come late.
 *
 * Virtual time does not see what a real object still has to answer, so time passes here in steps, each after the
 * answers of the one before.
 */
import { type Clock, sleep } from '@brokerwire/core'
import type { VirtualClock } from '@brokerwire/core/testing'
import type { DurableNamespaceLike } from '../durable-object/index.ts'

type Fetch = (
  url: string,
  init: { readonly method: string; readonly body: string },
) => Promise<{ readonly ok: boolean; readonly status: number; json(): Promise<unknown> }>

/** What the network does now. */
export interface Network {
  /** `lost`: the caller is told at once. `silent`: nobody ever answers. */
  requests: 'arrive' | 'lost' | 'silent'
  /** The object has done what it was asked for before the answer is lost. */
  answers: 'arrive' | 'lost' | 'silent'
  /** How long a request is under way before it arrives. */
  requestDelayMs: number
  /** How long an answer is under way. */
  answerDelayMs: number
  readonly calls: { readonly op: string; readonly atMs: number }[]
  /** Calls that the object works on now. */
  atWork: number
}

/** @returns The namespace as one isolate sees it, and its network. */
export function behindNetwork(
  namespace: DurableNamespaceLike,
  clock: Clock,
): { readonly namespace: DurableNamespaceLike; readonly network: Network } {
  const network: Network = {
    requests: 'arrive',
    answers: 'arrive',
    requestDelayMs: 0,
    answerDelayMs: 0,
    calls: [],
    atWork: 0,
  }
  const pass = async (fate: Network['requests'], delayMs: number): Promise<void> => {
    if (delayMs > 0) await sleep(clock, delayMs)
    if (fate === 'silent') await new Promise(() => {})
    if (fate === 'lost') throw new TypeError('the network is cut')
  }
  const fetchOf =
    (fetch: Fetch): Fetch =>
    async (url, init) => {
      network.calls.push({ op: (JSON.parse(init.body) as { op: string }).op, atMs: clock.now() })
      await pass(network.requests, network.requestDelayMs)
      network.atWork += 1
      let response: Awaited<ReturnType<Fetch>>
      let answer: unknown
      try {
        response = await fetch(url, init)
        answer = await response.json()
      } finally {
        network.atWork -= 1
      }
      const { ok, status } = response
      await pass(network.answers, network.answerDelayMs)
      return { ok, status, json: async () => answer }
    }
  return {
    network,
    namespace: {
      idFromName: (name) => namespace.idFromName(name),
      get(id) {
        const object = namespace.get(id)
        return { fetch: fetchOf((url, init) => object.fetch(url, init)) }
      },
    },
  }
}

/** Lets virtual time pass, second by second, while the object answers as fast as it can. */
export async function passTime(
  clock: VirtualClock,
  networks: readonly Network[],
  delayMs: number,
  stepMs = 1000,
): Promise<void> {
  const answered = async (): Promise<void> => {
    do {
      await clock.settle()
      await new Promise((resolve) => setTimeout(resolve))
    } while (networks.some(({ atWork }) => atWork > 0))
    await clock.settle()
  }
  await answered()
  for (let restMs = delayMs; restMs > 0; restMs -= stepMs) {
    await clock.advance(Math.min(stepMs, restMs))
    await answered()
  }
}
