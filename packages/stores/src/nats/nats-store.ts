/**
 * A store in a key-value bucket of NATS JetStream, over your own connection. Compare-and-set reads the entry,
 * compares its text and writes on its revision. If another writer was faster, the server rejects the write.
 */
import { escapeControlChars } from '@brokerwire/core'
import {
  boolean,
  casLeaseBackend,
  custom,
  encodeName,
  type FieldsOf,
  func,
  isRecord,
  notify,
  port,
  readOptions,
  utf8Decode,
  utf8Encode,
} from '@brokerwire/core/internal'
import { corrupt, errorLabel, type FailureClass, misconfigured, stringProperty } from '../shared/failures.ts'
import {
  createSharedStore,
  type LeaseClient,
  requireAtMost,
  SHARED_STORE_OPTIONS,
  type SharedCall,
  type SharedStore,
  type SharedStoreOptions,
} from '../shared/shared-store.ts'
import { optionFailure } from '../stores-error.ts'
import { inspectBucket, type NatsWarning } from './bucket-checks.ts'
import type { NatsBucketLike, NatsConnectionLike } from './client.ts'

/** Options of {@link createNatsStore}. Read once. */
export interface NatsStoreOptions extends SharedStoreOptions {
  /** A bucket for this store only: `await new Kvm(connection).create('brokerwire')`. */
  readonly bucket: NatsBucketLike
  /** The connection of the bucket. */
  readonly connection: NatsConnectionLike
  /**
   * Whether to reject a bucket that can lose data: one in memory, with a time to live, or with a limit that
   * discards old entries. With `false`, such a bucket is accepted with a warning, for data that may be lost.
   * @defaultValue true
   */
  readonly requireDurable?: boolean | undefined
  /** Called once for each setting that could lose data and is accepted. @defaultValue a line on the console */
  readonly onWarning?: ((warning: NatsWarning) => void) | undefined
}

/**
 * Maximum length of an encoded key, because a protocol line has at most 4096 bytes, including the subjects of
 * the bucket and of the response.
 */
const MAX_ENCODED_KEY = 3000
/** Bytes of a message that are reserved for headers. */
const HEADER_BYTES = 4096
const DEFAULT_MAX_PAYLOAD = 1024 * 1024
/** JetStream's code for a write on an outdated revision. */
const WRONG_REVISION = 10071
/** JetStream's code for a bucket that does not exist. */
const NO_STREAM = 10059
/** JetStream's code for a value above the bucket's limit. */
const TOO_LARGE = 10_054
/** JetStream's code for a sealed bucket, which never accepts writes again. */
const SEALED = 10_109

/** Returns JetStream's code, which versions of the client keep in different properties. */
function getErrorCode(error: unknown): number | undefined {
  const { code, api_error: older } = (error ?? {}) as {
    readonly code?: unknown
    readonly api_error?: { readonly err_code?: unknown }
  }
  if (typeof code === 'number') return code
  return typeof older?.err_code === 'number' ? older.err_code : undefined
}

/**
 * Whether an error reports a missing permission. Such an error is the `cause` of the error about the request.
 */
function isPermissionError(error: unknown): boolean {
  const name = stringProperty(error, 'name')
  return name === 'PermissionViolationError' || name === 'AuthorizationError'
}

function classifyError(error: unknown): FailureClass {
  const code = getErrorCode(error)
  const name = stringProperty(error, 'name') ?? ''
  // A missing permission is permanent. Other errors concern the connection, the leader or a resource.
  const refusal = [error, (error as { readonly cause?: unknown } | undefined)?.cause].find(isPermissionError)
  if (refusal !== undefined) return { retryable: false, reason: errorLabel(refusal) }
  return {
    retryable: code !== NO_STREAM && code !== TOO_LARGE && code !== SEALED,
    reason: code === undefined ? errorLabel(error) : escapeControlChars(`${name} ${code}`, 100),
  }
}

