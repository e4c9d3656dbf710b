/** A simulator for one test, on Node and in workerd. `simulator-host.ts` starts it, and the test uses it over real sockets. */

import type { EdgeBrokerageOptions } from '@brokerwire/edge'
import { inject, onTestFinished } from 'vitest'
import type {} from './simulator-host.ts'

/** A simulator in another process. */
export interface RemoteSimulator {
  /** The options of a brokerage that connects to it. */
  readonly options: Pick<
    EdgeBrokerageOptions,
    'region' | 'environment' | 'appKey' | 'appSecret' | 'overrides'
  >
  approveSecondFactor(): Promise<void>
  endAccessTokens(): Promise<void>
  /** Sets a fault for the next request to `path`. */
  fault(path: string, fault: object): Promise<void>
  requests(): Promise<readonly { readonly path: string; readonly status: number }[]>
}

async function ask(method: string, path: string, json?: unknown): Promise<unknown> {
  const init = json === undefined ? { method } : { method, body: JSON.stringify(json) }
  const response = await fetch(`${inject('simulatorHost')}/${path}`, init)
  if (!response.ok) throw new Error(`the host of simulators: ${await response.text()}`)
  return response.json()
}

/** Starts a simulator that ends with the test. */
export async function startRemoteSimulator(environment: 'sandbox' | 'production'): Promise<RemoteSimulator> {
  const { id, baseUrl, ...rest } = (await ask('POST', '', { environment })) as {
    id: string
    baseUrl: string
  } & Pick<EdgeBrokerageOptions, 'region' | 'environment' | 'appKey' | 'appSecret'>
  onTestFinished(async () => void (await ask('DELETE', id)))
  return {
    options: { ...rest, overrides: { baseUrl } },
    approveSecondFactor: async () => void (await ask('POST', `${id}/approve`)),
    endAccessTokens: async () => void (await ask('POST', `${id}/end-tokens`)),
    fault: async (path, fault) => void (await ask('POST', `${id}/fault`, { path, fault })),
    requests: async () => (await ask('GET', id)) as { path: string; status: number }[],
  }
}
