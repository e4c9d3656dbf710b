/**
 * The namespace of a Durable Object behind a network that a test can interrupt. Requests and responses may be
 * lost or late. It needs no host, so it also runs in workerd. A virtual clock cannot know that a real object
 * has not responded yet. Therefore time passes in steps, and each step waits for the responses of the step
 * before.
 */
import type { Clock } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import type { VirtualClock } from '@brokerwire/core/testing'

type Fetch = (
  url: string,
  init: { readonly method: string; readonly body: string },
) => Promise<{ readonly ok: boolean; readonly status: number; json(): Promise<unknown> }>

/** The part of a namespace that a store uses. */
export interface Namespace {
  idFromName(name: string): unknown
  get(id: never): { fetch: Fetch }
}

/** The state of the network. */
export interface Network {
  /** `lost`: the caller gets an error immediately. `silent`: the caller never gets a response. */
  requests: 'arrive' | 'lost' | 'silent'
  /** As for `requests`. The object has already processed the request when its response is lost. */
  answers: 'arrive' | 'lost' | 'silent'
  requestDelayMs: number
  answerDelayMs: number
  readonly calls: { readonly op: string; readonly atMs: number }[]
  /** Number of calls that the object is processing. */
  atWork: number
}

/** @returns The namespace for one isolate, and its network. */
export function behindNetwork(
  namespace: Namespace,
  clock: Clock,
): { readonly namespace: Namespace; readonly network: Network } {
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

/** Advances the virtual clock second by second, while the object responds in real time. */
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
