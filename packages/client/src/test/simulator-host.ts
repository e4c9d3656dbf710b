/**
 * Simulators for tests in workerd, which cannot start one: a Node process starts them on request. Vitest loads this file once for a
 * run (`globalSetup`). The simulator is loaded by the first request.
 *
 * `POST /` starts a simulator and returns its addresses; `POST /ID/ACTION` changes it; `GET /ID` returns the requests that it
 * received; `DELETE /ID` closes it.
 */
import type { Simulator } from '@brokerwire/simulator'
import { startJsonHost } from '@brokerwire/testing/json-host'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the simulator host. */
    readonly simulatorHost: string
  }
}

function perform(simulator: Simulator, deed: string, json: unknown): unknown {
  switch (deed) {
    case 'approve':
      return simulator.approveSecondFactor()
    case 'end-tokens':
      return simulator.endAccessTokens()
    case 'fault': {
      const { fault, path } = json as { fault: Parameters<Simulator['faults']['nextHttp']>[0]; path: string }
      return simulator.faults.nextHttp(fault, { path })
    }
    default:
      throw new Error(`no such deed: ${deed}`)
  }
}

/** The global setup: starts the host, provides its address to tests, and returns the function that stops it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const simulators = new Map<string, Simulator>()
  let started = 0

  const host = await startJsonHost(async ({ method, url, json }) => {
    const [, id = '', deed = ''] = url.pathname.split('/')
    if (id === '') {
      const { startSimulator } = await import('@brokerwire/simulator')
      const simulator = await startSimulator({ rateLimit: false, ...(json as object) })
      started += 1
      simulators.set(String(started), simulator)
      const { baseUrl, region, environment, credentials } = simulator
      const { appKey, appSecret } = credentials
      return { id: String(started), baseUrl, region, environment, appKey, appSecret: appSecret.reveal() }
    }
    const simulator = simulators.get(id)
    if (simulator === undefined) throw new Error(`no simulator ${id}`)
    if (method === 'POST') return perform(simulator, deed, json)
    if (method === 'DELETE') {
      simulators.delete(id)
      return simulator.close()
    }
    return simulator.requests().map(({ path, status, errorCode }) => ({ path, status, errorCode }))
  })
  project.provide('simulatorHost', host.url)
  return async () => {
    await host.close()
    await Promise.all([...simulators.values()].map((simulator) => simulator.close()))
  }
}
