/**
 * A store in a key-value bucket of NATS JetStream, over the caller's own connection. Compare-and-set reads the entry,
 * compares its text, and writes on its revision: a writer in between is refused by the server.
 */
import { printable } from '@brokerwire/core'
import {
  boolean,
  custom,
  encodeName,
  entryTaker,
  type FieldsOf,
  func,
  isRecord,
  notify,
  port,
  readOptions,
  utf8Decode,
  utf8Encode,
} from '@brokerwire/core/internal'
import { corrupt, nameOf, textOf, unfit, type Verdict } from '../shared/failures.ts'
import {
  createSharedStore,
  requireAtMost,
  SHARED_STORE_OPTIONS,
  type SharedCall,
  type SharedStore,
  type SharedStoreOptions,
  type SharedTaker,
} from '../shared/shared-store.ts'
import { optionFailure } from '../stores-error.ts'
import type { NatsBucketLike, NatsConnectionLike } from './client.ts'
import { inspectBucket, type NatsWarning } from './fitness.ts'

/** Options of {@link createNatsStore}. Read once. */
export interface NatsStoreOptions extends SharedStoreOptions {
  /** The bucket, for this store alone: `await new Kvm(connection).create('brokerwire')`. */
  readonly bucket: NatsBucketLike
  /** The connection of the bucket. */
  readonly connection: NatsConnectionLike
  /**
   * Whether a bucket is refused that forgets: in memory, with a time to live, or with a limit beyond which it drops what is old. `false` warns, for what may be forgotten.
   * @defaultValue true
   */
  readonly requireDurable?: boolean | undefined
  /** Told of each setting that is taken all the same. @defaultValue a line on the console */
  readonly onWarning?: ((warning: NatsWarning) => void) | undefined
}

/** A line of the protocol has at most 4096 bytes; subjects of the bucket and of the answer stand in it too. */
const MAX_ENCODED_KEY = 3000
/** Of a message, for headers. */
const HEADER_BYTES = 4096
const DEFAULT_MAX_PAYLOAD = 1024 * 1024
/** JetStream's code of a write on a revision that is not the last one. */
const WRONG_REVISION = 10071
/** No stream of the bucket's name. */
const NO_STREAM = 10059
/** The bucket has a limit for its values. */
const TOO_LARGE = 10_054
/** The bucket was sealed: nobody opens it again. */
const SEALED = 10_109

/** JetStream's code, wherever this version of the client keeps it. */
function codeOf(error: unknown): number | undefined {
  const { code, api_error: older } = (error ?? {}) as {
    readonly code?: unknown
    readonly api_error?: { readonly err_code?: unknown }
  }
  if (typeof code === 'number') return code
  return typeof older?.err_code === 'number' ? older.err_code : undefined
}

/** A request that was refused for its user comes as the cause of an error about the request. */
function isRefusal(error: unknown): boolean {
  const name = textOf(error, 'name')
  return name === 'PermissionViolationError' || name === 'AuthorizationError'
}

function judge(error: unknown): Verdict {
  const code = codeOf(error)
  const name = textOf(error, 'name') ?? ''
  // What this user may not do stays so; all else is a connection, a leader or a resource.
  const refusal = [error, (error as { readonly cause?: unknown } | undefined)?.cause].find(isRefusal)
  if (refusal !== undefined) return { retryable: false, reason: nameOf(refusal) }
  return {
    retryable: code !== NO_STREAM && code !== TOO_LARGE && code !== SEALED,
    reason: code === undefined ? nameOf(error) : printable(`${name} ${code}`, 100),
  }
}

const BUCKET_MISSING = { setting: 'bucket', expected: 'one that exists', received: 'none' }
const NOT_DURABLE =
  'Change the bucket, or set requireDurable: false if this store may forget what it acknowledged'

declare const console: { warn(line: string): void }

function warn({ setting, expected, received }: NatsWarning): void {
  console.warn(`@brokerwire/stores/nats: ${setting} must be ${expected}; received ${received}`)
}

/** What stands under a key: the text, and the revision on which the next write goes. */
interface Held {
  readonly text: string | undefined
  readonly revision: number
}

const NATS_STORE_OPTIONS = {
  ...SHARED_STORE_OPTIONS,
  bucket: port<NatsBucketLike>(['get', 'create', 'update', 'delete', 'status']),
  connection: custom<NatsConnectionLike>('an object', isRecord),
  requireDurable: boolean(true),
  onWarning: func(warn),
} satisfies FieldsOf<NatsStoreOptions>