const BUCKET_MISSING = { setting: 'bucket', expected: 'one that exists', received: 'none' }
const NOT_DURABLE =
  'Change the bucket, or set requireDurable: false if this store may forget what it acknowledged'

declare const console: { warn(line: string): void }

function warn({ setting, expected, received }: NatsWarning): void {
  console.warn(`@brokerwire/stores/nats: ${setting} must be ${expected}; received ${received}`)
}

/** The value of a key, and the revision for the next write. */
interface StoredEntry {
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
 * Creates a store with `lock`. It sends nothing before its first call and does not close your connection.
 *
 * The lock is an entry that its holder changes every third of a lease. A waiting process acquires the lock if
 * the entry has not changed for the whole lease that the entry states. The process measures this with its own
 * timers, so the clocks of the hosts do not matter.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`. Its calls reject with:
 * - `STORE_UNAVAILABLE` (retryable) if the server does not respond in time
 * - `STORE_MISCONFIGURED` if the bucket does not exist or would lose data
 * - `STORE_IO` if the server rejects the call
 * - `STORE_CORRUPT` if the stored value is not a text
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
  const warnedSettings = new Set<string>()

  const read = async (name: string): Promise<StoredEntry> => {
    const entry = await bucket.get(name)
    if (entry === null) return { text: undefined, revision: 0 }
    const { operation, value, revision } = entry
    // A deleted key keeps a marker, which has a revision.
    if (operation !== 'PUT') return { text: undefined, revision }
    const text = utf8Decode(value)
    if (text === undefined) throw corrupt(`key ${name.slice(0, 100)}`, 'expected UTF-8 text')
    return { text, revision }
  }
  /** @returns `false` if another process wrote in between. */
  const write = async (name: string, next: string | undefined, revision: number): Promise<boolean> => {
    try {
      if (next === undefined) await bucket.delete(name, { previousSeq: revision })
      else if (revision === 0) await bucket.create(name, utf8Encode(next))
      else await bucket.update(name, utf8Encode(next), revision)
      return true
    } catch (error) {
      if (getErrorCode(error) === WRONG_REVISION) return false
      throw error
    }
  }

  return createSharedStore(options, {
    async check() {
      let warnings: NatsWarning[]
      try {
        warnings = await inspectBucket(bucket, connection)
      } catch (error) {
        if (getErrorCode(error) === NO_STREAM)
          throw misconfigured(
            BUCKET_MISSING,
            'Create it first, for example with Kvm.create()',
            'the bucket does not exist',
          )
        throw error
      }
      for (const warning of warnings) {
        const { setting, expected, received } = warning
        if (requireDurable) throw misconfigured({ setting, expected, received }, NOT_DURABLE)
        if (warnedSettings.has(setting)) continue
        warnedSettings.add(setting)
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
      call.continue()
      return write(name, next, revision)
    },
    leaseClient: (key, token, leaseMs) => createLeaseClient(`lease.${encodeName(key)}`, token, leaseMs),
    classifyError,
  })

  function createLeaseClient(name: string, token: string, leaseMs: number): LeaseClient {
    // The entry states the lease of its holder, which may differ from this one.
    const backend = casLeaseBackend<SharedCall>(token, leaseMs, {
      async read() {
        const { text, revision } = await read(name)
        return { text, revision }
      },
      write(text, over, call) {
        call?.continue()
        return write(name, text, Number(over.revision))
      },
      getLeaseMs: parseLeaseMs,
    })
    return {
      acquire: (call, waitedMs) => backend.acquire(waitedMs, call),
      extend: (call) => backend.extend(call),
      release: (call) => backend.release(call),
    }
  }
}

/** Returns the lease that an entry states. An unreadable lease counts as expired. */
function parseLeaseMs(text: string | undefined): number {
  const leaseMs = Number(text?.split(' ')[1])
  return Number.isSafeInteger(leaseMs) && leaseMs <= 600_000 ? leaseMs : 0
}
