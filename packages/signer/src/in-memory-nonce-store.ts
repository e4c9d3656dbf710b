/**
 * The port of nonce stores, and a bounded store in memory.
 *
 * A full store rejects new nonces: dropping the oldest would permit its replay. Only requests with a valid signature get
 * here, and each app key has its own limit, so that one key cannot fill the store for others.
 */
import { type FieldsOf, integer, readOptions } from '@brokerwire/core/internal'
import { type Fingerprint, fingerprint, randomFingerprint } from './fingerprint.ts'
import { HashSet128 } from './hash-set-128.ts'
import { check, optionFailure } from './signer-error.ts'

/** What a nonce store says: `'capacity-exceeded'` if it is full. */
export type NonceStatus = 'new' | 'seen' | 'capacity-exceeded'

/** A nonce of a request whose signature is valid. */
export interface NonceRecord {
  /** App key and nonce in one text, for stores that have one key for each entry. */
  readonly key: string
  readonly appKey: string
  readonly nonce: string
  /**
   * Milliseconds since the Unix epoch: a minute after the timestamp is refused anyway, so that a store whose own clock
   * is ahead by less forgets nothing too early.
   */
  readonly expiresAtMs: number
  /** Time of the verifier's clock, so that a store needs no clock. */
  readonly nowMs: number
}

/** Remembers nonces until they cannot be replayed any more. */
export interface NonceStore {
  /** Remembers a nonce if it is new, atomically. */
  remember(used: NonceRecord): NonceStatus | PromiseLike<NonceStatus>
}

/** Options of {@link createInMemoryNonceStore}. */
export interface InMemoryNonceStoreOptions {
  /** Nonces held at most of one app key. Beyond it, this key alone is refused. @defaultValue 10000 */
  readonly maxEntriesPerKey?: number | undefined
  /** Bytes of all tables together. Beyond it, new nonces are refused. @defaultValue 16777216 (16 MiB) */
  readonly maxBytes?: number | undefined
}

/** A nonce store in memory. */
export interface InMemoryNonceStore extends NonceStore {
  remember(used: NonceRecord): NonceStatus
  /** Memory of the store, in bytes. */
  readonly bytes: number
}

/** The nonces that expire within one interval. */
interface TimeBucket {
  /** Dropped as a whole after this. */
  readonly untilMs: number
  /** When the last of its nonces expires. */
  lastMs: number
  readonly nonces: HashSet128
  /** How many of them each app key has. */
  readonly keys: HashSet128
}

/** How much longer than it has to a nonce is kept at most, where it is kept for less than sixteen times as long. */
const MIN_BUCKET_MS = 60_000
const MAX_BUCKETS = 16
/** More tables than spans of any window need. A clock that is set back again and again would add one each time. */
const MAX_TABLES = 64
/** Less memory would not hold one nonce. */
const MIN_BYTES = 1024

const IN_MEMORY_NONCE_STORE_OPTIONS = {
  maxEntriesPerKey: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, default: 10_000 }),
  maxBytes: integer({ min: MIN_BYTES, max: Number.MAX_SAFE_INTEGER, default: 16_777_216 }),
} satisfies FieldsOf<InMemoryNonceStoreOptions>

/** The end of the span of time in which a nonce expires. Spans are longer for longer windows, so that there are few. */
function bucketEnd(expiresAtMs: number, nowMs: number): number {
  let spanMs = MIN_BUCKET_MS
  while (expiresAtMs - nowMs > MAX_BUCKETS * spanMs) spanMs *= 2
  return Math.ceil(expiresAtMs / spanMs) * spanMs
}

/**
 * Makes a nonce store in memory, for one process. Each call has the time of the verifier's clock.
 *
 * It holds fingerprints of 128 bits under a random key, in tables by the minute in which they expire: a table is
 * dropped as a whole, so that a call costs the same whether few or many are held.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createInMemoryNonceStore, createVerifier } from '@brokerwire/signer'
 *
 * declare const secrets: ReadonlyMap<string, string>
 *
 * const nonces = createInMemoryNonceStore({ maxEntriesPerKey: 1000 })
 * const verifier = createVerifier({ secretFor: (appKey) => secrets.get(appKey), scheme: 'https', nonces })
 * console.log(typeof verifier.verify)
 * ```
 */
export function createInMemoryNonceStore(options: InMemoryNonceStoreOptions = {}): InMemoryNonceStore {
  const { maxEntriesPerKey, maxBytes } = readOptions(optionFailure, options, IN_MEMORY_NONCE_STORE_OPTIONS)
  const generations: TimeBucket[] = []
  /** When the last of all nonces expired that were dropped. */
  let droppedMs = Number.NEGATIVE_INFINITY
  let seed: Fingerprint | undefined
  const keyPrint: Fingerprint = new Uint32Array(4)
  const noncePrint: Fingerprint = new Uint32Array(4)

  const dropExpired = (nowMs: number): void => {
    for (let i = generations.length - 1; i >= 0; i -= 1) {
      const { untilMs, lastMs } = generations[i] as TimeBucket
      if (untilMs >= nowMs) continue
      generations.splice(i, 1)
      droppedMs = Math.max(droppedMs, lastMs)
    }
  }
  const bytes = (): number =>
    generations.reduce((sum, { nonces, keys }) => sum + nonces.bytes + keys.bytes, 0)

  return {
    get bytes() {
      return bytes()
    },
    remember({ appKey, nonce, expiresAtMs, nowMs }) {
      check(Number.isFinite(expiresAtMs - nowMs), 'expiresAtMs, nowMs', 'milliseconds since the Unix epoch')
      seed ??= randomFingerprint()
      fingerprint(seed, appKey, keyPrint)
      fingerprint(keyPrint, nonce, noncePrint)
      dropExpired(nowMs)
      // It may have been dropped already, if the clock was ahead and was set back.
      if (expiresAtMs <= droppedMs) return 'seen'
      const endMs = bucketEnd(expiresAtMs, nowMs)
      let generation: TimeBucket | undefined
      let count = 0
      for (const one of generations) {
        if (one.nonces.has(noncePrint)) return 'seen'
        count += one.keys.count(keyPrint)
        if (one.untilMs === endMs) generation = one
      }
      if (generations.length >= MAX_TABLES) generation ??= generations.find(({ untilMs }) => untilMs > endMs)
      if (count >= maxEntriesPerKey) return 'capacity-exceeded'
      const isNew = generation === undefined
      generation ??= {
        untilMs: endMs,
        lastMs: expiresAtMs,
        nonces: new HashSet128(false),
        keys: new HashSet128(true),
      }
      const growth = isNew
        ? generation.nonces.bytes + generation.keys.bytes
        : generation.nonces.growth + generation.keys.growth
      if (growth > 0 && bytes() + growth > maxBytes) return 'capacity-exceeded'
      if (isNew) generations.push(generation)
      generation.nonces.add(noncePrint)
      generation.keys.add(keyPrint)
      generation.lastMs = Math.max(generation.lastMs, expiresAtMs)
      return 'new'
    },
  }
}