/**
 * Makes a store with `lock`. Sends nothing before its first call, and closes nothing: the connection is the caller's.
 *
 * The lock is an entry that its holder changes every third of a lease. Whoever waits takes over once it has seen the very
 * same entry for the whole lease that stands in it, by its own timers: nobody's time of day counts.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`. Its calls reject with `STORE_UNAVAILABLE` (retryable) where the server
 * does not answer in time, with `STORE_MISCONFIGURED` where the bucket is missing or would lose what is written, with `STORE_IO`
 * where the server refuses, and with `STORE_CORRUPT` where what is stored is no text.
 *
 * @example
 * ```ts
 * import { createNatsStore, type NatsStoreOptions } from '@brokerwire/stores/nats'
 *
 * declare const options: NatsStoreOptions
 *
 * const store = createNatsStore(options)
 * console.log(await store.get('greeting'))
 * ```
 */
export function createNatsStore(given: NatsStoreOptions): SharedStore {
  const options = readOptions(optionFailure, given, NATS_STORE_OPTIONS)
  const { bucket, connection, requireDurable, onWarning } = options
  const told = new Set<string>()

  const read = async (name: string): Promise<Held> => {
    const entry = await bucket.get(name)
    if (entry === null) return { text: undefined, revision: 0 }
    const { operation, value, revision } = entry
    // A key that was deleted keeps a marker, which counts as a revision.
    if (operation !== 'PUT') return { text: undefined, revision }
    const text = utf8Decode(value)
    if (text === undefined) throw corrupt(`key ${name.slice(0, 100)}`, 'expected a text in UTF-8')
    return { text, revision }
  }
  /** @returns Whether it wrote; not, where somebody was in between. */
  const write = async (name: string, next: string | undefined, revision: number): Promise<boolean> => {
    try {
      if (next === undefined) await bucket.delete(name, { previousSeq: revision })
      else if (revision === 0) await bucket.create(name, utf8Encode(next))
      else await bucket.update(name, utf8Encode(next), revision)
      return true
    } catch (error) {
      if (codeOf(error) === WRONG_REVISION) return false
      throw error
    }
  }

  return createSharedStore(options, {
    async check() {
      let warnings: NatsWarning[]
      try {
        warnings = await inspectBucket(bucket, connection)
      } catch (error) {
        if (codeOf(error) === NO_STREAM)
          throw unfit(
            BUCKET_MISSING,
            'Create it first, for example with Kvm.create()',
            'the bucket does not exist',
          )
        throw error
      }
      for (const warning of warnings) {
        const { setting, expected, received } = warning
        if (requireDurable) throw unfit({ setting, expected, received }, NOT_DURABLE)
        if (told.has(setting)) continue
        told.add(setting)
        notify(() => onWarning(warning))
      }
    },
    limit(key, next) {
      const { length } = encodeName(key)
      if (length > MAX_ENCODED_KEY)
        throw optionFailure('key', `at most ${MAX_ENCODED_KEY} characters as NATS takes it`, `${length}`)
      const most = (connection.info?.max_payload ?? DEFAULT_MAX_PAYLOAD) - HEADER_BYTES
      if (next !== undefined) requireAtMost(optionFailure, 'next', next, most)
    },
    get: async (key) => (await read(`value.${encodeName(key)}`)).text,
    async compareAndSet(key, expected, next, call) {
      const name = `value.${encodeName(key)}`
      const { text, revision } = await read(name)
      if (text !== expected) return false
      if (text === undefined && next === undefined) return true
      call.goOn()
      return write(name, next, revision)
    },
    taker: (key, token, leaseMs) => createTaker(`lease.${encodeName(key)}`, token, leaseMs),
    judge,
  })

  function createTaker(name: string, token: string, leaseMs: number): SharedTaker {
    // The lease stands in the entry: whoever waits waits for the holder's.
    const taker = entryTaker<SharedCall>(token, leaseMs, {
      async read() {
        const { text, revision } = await read(name)
        return { text, mark: revision }
      },
      write(text, over, call) {
        call?.goOn()
        return write(name, text, Number(over.mark))
      },
      lengthOf: leaseOf,
    })
    return { ...taker, take: (call, waitedMs) => taker.take(waitedMs, call) }
  }
}

/** How long the holder of an entry has said that it counts. One that cannot be read is over at once. */
function leaseOf(text: string | undefined): number {
  const leaseMs = Number(text?.split(' ')[1])
  return Number.isSafeInteger(leaseMs) && leaseMs <= 600_000 ? leaseMs : 0
}
