/**
 * The common part of stores on servers: a time limit for every call, the check of the server before the first
 * one, and the lock. Without the time limit, clients wait for a hung server for a long time, some without
 * end.
 */
import type { Clock, Store, StoreLock, StoreWaitOptions } from '@brokerwire/core'
import {
  acquireLease,
  clock,
  type FieldsOf,
  type InferFields,
  integer,
  type LeaseBackend,
  type OptionFailure,
} from '@brokerwire/core/internal'
import { checkKey, checkValue, readWaitSignal } from '../checks.ts'
import { isStoresError, lockLost, optionFailure } from '../stores-error.ts'
import { type FailureClass, serverFailure, unavailable } from './failures.ts'
import { randomToken } from './random-token.ts'

/** A store on a server that several machines share. */
export interface SharedStore extends Store {
  /**
   * Connects to the server and checks its settings. Every call does this before its first command and after the
   * server was unavailable. Call it at the start of your service to see problems early.
   *
   * @throws {@link StoresError} `STORE_MISCONFIGURED`, `STORE_UNAVAILABLE`, `STORE_IO`.
   */
  ready(): Promise<void>
  /** Waits for the lock of a key; the lock is a lease that the holder extends. */
  lock(key: string, options?: StoreWaitOptions): Promise<StoreLock>
}

/** Options that all stores on servers have. */
export interface SharedStoreOptions {
  /**
   * Time limit of a call in milliseconds, 100 to 600,000. After it the call fails with `STORE_UNAVAILABLE`.
   * @defaultValue 5000
   */
  readonly timeoutMs?: number | undefined
  /**
   * How long a lock is kept after its holder last extended it, in milliseconds, 1000 to 600,000. The holder extends
   * it after a third of that time.
   * @defaultValue 30_000
   */
  readonly leaseMs?: number | undefined
  /** Source of time and timers. @defaultValue systemClock */
  readonly clock?: Clock | undefined
}

/** The lease of a lock, with a time limit for each call. */
export interface LeaseClient {
  /** Acquires the lease if it is free; `waitedMs` is the time that this caller has waited. */
  acquire(call: SharedCall, waitedMs: number): Promise<boolean>
  /** Extends the lease; `false` if another holder has it. */
  extend(call: SharedCall): Promise<boolean>
  /** Releases the lease if this caller still holds it. */
  release(call: SharedCall): Promise<unknown>
}

/** A running call. */
export interface SharedCall {
  /**
   * Called before each further command. After the time limit the caller has already received an error, so nothing
   * more may be sent.
   *
   * @throws If the time limit has passed.
   */
  continue(): void
}

/**
 * The operations of a driver. They need no time limit, and may reject with the client's errors or with errors of
 * this package.
 */
export interface SharedDriver {
  /** Checks the settings of the server. */
  check(): Promise<void>
  /** @throws `STORE_OPTION_INVALID` for a key or value that this server cannot store. */
  limit(key: string, next: string | undefined): void
  get(key: string, call: SharedCall): Promise<string | undefined>
  compareAndSet(
    key: string,
    expected: string | undefined,
    next: string | undefined,
    call: SharedCall,
  ): Promise<boolean>
  leaseClient(key: string, token: string, leaseMs: number): LeaseClient
  classifyError(error: unknown): FailureClass
}

/** A lone surrogate cannot be encoded as UTF-8, so another text would be read back. */
const LONE_SURROGATE = /\p{Surrogate}/u

/** @throws `STORE_OPTION_INVALID`. */
export function requireUnicode(name: string, value: string | undefined): void {
  if (value !== undefined && LONE_SURROGATE.test(value))
    throw optionFailure(name, 'well-formed Unicode', 'a lone surrogate')
}

/** Schemas of {@link SharedStoreOptions}. */
export const SHARED_STORE_OPTIONS = {
  clock,
  timeoutMs: integer({ min: 100, max: 600_000, default: 5000 }),
  leaseMs: integer({ min: 1000, max: 600_000, default: 30_000 }),
} satisfies FieldsOf<SharedStoreOptions>

/** Options of a store on a server after the checks. */
export type SharedSettings = InferFields<typeof SHARED_STORE_OPTIONS>

/** Applies the time limit and the check of the server. */
interface Deadline {
  within<T>(operation: string, work: (call: SharedCall) => Promise<T>): Promise<T>
  /** Repeats the check before the next call, which may reach another server. */
  forget(): void
}

