/**
 * A store in a Cloudflare Durable Object, for Workers. There is one instance of the object for each name, so its
 * compare-and-set is atomic across all isolates.
 *
 * Workers KV is not supported: it has no compare-and-set, and writes are visible elsewhere up to a minute later.
 */
import type { Clock, Store } from '@brokerwire/core'
import {
  abortable,
  acquireLease,
  clock,
  createTimeoutController,
  type FieldsOf,
  isRecord,
  port,
  readOptions,
  string,
  typeName,
} from '@brokerwire/core/internal'
import { checkKey, checkValue, readWaitSignal } from '../checks.ts'
import { randomToken } from '../shared/random-token.ts'
import { lockLost, optionFailure, StoresError } from '../stores-error.ts'
import { LEASE_MS, MAX_TEXT_LENGTH, type Operation } from './protocol.ts'

/** The part of the namespace binding that is used. */
export interface DurableNamespaceLike {
  /** Returns the id of the object with this name. */
  idFromName(name: string): unknown
  /** Returns a stub that sends requests to the object. */
  get(id: never): {
    /** Sends one request to the object. */
    fetch(
      url: string,
      init: { readonly method: string; readonly body: string },
    ): Promise<{
      readonly ok: boolean
      readonly status: number
      json(): Promise<unknown>
    }>
  }
}

/** Options of {@link createDurableObjectStore}. Read once. */
export interface DurableObjectStoreOptions {
  /** The binding of a namespace whose class is `StoreObject`. */
  readonly namespace: DurableNamespaceLike
  /** Name of the object. Stores with different names share nothing. @defaultValue 'brokerwire' */
  readonly name?: string | undefined
  /** Source of time and timers for locks. @defaultValue systemClock */
  readonly clock?: Clock | undefined
}

const OPTIONS = {
  namespace: port<DurableNamespaceLike>(['idFromName', 'get']),
  name: string({ default: 'brokerwire' }),
  clock,
} satisfies FieldsOf<DurableObjectStoreOptions>

/** Time limit for a response of the object. */
const ANSWER_MS = 30_000

function ioFailed(op: Operation['op'], reason: string): StoresError<'STORE_IO'> {
  return new StoresError('STORE_IO', `${op}: the object returned ${reason}`, {
    details: { operation: op, reason },
    retryable: true,
  })
}

/**
 * Creates a store with `lock`. It sends nothing before its first call.
 *
 * The lock is a lease of 30 seconds that its holder extends. If the holder's isolate is gone, the lease expires. A
 * holder that cannot extend it is notified by `lost` after 25 seconds, before another holder can acquire it. Only
 * an isolate that was suspended in the meantime is notified later.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`. Its calls reject with:
 * - `STORE_IO` if the object fails or does not respond for 30 seconds
 * - `STORE_CORRUPT` if a stored value is not a text
 * - `STORE_OPTION_INVALID` if a key and its value together have more than 1,000,000 characters
 *
 * @example
 * ```ts
 * import { createDurableObjectStore, type DurableNamespaceLike } from '@brokerwire/stores/durable-object'
 *
 * export { StoreObject } from '@brokerwire/stores/durable-object'
 *
 * export default {
 *   async fetch(_request: Request, env: { STORE: DurableNamespaceLike }): Promise<Response> {
 *     const store = createDurableObjectStore({ namespace: env.STORE })
 *     return new Response(await store.get('greeting'))
 *   },
 * }
 * ```
 */
export function createDurableObjectStore(given: DurableObjectStoreOptions): Store {
  const { namespace, name, clock } = readOptions(optionFailure, given, OPTIONS)

  async function send(operation: Operation): Promise<{ status: number | undefined; answer: unknown }> {
    const object = namespace.get(namespace.idFromName(name) as never)
    const response = await object.fetch('https://store.invalid/', {
      method: 'POST',
      body: JSON.stringify(operation),
    })
    return response.ok
      ? { status: undefined, answer: await response.json() }
      : { status: response.status, answer: undefined }
  }
  async function call(operation: Operation): Promise<unknown> {
    const { op } = operation
    const { controller, release } = createTimeoutController(clock, ANSWER_MS)
    const { status, answer } = await abortable(send(operation), controller.signal)
      .finally(release)
      .catch((error: unknown) => {
        // The platform's message may quote the value, so only the error's name is kept.
        throw ioFailed(op, error instanceof Error ? error.name : 'an error')
      })
    if (status !== undefined) throw ioFailed(op, `status ${status}`)
    if (!isRecord(answer)) throw ioFailed(op, typeName(answer))
    if (answer.corrupt === true) {
      const path = `value ${operation.key}`
      const reason = 'expected a string'
      throw new StoresError('STORE_CORRUPT', `${path}: ${reason}`, { details: { path, reason } })
    }
    return answer.value
  }
  /**
   * Sends an operation whose response is a boolean. Any other response must not count as `false`, because the
   * comparison was not made.
   */
  async function ask(operation: Exclude<Operation, { op: 'get' }>): Promise<boolean> {
    const value = await call(operation)
    if (typeof value !== 'boolean')
      throw ioFailed(operation.op, `${typeName(value)}, which is not a valid response`)
    return value
  }

  return {
    async get(key) {
      const value = await call({ op: 'get', key: checkKey(key) })
      if (value !== null && typeof value !== 'string')
        throw ioFailed('get', `${typeName(value)}, which is not a valid response`)
      return value ?? undefined
    },

    compareAndSet: async (key, expected, next) => {
      checkKey(key)
      checkValue('expected', expected)
      const length = key.length + (checkValue('next', next)?.length ?? 0)
      if (length > MAX_TEXT_LENGTH)
        throw optionFailure('next', `at most ${MAX_TEXT_LENGTH} characters with the key`, String(length))
      return ask({ op: 'compareAndSet', key, expected: expected ?? null, next: next ?? null })
    },

    async lock(key, lockOptions) {
      checkKey(key)
      const signal = readWaitSignal(lockOptions)
      const token = randomToken()
      const backend = {
        acquire: () => ask({ op: 'lock', key, token }),
        extend: () => ask({ op: 'extend', key, token }),
        release: () => ask({ op: 'unlock', key, token }),
      }
      return await acquireLease(backend, { clock, leaseMs: LEASE_MS, lostReason: lockLost, signal })
    },
  }
}
