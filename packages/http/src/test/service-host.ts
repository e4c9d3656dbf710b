/**
 * Local services for tests, over HTTP: a test in workerd cannot listen on a socket, so a Node process does it
 * for tests on both runtimes. Vitest starts it once for a run (`globalSetup`).
 *
 * `POST /` opens a service; `PUT /ID` sets its replies; `GET /ID?count=N` waits until N requests have arrived and
 * returns them all; `DELETE /ID` ends it.
 */

import { startJsonHost } from '@brokerwire/testing/json-host'
import type { TestProject } from 'vitest/node'
import { type LocalService, startLocalService } from './local-service.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the host of local services. */
    readonly httpServiceHost: string
  }
}

/** A global setup: starts the host, provides its URL to tests, and returns a function that stops it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const services = new Map<string, LocalService>()
  let opened = 0

  const host = await startJsonHost(async ({ method, url, json }) => {
    const id = url.pathname.slice(1)
    if (method === 'POST') {
      const { nowMs } = json as { nowMs?: number }
      const service = await startLocalService(nowMs === undefined ? undefined : () => nowMs)
      opened += 1
      services.set(String(opened), service)
      return { id: String(opened), url: service.url }
    }
    const service = services.get(id)
    if (service === undefined) throw new Error(`no service ${id}`)
    if (method === 'PUT') return service.reply(...(json as never[]))
    if (method === 'DELETE') {
      services.delete(id)
      return service.close()
    }
    await service.arrived(Number(url.searchParams.get('count')))
    return service.received.map((received) => ({ ...received, body: [...received.body] }))
  })
  project.provide('httpServiceHost', host.url)
  return host.close
}
