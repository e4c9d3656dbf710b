/** A local service for one test, on Node and in workerd. `service-host.ts` opens its sockets. */
import { inject, onTestFinished } from 'vitest'
import type { Received, Reply } from './reply.ts'
import type {} from './service-host.ts'

/** A running service. */
export interface Service {
  readonly url: string
  /** The requests received so far. */
  received(): Promise<readonly Received[]>
  /** Sets the next replies, in order. The last one is repeated. */
  reply(...replies: readonly Reply[]): Promise<void>
  /** Waits until this many requests have arrived. */
  arrived(count: number): Promise<readonly Received[]>
}

async function ask(method: string, path: string, json?: unknown): Promise<unknown> {
  const init = json === undefined ? { method } : { method, body: JSON.stringify(json) }
  const response = await fetch(`${inject('httpServiceHost')}/${path}`, init)
  if (!response.ok) throw new Error(`the host of services: ${await response.text()}`)
  return response.json()
}

async function open(options: { nowMs?: number | undefined }): Promise<{ id: string; url: string }> {
  return (await ask('POST', '', options)) as { id: string; url: string }
}

/** Starts a service that ends with the test. @param nowMs - The instant for the check of timestamps. */
export async function startService(options: { nowMs?: number } = {}): Promise<Service> {
  const { id, url } = await open(options)
  onTestFinished(async () => void (await ask('DELETE', id)))
  const arrived = async (count: number): Promise<readonly Received[]> => {
    const received = (await ask('GET', `${id}?count=${count}`)) as (Received & { body: Iterable<number> })[]
    return received.map((one) => ({ ...one, body: Uint8Array.from(one.body) }))
  }
  return {
    url,
    arrived,
    received: () => arrived(0),
    reply: async (...replies) => void (await ask('PUT', id, replies)),
  }
}

/** A URL without a server: the system never assigns this port, and `fetch` allows it. */
export const DEAD_URL = 'http://127.0.0.1:2'
