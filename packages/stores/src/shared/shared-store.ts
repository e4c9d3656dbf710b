/**
 * What the stores on servers have in common: a deadline of our own for every call, the check of the server before the
 * first one, and the lock. Clients wait for a hung server for as long as it pleases them, some for ever.
 */
import type { Clock, Store, StoreLock, StoreWaitOptions } from '@brokerwire/core'
import {
  clock,
  type FieldsOf,
  type InferFields,
  integer,
  type LeaseTaker,
  lockByLease,
  type OptionFailure,
} from '@brokerwire/core/internal'
import { checkKey, checkValue, readWaitSignal } from '../checks.ts'
import { isStoresError, lockLost, optionFailure } from '../stores-error.ts'
import { drawToken } from './draw-token.ts'
import { failed, unavailable, type Verdict } from './failures.ts'

/** A store on a server that many machines share. */
export interface SharedStore extends Store {
  /**
   * Reaches the server, and checks that it keeps what the store promises. Every call does so by itself before its first
   * work, and after the server was not available; a service that calls it at its start learns there what is wrong.
   *
   * @throws {@link StoresError} `STORE_MISCONFIGURED`, `STORE_UNAVAILABLE`, `STORE_IO`.
   */
  ready(): Promise<void>
  /** Waits for the lock of a key; a lease that the holder extends. */
  lock(key: string, options?: StoreWaitOptions): Promise<StoreLock>
}

/** Options that all stores on servers have. */
export interface SharedStoreOptions {
  /**
   * How long a call waits for its answer, in milliseconds, before it fails with `STORE_UNAVAILABLE`: 100 to 600,000.
   * @defaultValue 5000
   */
  readonly timeoutMs?: number | undefined
  /**
   * How long a lock is held after its holder was last heard of, in milliseconds: 1000 to 600,000. Its holder prolongs it
   * after a third.
   * @defaultValue 30_000
   */
  readonly leaseMs?: number | undefined
  /** Times deadlines and locks. @defaultValue systemClock */
  readonly clock?: Clock | undefined
}

/** A taker of a lease whose messages have a deadline. */
export interface SharedTaker {
  take(call: SharedCall, waitedMs: number): Promise<boolean>
  prolong(call: SharedCall): Promise<boolean>
  giveBack(call: SharedCall): Promise<unknown>
}

/** A call that is under way. */
export interface SharedCall {
  /**
   * Asked before each further message to the server, because whoever called may have been told that the call failed: what
   * is sent later than that surprises.
   *
   * @throws Where the deadline is over.
   */
  goOn(): void
}

/** What a driver does; none of it has to end. What it rejects with is a client's error, or one of this package. */
export interface SharedDriver {
  /** Whether the server is fit. */
  check(): Promise<void>
  /** @throws `STORE_OPTION_INVALID` for what this server cannot keep. */
  limit(key: string, next: string | undefined): void
  get(key: string, call: SharedCall): Promise<string | undefined>
  compareAndSet(
    key: string,
    expected: string | undefined,
    next: string | undefined,
    call: SharedCall,
  ): Promise<boolean>
  taker(key: string, token: string, leaseMs: number): SharedTaker
  judge(error: unknown): Verdict
}

/** Half of a character: it cannot be written as UTF-8, and would come back as another text. */
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

/** Options of a store on a server, after they were checked. */
export type SharedSettings = InferFields<typeof SHARED_STORE_OPTIONS>

/** What gives a call its deadline and its check. */
interface Deadline {
  within<T>(operation: string, work: (call: SharedCall) => Promise<T>): Promise<T>
  /** Whoever asks next may find another server. */
  forget(): void
}

/** Nobody waits longer than `timeoutMs`, and nobody is told a client's own error. */
export function createDeadline(
  { clock, timeoutMs }: Pick<SharedSettings, 'clock' | 'timeoutMs'>,
  driver: Pick<SharedDriver, 'check' | 'judge'>,
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

  /** Nobody waits longer than the deadline, whatever the client does; what comes later is dropped. */
  const within = <T>(operation: string, work: (call: SharedCall) => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      let isOver = false
      const late = (): Error => unavailable(operation, `no answer within ${timeoutMs} ms`)
      const cancel = clock.setTimer(() => {
        isOver = true
        forget()
        reject(late())
      }, timeoutMs)
      const call: SharedCall = {
        goOn() {
          if (isOver) throw late()
        },
      }
      const onError = (error: unknown): void => {
        cancel()
        const told = isStoresError(error) ? error : failed(operation, driver.judge(error))
        if (!isOver && isStoresError(told, 'STORE_UNAVAILABLE')) forget()
        reject(told)
      }
      const onValue = (value: T): void => {
        cancel()
        resolve(value)
      }
      const afterCheck = (): Promise<T> => {
        call.goOn()
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

/** Makes the store. Sends nothing before its first call. */
export function createSharedStore(options: SharedSettings, driver: SharedDriver): SharedStore {
  const { within: _, ...store } = createSharedCalls(options, driver)
  return store
}

/** The store, and what gives a call of the driver's own the same deadline and check. */
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
      const taker = driver.taker(key, drawToken(), leaseMs)
      const limited: LeaseTaker = {
        take: (waitedMs) => within('lock', (call) => taker.take(call, waitedMs)),
        prolong: () => within('prolong', (call) => taker.prolong(call)),
        giveBack: () => within('release', (call) => taker.giveBack(call)),
      }
      return await lockByLease(limited, { clock, leaseMs, lostReason: lockLost, signal })
    },
  }
}

/** Bytes of a text in UTF-8. */
function utf8Length(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    // Half of a pair counts two, so that the pair counts four.
    if (unit > 0x7f) length += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1
  }
  return length
}

/** @throws `STORE_OPTION_INVALID` where a text takes more bytes than a server keeps. */
export function requireAtMost(fail: OptionFailure, option: string, text: string, maxBytes: number): void {
  // No character takes more than three bytes for each of its units.
  if (text.length * 3 <= maxBytes) return
  const bytes = utf8Length(text)
  if (bytes > maxBytes) throw fail(option, `at most ${maxBytes} bytes of UTF-8`, `${bytes}`)
}
