/**
 * The Durable Object that keeps the texts. Export it from your Worker's entry module and bind it in the
 * configuration.
 *
 * It uses `fetch` instead of the platform's RPC base class, which can be imported only on the platform.
 */
import { isRecord } from '@brokerwire/core/internal'
import { createKeyedMutex } from '../keyed-mutex.ts'
import { type Answer, LEASE_MS, type Operation } from './protocol.ts'

/** The part of the object's storage that is used. */
export interface DurableStorageLike {
  /** Reads the value under a key. */
  get(key: string): Promise<unknown>
  /** Writes a value under a key. */
  put(key: string, value: unknown): Promise<void>
  /** Deletes a key; returns whether it existed. */
  delete(key: string): Promise<boolean>
}

/** The part of the object's state that is used. */
export interface DurableStateLike {
  /** The storage of the object. */
  readonly storage: DurableStorageLike
}

interface Lease {
  readonly token: string
  readonly untilMs: number
}

declare const Response: { json(value: unknown): unknown }

/**
 * The Durable Object of a store. One instance keeps all keys of a store, so all keys together are limited to
 * about a thousand operations a second.
 */
export class StoreObject {
  /**
   * The brand of Durable Objects in Cloudflare's types, for `DurableObjectNamespace<StoreObject>`. It exists only
   * as a type.
   */
  declare readonly __DURABLE_OBJECT_BRAND: never
  readonly #storage: DurableStorageLike
  readonly #mutex = createKeyedMutex()

  constructor(state: DurableStateLike) {
    this.#storage = state.storage
  }

  /** Serves one operation of {@link createDurableObjectStore}. */
  async fetch<R>(request: { json(): Promise<unknown> }): Promise<R> {
    const operation = (await request.json()) as Operation
    // The comparison and the write are two storage calls. The mutex prevents other operations between them.
    const release = await this.#mutex.acquire(operation.key)
    try {
      return Response.json((await this.#run(operation)) satisfies Answer) as R
    } finally {
      release()
    }
  }

  async #run(operation: Operation): Promise<Answer> {
    switch (operation.op) {
      case 'get':
      case 'compareAndSet':
        return this.#runOnValue(operation)
      case 'lock':
      case 'extend':
      case 'unlock':
        return { value: await this.#runOnLease(operation) }
    }
  }

  async #runOnValue(operation: Extract<Operation, { op: 'get' | 'compareAndSet' }>): Promise<Answer> {
    const storage = this.#storage
    const key = `value ${operation.key}`
    const stored = (await storage.get(key)) ?? null
    // Any other value is reported as corrupt instead of missing, because a caller that finds nothing starts
    // again and overwrites the old value.
    if (stored !== null && typeof stored !== 'string') return { corrupt: true }
    if (operation.op === 'get') return { value: stored }
    if (stored !== operation.expected) return { value: false }
    if (operation.next === null) await storage.delete(key)
    else await storage.put(key, operation.next)
    return { value: true }
  }

  async #runOnLease(operation: Extract<Operation, { op: 'lock' | 'extend' | 'unlock' }>): Promise<boolean> {
    const storage = this.#storage
    const { op, token } = operation
    const key = `lease ${operation.key}`
    const lease = readLease(await storage.get(key))
    const isOwn = lease?.token === token
    if (op === 'unlock') {
      if (isOwn) await storage.delete(key)
      return isOwn
    }
    const nowMs = Date.now()
    const isFree = op === 'lock' && (lease === undefined || lease.untilMs <= nowMs)
    if (!isOwn && !isFree) return false
    await storage.put(key, { token, untilMs: nowMs + LEASE_MS } satisfies Lease)
    return true
  }
}

/** Reads a lease. An unreadable lease counts as missing, so that its holder is notified that it is lost. */
function readLease(stored: unknown): Lease | undefined {
  if (!isRecord(stored)) return undefined
  const { token, untilMs } = stored
  return typeof token === 'string' && typeof untilMs === 'number' ? { token, untilMs } : undefined
}
