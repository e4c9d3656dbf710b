/**
 * The interface of nonce stores, and a bounded store in memory. A full store rejects new nonces, because
 * discarding the oldest nonce would permit its replay. Only the nonces of valid signatures are stored, and
 * each app key has its own limit, so that one app key cannot use the space of others.
 */
import { type FieldsOf, integer, readOptions } from '@brokerwire/core/internal'
import { type Fingerprint, fingerprint, randomFingerprint } from './fingerprint.ts'
import { HashSet128 } from './hash-set-128.ts'
import { check, optionFailure } from './signer-error.ts'

/**
 * Result of a nonce store. `'capacity-exceeded'` means that the nonce was not stored, because a limit
 * of the store is reached.
 */
export type NonceStatus = 'new' | 'seen' | 'capacity-exceeded'

/** A nonce of a request whose signature is valid. */
export interface NonceRecord {
  /** App key and nonce in one string, for stores with one key for each entry. */
  readonly key: string
  /** App key of the request. */
  readonly appKey: string
  /** Nonce of the request. */
  readonly nonce: string
  /**
   * Earliest time at which the nonce may be deleted, in milliseconds since the Unix epoch. The verifier
   * rejects the timestamp of the request one minute earlier, so that a store whose clock is up to a minute
   * ahead does not delete the nonce too early.
   */
  readonly expiresAtMs: number
  /** Time of the verifier's clock in milliseconds since the Unix epoch, for stores without a clock. */
  readonly nowMs: number
}

/** Stores nonces until their requests cannot be replayed any more. */
export interface NonceStore {
  /** Stores a nonce if it is new. The check and the storing are one atomic operation. */
  remember(used: NonceRecord): NonceStatus | PromiseLike<NonceStatus>
}

/** Options of {@link createInMemoryNonceStore}. */
export interface InMemoryNonceStoreOptions {
  /** Maximum number of nonces of one app key. Above it, new nonces of this app key are rejected. @defaultValue 10000 */
  readonly maxEntriesPerKey?: number | undefined
  /** Maximum memory of all app keys in bytes. Above it, new nonces are rejected. @defaultValue 16777216 (16 MiB) */
  readonly maxBytes?: number | undefined
}

/** A nonce store in memory. */
export interface InMemoryNonceStore extends NonceStore {
  /** Stores a nonce if it is new. */
  remember(used: NonceRecord): NonceStatus
  /** Memory of the store, in bytes. */
  readonly bytes: number
}

/** The nonces that expire within one interval. */
interface TimeBucket {
  /** Time at which the whole bucket is discarded. */
  readonly untilMs: number
  /** Time at which the last nonce of the bucket expires. */
  lastMs: number
  readonly nonces: HashSet128
  /** The app keys, each with the number of its nonces. */
  readonly keys: HashSet128
}

/**
 * Minimum interval of a bucket. This is also the maximum time for which a nonce is stored after it has
 * expired.
 */
const MIN_BUCKET_MS = 60_000
/** Maximum number of intervals in a window. For longer windows, the intervals become longer. */
const MAX_INTERVALS = 16
/** Maximum number of buckets. There are more than {@link MAX_INTERVALS} only after the clock was set back. */
const MAX_BUCKETS = 64
/** Minimum value of `maxBytes`: enough for one nonce. */
const MIN_BYTES = 1024

const IN_MEMORY_NONCE_STORE_OPTIONS = {
  maxEntriesPerKey: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, default: 10_000 }),
  maxBytes: integer({ min: MIN_BYTES, max: Number.MAX_SAFE_INTEGER, default: 16_777_216 }),
} satisfies FieldsOf<InMemoryNonceStoreOptions>

/** Returns the end of the interval in which a nonce expires. */
function bucketEnd(expiresAtMs: number, nowMs: number): number {
  let intervalMs = MIN_BUCKET_MS
  while (expiresAtMs - nowMs > MAX_INTERVALS * intervalMs) intervalMs *= 2
  return Math.ceil(expiresAtMs / intervalMs) * intervalMs
}

/**
 * Creates a nonce store in memory, for one process. It uses the time of the verifier's clock.
 *
 * It stores 128-bit fingerprints with a random key, in buckets by the time at which they expire. A bucket is
 * discarded as a whole, so that a call takes the same time for few and for many nonces.
 *
 * With the default window, a nonce is stored until six minutes after the timestamp of its request, and for at most one more
 * minute. So 10,000 nonces are about 24 valid requests a second for an app key whose clock is right, and 14 for one whose clock
 * is five minutes ahead. A nonce takes 20 to 90 bytes, so the default `maxBytes` stores at least 90,000.
 *
 * If a limit is reached, new nonces are rejected, because a forgotten nonce could be used again. If the clock was ahead and is
 * set back, requests whose nonces were discarded meanwhile are rejected as replays.
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
  const buckets: TimeBucket[] = []
  /** The latest time at which a discarded nonce expired. */
  let droppedMs = Number.NEGATIVE_INFINITY
  let seed: Fingerprint | undefined
  const keyPrint: Fingerprint = new Uint32Array(4)
  const noncePrint: Fingerprint = new Uint32Array(4)

  const dropExpired = (nowMs: number): void => {
    for (let i = buckets.length - 1; i >= 0; i -= 1) {
      const { untilMs, lastMs } = buckets[i] as TimeBucket
      if (untilMs >= nowMs) continue
      buckets.splice(i, 1)
      droppedMs = Math.max(droppedMs, lastMs)
    }
  }
  const bytes = (): number => buckets.reduce((sum, { nonces, keys }) => sum + nonces.bytes + keys.bytes, 0)

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
      // If the clock was ahead and was set back, the nonce may have been discarded already.
      if (expiresAtMs <= droppedMs) return 'seen'
      const endMs = bucketEnd(expiresAtMs, nowMs)
      let bucket: TimeBucket | undefined
      let count = 0
      for (const one of buckets) {
        if (one.nonces.has(noncePrint)) return 'seen'
        count += one.keys.count(keyPrint)
        if (one.untilMs === endMs) bucket = one
      }
      if (buckets.length >= MAX_BUCKETS) bucket ??= buckets.find(({ untilMs }) => untilMs > endMs)
      if (count >= maxEntriesPerKey) return 'capacity-exceeded'
      const isNew = bucket === undefined
      bucket ??= {
        untilMs: endMs,
        lastMs: expiresAtMs,
        nonces: new HashSet128(false),
        keys: new HashSet128(true),
      }
      const growth = isNew
        ? bucket.nonces.bytes + bucket.keys.bytes
        : bucket.nonces.growth + bucket.keys.growth
      if (growth > 0 && bytes() + growth > maxBytes) return 'capacity-exceeded'
      if (isNew) buckets.push(bucket)
      bucket.nonces.add(noncePrint)
      bucket.keys.add(keyPrint)
      bucket.lastMs = Math.max(bucket.lastMs, expiresAtMs)
      return 'new'
    },
  }
}