/** Limits every call to `timeoutMs` and converts the client's errors. */
export function createDeadline(
  { clock, timeoutMs }: Pick<SharedSettings, 'clock' | 'timeoutMs'>,
  driver: Pick<SharedDriver, 'check' | 'classifyError'>,
): Deadline {
  let isChecked = false
  let checking: Promise<void> | undefined

  const check = (): Promise<void> => {
    checking ??= driver.check().then(
      () => {
        isChecked = true
        checking = undefined
      },
      (error: unknown) => {
        checking = undefined
        throw error
      },
    )
    return checking
  }
  const forget = (): void => {
    isChecked = false
    checking = undefined
  }

  /** Settles at the time limit, whatever the client does. A later result is discarded. */
  const within = <T>(operation: string, work: (call: SharedCall) => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      let isOver = false
      const late = (): Error => unavailable(operation, `no response within ${timeoutMs} ms`)
      const cancel = clock.setTimer(() => {
        isOver = true
        forget()
        reject(late())
      }, timeoutMs)
      const call: SharedCall = {
        continue() {
          if (isOver) throw late()
        },
      }
      const onError = (error: unknown): void => {
        cancel()
        const warnedSettings = isStoresError(error)
          ? error
          : serverFailure(operation, driver.classifyError(error))
        if (!isOver && isStoresError(warnedSettings, 'STORE_UNAVAILABLE')) forget()
        reject(warnedSettings)
      }
      const onValue = (value: T): void => {
        cancel()
        resolve(value)
      }
      const afterCheck = (): Promise<T> => {
        call.continue()
        return work(call)
      }
      try {
        ;(isChecked ? work(call) : check().then(afterCheck)).then(onValue, onError)
      } catch (error) {
        onError(error)
      }
    })

  return { within, forget }
}

/** Creates the store. It sends nothing before its first call. */
export function createSharedStore(options: SharedSettings, driver: SharedDriver): SharedStore {
  const { within: _, ...store } = createSharedCalls(options, driver)
  return store
}

/** Creates the store, and the function that applies time limit and check to other calls of the driver. */
export function createSharedCalls(
  options: SharedSettings,
  driver: SharedDriver,
): SharedStore & Pick<Deadline, 'within'> {
  const { clock, timeoutMs, leaseMs } = options
  const { within, forget } = createDeadline({ clock, timeoutMs }, driver)
  return {
    within,
    async ready() {
      forget()
      await within('ready', async () => {})
    },
    async get(key) {
      requireUnicode('key', checkKey(key))
      driver.limit(key, undefined)
      return within('get', (call) => driver.get(key, call))
    },
    async compareAndSet(key, expected, next) {
      requireUnicode('key', checkKey(key))
      requireUnicode('expected', checkValue('expected', expected))
      requireUnicode('next', checkValue('next', next))
      driver.limit(key, next)
      return within('compareAndSet', (call) => driver.compareAndSet(key, expected, next, call))
    },
    async lock(key, lockOptions) {
      const signal = readWaitSignal(lockOptions)
      requireUnicode('key', checkKey(key))
      driver.limit(key, undefined)
      const leaseClient = driver.leaseClient(key, randomToken(), leaseMs)
      const limited: LeaseBackend = {
        acquire: (waitedMs) => within('lock', (call) => leaseClient.acquire(call, waitedMs)),
        extend: () => within('extend', (call) => leaseClient.extend(call)),
        release: () => within('release', (call) => leaseClient.release(call)),
      }
      return await acquireLease(limited, { clock, leaseMs, lostReason: lockLost, signal })
    },
  }
}

/** Returns the number of bytes of a text in UTF-8. */
function utf8Length(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    // Each half of a surrogate pair counts two, so that the pair counts four.
    if (unit > 0x7f) length += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1
  }
  return length
}

/** @throws `STORE_OPTION_INVALID` if a text has more bytes than the server can store. */
export function requireAtMost(fail: OptionFailure, option: string, text: string, maxBytes: number): void {
  // A UTF-16 code unit needs at most three bytes.
  if (text.length * 3 <= maxBytes) return
  const bytes = utf8Length(text)
  if (bytes > maxBytes) throw fail(option, `at most ${maxBytes} bytes of UTF-8`, `${bytes}`)
}
