/**
 * The contract of a store as named test cases, for any test runner.
 *
 * Each case opens two handles on the same data, because the contract is about concurrent users.
 */
import type { Store } from '@brokerwire/core'
import { boolean, createLinkedController, type FieldsOf, func, readOptions } from '@brokerwire/core/internal'
import { optionFailure } from '../stores-error.ts'

/** Options of {@link storeContract}. */
export interface StoreContractOptions {
  /** Opens two handles on the same empty storage. Called once for each case. */
  readonly open: () => Promise<{
    readonly first: Store
    readonly second: Store
    /**
     * Lets another holder acquire the lock that `first` holds on `key`, as if its holder was disconnected for
     * longer than a lease. The case about a lost lock runs only with this function.
     */
    readonly loseLock?: ((key: string) => Promise<void>) | undefined
    /** Called after the case, whether it passed or failed. */
    readonly close?: (() => Promise<void>) | undefined
  }>
  /** Whether the store has `lock`. If so, the cases about locks run. @defaultValue true */
  readonly lock?: boolean | undefined
}

/** A test case of the contract. */
export interface StoreContractCase {
  /** Name of the case, for the test runner. */
  readonly name: string
  /** Runs the case; rejects if the store breaks the contract. */
  readonly run: () => Promise<void>
}

type LoseLock = (key: string) => Promise<void>
type Body = (first: Store, second: Store, loseLock: LoseLock | undefined) => Promise<void>

function same(what: string, actual: unknown, expected: unknown): void {
  if (!Object.is(actual, expected)) {
    const show = (value: unknown): string => JSON.stringify(value)?.slice(0, 80) ?? String(value)
    throw new Error(`${what}: expected ${show(expected)}; received ${show(actual)}`)
  }
}

const ODD_KEYS = [
  '../up',
  'a/b',
  'a\\b',
  'A',
  'a',
  '.',
  '..',
  '__proto__',
  'con',
  'e\u0301',
  '\u00e9',
  'with space\nand line',
  'nul\u0000l',
  'x'.repeat(1500),
]

const ODD_VALUES = [
  '',
  ' ',
  'undefined',
  'null',
  '\u0000',
  '\r\n',
  '\ufeffmark',
  '\u{1f4c8}',
  'y'.repeat(65_536),
]

/** Increments the number under `key`, and tries again if another writer was faster. */
async function increment(store: Store, key: string): Promise<void> {
  for (;;) {
    const before = await store.get(key)
    if (await store.compareAndSet(key, before, String(Number(before ?? '0') + 1))) return
  }
}

const CASES: Readonly<Record<string, Body>> = {
  'a key that was never written holds nothing': async (first) => {
    same('get', await first.get('key'), undefined)
  },
  'creates only if nothing is stored': async (first, second) => {
    same('create', await first.compareAndSet('key', undefined, 'one'), true)
    same('create again', await second.compareAndSet('key', undefined, 'two'), false)
    same('get', await second.get('key'), 'one')
  },
  'replaces only the expected text': async (first, second) => {
    await first.compareAndSet('key', undefined, 'one')
    same('wrong expectation', await second.compareAndSet('key', 'other', 'two'), false)
    same('prefix', await second.compareAndSet('key', 'on', 'two'), false)
    same('right expectation', await second.compareAndSet('key', 'one', 'two'), true)
    same('get', await first.get('key'), 'two')
    same('outdated expectation', await first.compareAndSet('key', 'one', 'three'), false)
    same('get', await first.get('key'), 'two')
  },
  'does not replace what is not there': async (first) => {
    same('replace', await first.compareAndSet('key', 'one', 'two'), false)
    same('get', await first.get('key'), undefined)
  },
  'deletes only the expected text': async (first, second) => {
    await first.compareAndSet('key', undefined, 'one')
    same('wrong expectation', await second.compareAndSet('key', 'other', undefined), false)
    same('delete', await second.compareAndSet('key', 'one', undefined), true)
    same('get', await first.get('key'), undefined)
    same('create again', await first.compareAndSet('key', undefined, 'two'), true)
  },
  'expecting nothing and writing nothing is a check': async (first) => {
    same('absent', await first.compareAndSet('key', undefined, undefined), true)
    await first.compareAndSet('key', undefined, 'one')
    same('present', await first.compareAndSet('key', undefined, undefined), false)
  },
  'keeps any text as it is': async (first, second) => {
    for (const [index, value] of ODD_VALUES.entries()) {
      same('write', await first.compareAndSet(`key ${index}`, undefined, value), true)
      same('get', await second.get(`key ${index}`), value)
      same('compare', await second.compareAndSet(`key ${index}`, value, 'next'), true)
    }
  },
  'keeps any two keys apart': async (first, second) => {
    for (const key of ODD_KEYS) same('create', await first.compareAndSet(key, undefined, `of ${key}`), true)
    for (const key of ODD_KEYS) same('get', await second.get(key), `of ${key}`)
  },
  'refuses an empty key': async (first) => {
    const misconfiguredServer = await first.get('').then(
      () => false,
      () => true,
    )
    same('refused', misconfiguredServer, true)
  },
  'one of many creators wins': async (first, second) => {
    const creators = Array.from({ length: 12 }, (_, index) => `creator ${index}`)
    const wins = await Promise.all(
      creators.map((name, index) => (index % 2 ? first : second).compareAndSet('key', undefined, name)),
    )
    same('winners', wins.filter(Boolean).length, 1)
    same('get', await first.get('key'), creators[wins.indexOf(true)])
  },
  'no update is lost among many writers': async (first, second) => {
    const writers = Array.from({ length: 12 }, (_, index) => (index % 2 ? first : second))
    await Promise.all(
      writers.map(async (store) => {
        for (let round = 0; round < 3; round += 1) await increment(store, 'count')
      }),
    )
    same('count', await first.get('count'), '36')
  },
}

