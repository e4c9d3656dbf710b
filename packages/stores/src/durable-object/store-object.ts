/**
 * The Durable Object that holds the texts. A Worker's entry module exports it, and its configuration binds it.
 *
 * Written against `fetch`, not against the platform's RPC base class: that one can be imported on the platform alone.
 */
import { createKeyedMutex } from '../keyed-mutex.ts'
import { type Answer, LEASE_MS, type Operation } from './protocol.ts'

/** The part of the object's storage that is used. */
export interface DurableStorageLike {
  get(key: string): Promise<unknown>
  put(key: string, value: unknown): Promise<void>
  delete(key: string): Promise<boolean>
}

/** The part of the object's state that is used. */
export interface DurableStateLike {
  readonly storage: DurableStorageLike
}

interface Lease {
  readonly token: string
  readonly untilMs: number
}

declare const Response: { json(value: unknown): unknown }

/** The object. One instance holds every key of a store: keys share its speed, about a thousand operations a second. */
export class StoreObject {
  readonly #storage: DurableStorageLike
  readonly #mutex = createKeyedMutex()

  constructor(state: DurableStateLike) {
    this.#storage = state.storage
  }

  /** Serves one operation of {@link createDurableObjectStore}. */
  async fetch<R>(request: { json(): Promise<unknown> }): Promise<R> {
    const operation = (await request.json()) as Operation
    // Comparing and writing are two calls to storage; nobody comes between them.
    const exit = await this.#mutex.enter(operation.key)
    try {
      return Response.json({ value: await this.#run(operation) } satisfies Answer) as R
    } finally {
      exit()
    }
  }

  async #run(operation: Operation): Promise<Answer['value']> {
    const storage = this.#storage
    const [valueKey, leaseKey] = [`value ${operation.key}`, `lease ${operation.key}`]
    if (operation.op === 'get' || operation.op === 'compareAndSet') {
      const stored = ((await storage.get(valueKey)) as string | undefined) ?? null
      if (operation.op === 'get') return stored
      if (stored !== operation.expected) return false
      if (operation.next === null) await storage.delete(valueKey)
      else await storage.put(valueKey, operation.next)
      return true
    }
    const lease = (await storage.get(leaseKey)) as Lease | undefined
    const isOwn = lease?.token === operation.token
    if (operation.op === 'unlock') {
      if (isOwn) await storage.delete(leaseKey)
      return isOwn
    }
    if (lease !== undefined && !isOwn && lease.untilMs > Date.now()) return false
    await storage.put(leaseKey, { token: operation.token, untilMs: Date.now() + LEASE_MS } satisfies Lease)
    return true
  }
}
