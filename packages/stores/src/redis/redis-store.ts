/**
 * A store in Redis, over your own client. Whether Redis keeps data when it is killed or fails over depends on its
 * settings. They are checked before the first write, and a server that could lose data is rejected.
 */
import { escapeControlChars } from '@brokerwire/core'
import {
  boolean,
  type FieldsOf,
  func,
  notify,
  readOptions,
  type Schema,
  string,
} from '@brokerwire/core/internal'
import { corrupt, errorLabel, type FailureClass, stringProperty, unavailable } from '../shared/failures.ts'
import { randomToken } from '../shared/random-token.ts'
import {
  createSharedStore,
  requireAtMost,
  requireUnicode,
  SHARED_STORE_OPTIONS,
  type SharedStore,
  type SharedStoreOptions,
} from '../shared/shared-store.ts'
import { optionFailure } from '../stores-error.ts'
import { type IoRedisLike, type NodeRedisLike, redisPort } from './client.ts'
import { ACQUIRE, COMPARE_AND_SET, EXTEND, GET, IS_TEXT, RELEASE } from './scripts.ts'
import { inspectServers, misconfiguredServer, type RedisWarning } from './server-checks.ts'

/** Options of {@link createRedisStore}. Read once. */
export interface RedisStoreOptions extends SharedStoreOptions {
  /** A connected client: `createClient` or `createCluster` of node-redis, `new Redis` or `new Cluster` of ioredis. */
  readonly client: NodeRedisLike | IoRedisLike
  /**
   * Prefix of every key in Redis. Stores with different prefixes share nothing. It must not contain `value:` or
   * `lease:`, so that keys cannot collide.
   * @defaultValue 'brokerwire:'
   */
  readonly prefix?: string | undefined
  /**
   * Whether to reject a server that can lose acknowledged data: one without an append-only file, or with
   * replicas that it does not wait for. With `false`, such a server is accepted with a warning, for data that
   * may be lost, such as a rate-limit window.
   * @defaultValue true
   */
  readonly requireDurable?: boolean | undefined
  /**
   * Called once for each setting that could lose data and is accepted: with `requireDurable: false`, or if CONFIG
   * is forbidden.
   * @defaultValue a line on the console
   */
  readonly onWarning?: ((warning: RedisWarning) => void) | undefined
}

/**
 * Maximum size of a value. Redis allows 512 MB under one key, but tokens and cursors have a few kilobytes.
 */
const MAX_VALUE_BYTES = 16 * 1024 * 1024
const MAX_KEY_BYTES = 65_536
const REPLACEMENT = '\ufffd'

/** @throws `STORE_OPTION_INVALID` if keys of this prefix could collide with those of another. */
const prefix: Schema<string> = (value, path, fail) => {
  const text = string({ default: 'brokerwire:' })(value, path, fail)
  requireUnicode(path, text)
  if (/value:|lease:/.test(text))
    throw fail(path, 'a string without "value:" and "lease:"', 'a string with one of them')
  return text
}

/** Error codes of a server that will work again: it starts, fails over, waits for a replica, or is full. */
const TRANSIENT = new Set([
  'LOADING',
  'READONLY',
  'NOREPLICAS',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'BUSY',
  'OOM',
  'MOVED',
  'ASK',
  'UNBLOCKED',
  'MISCONF',
])
/**
 * Matches the message of an error from the server, which begins with a code. It is permanent unless the code
 * is in `TRANSIENT`.
 */
const ANSWER = /^(?:[A-Z]{3,}[A-Z_]*) /

function classifyError(error: unknown): FailureClass {
  const message = stringProperty(error, 'message') ?? ''
  // A script's error follows the name of the script.
  const [, code = ''] = /(?:^|: )-?([A-Z][A-Z_]{2,}) /.exec(message) ?? []
  if (TRANSIENT.has(code)) return { retryable: true, reason: code }
  if (ANSWER.test(message)) return { retryable: false, reason: escapeControlChars(code, 40) }
  return { retryable: true, reason: errorLabel(error) }
}

declare const console: { warn(line: string): void }

function warn({ setting, expected, received }: RedisWarning): void {
  console.warn(`@brokerwire/stores/redis: ${setting} must be ${expected}; received ${received}`)
}

const REDIS_STORE_OPTIONS = {
  ...SHARED_STORE_OPTIONS,
  client: redisPort,
  prefix,
  requireDurable: boolean(true),
  onWarning: func(warn),
} satisfies FieldsOf<RedisStoreOptions>

