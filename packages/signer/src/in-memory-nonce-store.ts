/**
 * What a verifier remembers of nonces, as a port, and a bounded memory of one process behind it.
 *
 * A full memory refuses instead of forgetting: dropping the oldest would open the replay that it is there to close.
 * Only requests with a valid signature get here, and each app key has a bound of its own, so that nobody can fill the
 * memory for others.
 */
import { type FieldsOf, integer, readOptions } from '@brokerwire/core/internal'
import { type Fingerprint, fingerprint, randomFingerprint } from './fingerprint.ts'
import { FingerprintTable } from './fingerprint-table.ts'
import { check, optionFailure } from './signer-error.ts'

/** What a nonce store says: `'full'` where it can take no more. */
export type NonceVerdict = 'new' | 'seen' | 'full'

/** A nonce of a request whose signature is valid. */
export interface UsedNonce {
  /** App key and nonce in one text, for stores that have one key for each entry. */
  readonly key: string
  readonly appKey: string
  readonly nonce: string
  /**
   * Milliseconds since the Unix epoch: a minute after the timestamp is refused anyway, so that a store whose own clock
   * is ahead by less forgets nothing too early.
   */
  readonly expiresAtMs: number
  /** The verifier's own reading of the clock. A store that goes by it needs none. */
  readonly nowMs: number
}

/** Remembers nonces until they cannot be replayed any more. */
export interface NonceStore {
  /** Remembers a nonce if it is new, atomically. */
  remember(used: UsedNonce): NonceVerdict | PromiseLike<NonceVerdict>
}

/** Options of {@link createNonceMemory}. */
export interface NonceMemoryOptions {
  /** Nonces held at most of one app key. Beyond it, this key alone is refused. @defaultValue 10000 */
  readonly maxEntriesPerKey?: number | undefined
  /** Bytes of all tables together. Beyond it, new nonces are refused. @defaultValue 16777216 (16 MiB) */
  readonly maxBytes?: number | undefined
}

/** A nonce store in memory. */
export interface NonceMemory extends NonceStore {
  remember(used: UsedNonce): NonceVerdict
  /** What it holds now, in bytes. */
  readonly bytes: number
}

/** The nonces that expire within one span of time. */
interface Generation {
  /** Dropped as a whole after this. */
  readonly untilMs: number
  /** When the last of its nonces expires. */
  lastMs: number
  readonly nonces: FingerprintTable
  /** How many of them each app key has. */
  readonly keys: FingerprintTable
}

/** How much longer than it has to a nonce is kept at most, where it is kept for less than sixteen times as long. */
const SPAN_MS = 60_000
const MAX_SPANS = 16
/** More tables than spans of any window need. A clock that is set back again and again would add one each time. */
const MAX_TABLES = 64
/** Below this not even one nonce would find room. */
const MIN_BYTES = 1024

const NONCE_MEMORY_OPTIONS = {
  maxEntriesPerKey: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, default: 10_000 }),
  maxBytes: integer({ min: MIN_BYTES, max: Number.MAX_SAFE_INTEGER, default: 16_777_216 }),
} satisfies FieldsOf<NonceMemoryOptions>

/** The end of the span of time in which a nonce expires. Spans are longer for longer windows, so that there are few. */
function spanEnd(expiresAtMs: number, nowMs: number): number {
  let spanMs = SPAN_MS
  while (expiresAtMs - nowMs > MAX_SPANS * spanMs) spanMs *= 2
  return Math.ceil(expiresAtMs / spanMs) * spanMs
}

/**
 * Makes a nonce store in memory, for one process. It has no clock of its own: the verifier's goes with each call.
 *
 * It holds fingerprints of 128 bits under a random key, in tables by the minute in which they expire: a table is
 * dropped as a whole, so that a call costs the same whether few or many are held.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createNonceMemory, createVerifier } from '@brokerwire/signer'
 *
 * declare const secrets: ReadonlyMap<string, string>
 *
 * const nonces = createNonceMemory({ maxEntriesPerKey: 1000 })
 * const verifier = createVerifier({ secretFor: (appKey) => secrets.get(appKey), scheme: 'https', nonces })
 * console.log(typeof verifier.verify)
 * ```
 */
export function createNonceMemory(options: NonceMemoryOptions = {}): NonceMemory {
  const { maxEntriesPerKey, maxBytes } = readOptions(optionFailure, options, NONCE_MEMORY_OPTIONS)
  const generations: Generation[] = []
  /** When the last of all nonces expired that were dropped. */
  let droppedMs = Number.NEGATIVE_INFINITY
  let seed: Fingerprint | undefined
  const keyPrint: Fingerprint = new Uint32Array(4)
  const noncePrint: Fingerprint = new Uint32Array(4)

  const dropBefore = (nowMs: number): void => {
    for (let i = generations.length - 1; i >= 0; i -= 1) {
      const { untilMs, lastMs } = generations[i] as Generation
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
      dropBefore(nowMs)
      // Nobody knows any more whether this one was dropped: the clock was ahead, and was set back.
      if (expiresAtMs <= droppedMs) return 'seen'
      const endMs = spanEnd(expiresAtMs, nowMs)
      let generation: Generation | undefined
      let count = 0
      for (const one of generations) {
        if (one.nonces.has(noncePrint)) return 'seen'
        count += one.keys.count(keyPrint)
        if (one.untilMs === endMs) generation = one
      }
      if (generations.length >= MAX_TABLES) generation ??= generations.find(({ untilMs }) => untilMs > endMs)
      if (count >= maxEntriesPerKey) return 'full'
      const isNew = generation === undefined
      generation ??= {
        untilMs: endMs,
        lastMs: expiresAtMs,
        nonces: new FingerprintTable(false),
        keys: new FingerprintTable(true),
      }
      const growth = isNew
        ? generation.nonces.bytes + generation.keys.bytes
        : generation.nonces.growth + generation.keys.growth
      if (growth > 0 && bytes() + growth > maxBytes) return 'full'
      if (isNew) generations.push(generation)
      generation.nonces.add(noncePrint)
      generation.keys.add(keyPrint)
      generation.lastMs = Math.max(generation.lastMs, expiresAtMs)
      return 'new'
    },
  }
}
