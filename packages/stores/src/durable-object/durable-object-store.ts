/**
 * A store in a Cloudflare Durable Object, for Workers: the object is alone in the world under its name, so its
 * compare-and-set is atomic among all isolates.
 *
 * Workers KV is not offered: it has no compare-and-set, and a write is seen elsewhere a minute later.
 */
import { type Clock, requireText, type Store, sleep, systemClock, throwIfAborted } from '@brokerwire/core'
import { checkKey, checkValue } from '../checks.ts'
import { optionFailure, StoresError } from '../stores-error.ts'
import { type Answer, LEASE_MS, type Operation } from './protocol.ts'

/** The part of the namespace binding that is used. */
export interface DurableNamespaceLike {
  idFromName(name: string): unknown
  get(id: never): {
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
  /** Names the object: stores of other names share nothing. @defaultValue 'brokerwire' */
  readonly name?: string | undefined
  /** Times the waiting for locks. @defaultValue systemClock */
  readonly clock?: Clock | undefined
}

declare const crypto: { randomUUID(): string }

const FIRST_WAIT_MS = 25
const LONGEST_WAIT_MS = 1000

/**
 * Makes a store with `lock`. Sends nothing before its first call.
 *
 * The lock is a lease of 30 seconds that its holder prolongs; a holder whose isolate is gone frees it by that. A
 * holder that was stopped for longer may overlap with the next one.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`; its calls reject with `STORE_IO` where the object fails.
 */
export function createDurableObjectStore(options: DurableObjectStoreOptions): Store {
  const { namespace, clock = systemClock } = options
  const name = requireText(optionFailure, 'name', options.name ?? 'brokerwire')

  async function call(operation: Operation): Promise<Answer['value']> {
    const failed = (reason: string): StoresError =>
      new StoresError('STORE_IO', `${operation.op}: the object answered ${reason}`, {
        details: { operation: operation.op, reason },
        retryable: true,
      })
    let response: Awaited<ReturnType<ReturnType<DurableNamespaceLike['get']>['fetch']>>
    try {
      const object = namespace.get(namespace.idFromName(name) as never)
      response = await object.fetch('https://store.invalid/', {
        method: 'POST',
        body: JSON.stringify(operation),
      })
    } catch (error) {
      // The platform's message may tell of the value; its name says enough.
      throw failed(error instanceof Error ? error.name : 'an error')
    }
    if (!response.ok) throw failed(`status ${response.status}`)
    return ((await response.json()) as Answer).value
  }

  /** Prolongs the lease until stopped. A failed attempt is left to the next one: the lease outlasts two. */
  function prolong(key: string, token: string): () => void {
    let cancel = (): void => {}
    const arm = (): void => {
      cancel = clock.setTimer(() => {
        arm()
        call({ op: 'lock', key, token }).catch(() => undefined)
      }, LEASE_MS / 3)
    }
    arm()
    return () => cancel()
  }

  return {
    async get(key) {
      const value = await call({ op: 'get', key: checkKey(key) })
      return typeof value === 'string' ? value : undefined
    },
    async compareAndSet(key, expected, next) {
      checkKey(key)
      return (
        (await call({
          op: 'compareAndSet',
          key,
          expected: checkValue('expected', expected) ?? null,
          next: checkValue('next', next) ?? null,
        })) === true
      )
    },
    async lock(key, { signal } = {}) {
      checkKey(key)
      const token = crypto.randomUUID()
      for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
        throwIfAborted(signal)
        if ((await call({ op: 'lock', key, token })) === true) break
        await sleep(clock, waitMs, signal)
      }
      const stop = prolong(key, token)
      let released: Promise<void> | undefined
      const release = async (): Promise<void> => {
        stop()
        await call({ op: 'unlock', key, token })
      }
      if (signal?.aborted) await release()
      throwIfAborted(signal)
      return {
        release() {
          released ??= release()
          return released
        },
      }
    },
  }
}