/**
 * Creates a store with `lock`. It sends nothing before its first call and does not close your client.
 *
 * Compare-and-set is a script (EVALSHA, and EVAL if the server does not know it yet). The lock is a lease that its
 * holder extends. If the holder is gone, the lease expires. A holder that cannot extend it is notified by `lost`
 * before another process can acquire it. docs/guides/stores-redis.md describes the limits of this during a failover.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`. Its calls reject with:
 * - `STORE_UNAVAILABLE` (retryable) if the server does not respond in time or cannot write now
 * - `STORE_MISCONFIGURED` if the server could lose data
 * - `STORE_IO` if the server rejects the command
 * - `STORE_CORRUPT` if the stored value is not a text
 *
 * @example
 * ```ts
 * import { createRedisStore, type RedisStoreOptions } from '@brokerwire/stores/redis'
 *
 * declare const options: RedisStoreOptions
 *
 * const store = createRedisStore(options)
 * console.log(await store.get('greeting'))
 * ```
 */
export function createRedisStore(given: RedisStoreOptions): SharedStore {
  const options = readOptions(optionFailure, given, REDIS_STORE_OPTIONS)
  const { client: port, prefix, requireDurable, onWarning } = options
  const warnedSettings = new Set<string>()
  /**
   * Name of this writer, to recognize a write that a client sends twice. Created at the first write, because a
   * Worker's global scope has no randomness.
   */
  let self = ''
  let calls = 0

  const yes = async (answer: unknown): Promise<boolean> => {
    const value = await answer
    // Any other response must not count as `false`, because the comparison was not made. Some clients return
    // numbers as strings.
    if (!/^[01]$/.test(String(value))) throw corrupt('the response', 'expected 0 or 1')
    return Number(value) === 1
  }

  return createSharedStore(options, {
    async check() {
      for (const warning of await inspectServers(port)) {
        if (requireDurable && warning.received !== 'unknown') throw misconfiguredServer(warning)
        // Reported once, although the check is repeated after a failover.
        if (warnedSettings.has(warning.setting)) continue
        warnedSettings.add(warning.setting)
        notify(() => onWarning(warning))
      }
    },
    limit(key, next) {
      requireAtMost(optionFailure, 'key', key, MAX_KEY_BYTES)
      if (next !== undefined) requireAtMost(optionFailure, 'next', next, MAX_VALUE_BYTES)
    },
    async get(key, call) {
      const name = `${prefix}value:${key}`
      const read = async (): Promise<string | undefined> => {
        const text = (await port.run(call, GET, name, [])) ?? undefined
        if (text === undefined || typeof text === 'string') return text
        throw corrupt('the response', 'expected a string. Configure the client to return strings, not bytes')
      }
      let text = await read()
      // A client decodes invalid UTF-8 as U+FFFD, which may also be part of the text. So the server compares the
      // bytes.
      while (text?.includes(REPLACEMENT)) {
        call.continue()
        if (Number(await port.run(call, IS_TEXT, name, [text])) === 1) break
        call.continue()
        const again = await read()
        if (again === text) throw corrupt('the value', 'expected UTF-8 text')
        // The text was changed in between, so the new text is checked.
        text = again
      }
      return text
    },
    async compareAndSet(key, expected, next, call) {
      // Hyphens are removed, because a hyphen has a meaning in Lua patterns.
      if (self === '') self = randomToken().replaceAll('-', '')
      calls += 1
      const answer = await port.run(call, COMPARE_AND_SET, `${prefix}value:${key}`, [
        self,
        String(calls),
        expected === undefined ? '0' : '1',
        expected ?? '',
        next === undefined ? '0' : '1',
        next ?? '',
      ])
      if (Number(answer) === 2)
        throw unavailable('compareAndSet', 'the client sent it again after a later write of the same store')
      return yes(answer)
    },
    leaseClient(key, token, leaseMs) {
      const name = `${prefix}lease:${key}`
      const length = String(leaseMs)
      return {
        acquire: (call) => yes(port.run(call, ACQUIRE, name, [token, length])),
        extend: (call) => yes(port.run(call, EXTEND, name, [token, length])),
        release: (call) => port.run(call, RELEASE, name, [token]),
      }
    },
    classifyError,
  })
}