/** Returns the store's lock, which the options require. */
function requireLock(store: Store): NonNullable<Store['lock']> {
  const { lock } = store
  if (lock === undefined)
    throw new Error('the store must have a lock() method. Set lock: false if it has none')
  return lock.bind(store)
}

const LOCK_CASES: Readonly<Record<string, Body>> = {
  'a lock has one holder at a time': async (first, second) => {
    let inside = 0
    let most = 0
    await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const lock = await requireLock(index % 2 ? first : second)('key')
        inside += 1
        most = Math.max(most, inside)
        await first.get('key')
        inside -= 1
        await lock.release()
      }),
    )
    same('most holders at once', most, 1)
  },
  'a read and a write inside the lock are one step': async (first, second) => {
    await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const store = index % 2 ? first : second
        const lock = await requireLock(store)('key')
        const before = await store.get('key')
        same('write', await store.compareAndSet('key', before, String(Number(before ?? '0') + 1)), true)
        await lock.release()
      }),
    )
    same('get', await first.get('key'), '6')
  },
  'a lock does not hold up reads and writes': async (first, second) => {
    const lock = await requireLock(first)('key')
    same('write', await second.compareAndSet('key', undefined, 'one'), true)
    same('get', await second.get('key'), 'one')
    await lock.release()
  },
  'locks of different keys are independent': async (first, second) => {
    const one = await requireLock(first)('one')
    const other = await requireLock(second)('other')
    await one.release()
    await other.release()
  },
  'releasing twice gives the lock back once': async (first, second) => {
    const lock = await requireLock(first)('key')
    await lock.release()
    const next = await requireLock(second)('key')
    await lock.release()
    const { controller } = createLinkedController()
    const third = requireLock(first)('key', { signal: controller.signal }).then(
      () => 'held',
      (reason: unknown) => reason,
    )
    await second.get('key')
    controller.abort('still held')
    same('a third holder', await third, 'still held')
    await next.release()
  },
  'a lock that is held is not lost, and none that was given back': async (first, second) => {
    for (const store of [first, second, first]) {
      const lock = await requireLock(store)('key')
      let warnedSettings = 0
      lock.lost?.addEventListener('abort', () => {
        warnedSettings += 1
      })
      same('lost while it is held', lock.lost?.aborted ?? false, false)
      await store.get('key')
      await lock.release()
      await lock.release()
      same('lost afterwards', lock.lost?.aborted ?? false, false)
      same('told', warnedSettings, 0)
    }
  },
  'a lost lock is reported to its holder, and only the new holder can release it': async (
    first,
    second,
    loseLock,
  ) => {
    if (loseLock === undefined) return
    const lock = await requireLock(first)('key')
    const { lost } = lock
    if (lost === undefined) throw new Error('lost: expected a signal, because loseLock is given')
    same('lost before', lost.aborted, false)
    let warnedSettings = 0
    lost.addEventListener('abort', () => {
      warnedSettings += 1
    })
    await loseLock('key')
    const next = await requireLock(second)('key')
    // A driver may need several calls to notice that the lock is lost.
    for (let turn = 0; turn < 1000 && !lost.aborted; turn += 1) await first.get('key')
    same('lost', lost.aborted, true)
    same('told', warnedSettings, 1)
    await lock.release().catch(() => {})
    const { controller } = createLinkedController()
    const third = requireLock(first)('key', { signal: controller.signal }).then(
      () => 'held',
      (reason: unknown) => reason,
    )
    for (let turn = 0; turn < 3; turn += 1) await first.get('key')
    controller.abort('still held')
    same('a third holder', await third, 'still held')
    same('lost by the next holder', next.lost?.aborted ?? false, false)
    await next.release()
  },
  'an abort ends the wait with the reason of the signal': async (first, second) => {
    const lock = await requireLock(first)('key')
    const { controller } = createLinkedController()
    const waits = [first, second].map((store) =>
      requireLock(store)('key', { signal: controller.signal }).then(
        () => 'held',
        (reason: unknown) => reason,
      ),
    )
    await second.get('key')
    controller.abort('enough')
    for (const wait of waits) same('wait', await wait, 'enough')
    await lock.release()
    const next = await requireLock(second)('key')
    await next.release()
  },
  'a signal that has aborted takes no lock': async (first, second) => {
    const { controller } = createLinkedController()
    controller.abort('too late')
    const result = await requireLock(first)('key', { signal: controller.signal }).then(
      () => 'held',
      (reason: unknown) => reason,
    )
    same('lock', result, 'too late')
    const next = await requireLock(second)('key')
    await next.release()
  },
}

const STORE_CONTRACT_OPTIONS = {
  open: func<StoreContractOptions['open']>(),
  lock: boolean(true),
} satisfies FieldsOf<StoreContractOptions>

/**
 * Returns the test cases of the contract.
 *
 * @example
 * ```ts
 * import { type StoreContractOptions, storeContract } from '@brokerwire/stores/testing'
 *
 * declare const open: StoreContractOptions['open']
 * declare function test(name: string, run: () => Promise<void>): void
 *
 * for (const { name, run } of storeContract({ open })) test(name, run)
 * ```
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`
 */
export function storeContract(given: StoreContractOptions): readonly StoreContractCase[] {
  const options = readOptions(optionFailure, given, STORE_CONTRACT_OPTIONS)
  const bodies = options.lock === false ? CASES : { ...CASES, ...LOCK_CASES }
  return Object.entries(bodies).map(([name, body]) => ({
    name,
    run: async () => {
      const { first, second, loseLock, close } = await options.open()
      try {
        await body(first, second, loseLock)
      } finally {
        await close?.()
      }
    },
  }))
}
