/**
 * A store in Redis, over the caller's own client. What Redis promises when it is killed or fails over depends on its
 * settings: they are looked at before the first write, and a server that would forget is refused.
 */
import { printable } from '@brokerwire/core'
import {
  boolean,
  type FieldsOf,
  func,
  notify,
  readOptions,
  type Schema,
  string,
} from '@brokerwire/core/internal'
import { drawToken } from '../shared/draw-token.ts'
import { corrupt, nameOf, textOf, unavailable, type Verdict } from '../shared/failures.ts'
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
import { inspectServers, type RedisWarning, refused } from './fitness.ts'
import { COMPARE_AND_SET, GET, GIVE_BACK, IS_TEXT, PROLONG, TAKE } from './scripts.ts'

/** Options of {@link createRedisStore}. Read once. */
export interface RedisStoreOptions extends SharedStoreOptions {
  /** A connected client: `createClient` or `createCluster` of node-redis, `new Redis` or `new Cluster` of ioredis. */
  readonly client: NodeRedisLike | IoRedisLike
  /**
   * Begins every key of the store in Redis. Stores of other prefixes share nothing: so that no two keys meet, it has neither
   * `value:` nor `lease:` in it. @defaultValue 'brokerwire:'
   */
  readonly prefix?: string | undefined
  /**
   * Whether a server is refused that would forget what it acknowledged: one without append-only file, or with replicas
   * that it does not wait for. `false` warns, for what may be forgotten, such as the window of a limiter alone.
   * @defaultValue true
   */
  readonly requireDurable?: boolean | undefined
  /**
   * Told of each setting that is not what it should be and is not refused: where CONFIG is forbidden, or `requireDurable` is
   * `false`. @defaultValue a line on the console
   */
  readonly onWarning?: ((warning: RedisWarning) => void) | undefined
}

/** Redis keeps 512 MB under one key; a text of a token or a cursor has a few kilobytes. */
const MAX_VALUE_BYTES = 16 * 1024 * 1024
const MAX_KEY_BYTES = 65_536
const REPLACEMENT = '\ufffd'

/** @throws `STORE_OPTION_INVALID` where a key of this prefix could be one of another. */
const prefix: Schema<string> = (value, path, fail) => {
  const text = string({ default: 'brokerwire:' })(value, path, fail)
  requireUnicode(path, text)
  if (/value:|lease:/.test(text)) throw fail(path, 'a string without "value:" and "lease:"', 'one with it')
  return text
}

/** Answers of a server that will serve again: it starts, fails over, waits for a replica, or is full. */
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
/** Answers of a server that refuses, and will refuse again. */
const ANSWER = /^(?:[A-Z]{3,}[A-Z_]*) /

function judge(error: unknown): Verdict {
  const message = textOf(error, 'message') ?? ''
  // A script's error stands behind the script's name.
  const [, code = ''] = /(?:^|: )-?([A-Z][A-Z_]{2,}) /.exec(message) ?? []
  if (TRANSIENT.has(code)) return { retryable: true, reason: code }
  if (ANSWER.test(message)) return { retryable: false, reason: printable(code, 40) }
  return { retryable: true, reason: nameOf(error) }
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
 * Makes a store with `lock`. Sends nothing before its first call, and closes nothing: the client is the caller's.
 *
 * Compare-and-set is a script (EVALSHA, and EVAL where the server does not know it yet). The lock is a lease that its
 * holder prolongs; a holder that is gone frees it by that, and one that cannot prolong it learns it from `lost` before
 * anybody else can have it. What that means when a server fails over stands in the README.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`. Its calls reject with `STORE_UNAVAILABLE` (retryable) where the server
 * does not answer in time or cannot write now, with `STORE_MISCONFIGURED` where it would forget, with `STORE_IO` where it refuses,
 * and with `STORE_CORRUPT` where what it holds is no text.
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
  const told = new Set<string>()
  /** Names the writer, for a client that sends a write twice. Drawn at the first one: a Worker's global scope has no randomness. */
  let self = ''
  let calls = 0

  const yes = async (answer: unknown): Promise<boolean> => {
    const value = await answer
    // An answer that is neither is not a no: whoever wrote it did not compare.
    // Some clients are told to give numbers as texts.
    if (!/^[01]$/.test(String(value))) throw corrupt('the answer', 'expected 0 or 1')
    return Number(value) === 1
  }

  return createSharedStore(options, {
    async check() {
      for (const warning of await inspectServers(port)) {
        if (requireDurable && warning.received !== 'unknown') throw refused(warning)
        // Once: what is looked at again after a failover says the same.
        if (told.has(warning.setting)) continue
        told.add(warning.setting)
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
        throw corrupt('the answer', 'expected a text: the client is to give strings, not bytes')
      }
      let text = await read()
      // A client decodes bytes that are not UTF-8 as U+FFFD, which may also have been written: the server compares.
      while (text?.includes(REPLACEMENT)) {
        call.goOn()
        if (Number(await port.run(call, IS_TEXT, name, [text])) === 1) break
        call.goOn()
        const again = await read()
        if (again === text) throw corrupt('the value', 'expected text in UTF-8')
        // It was changed in between.
        text = again
      }
      return text
    },
    async compareAndSet(key, expected, next, call) {
      // A pattern of Lua reads the signs in it.
      if (self === '') self = drawToken().replaceAll('-', '')
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
        throw unavailable('compareAndSet', 'it was sent again after a later write of the same store')
      return yes(answer)
    },
    taker(key, token, leaseMs) {
      const name = `${prefix}lease:${key}`
      const length = String(leaseMs)
      return {
        take: (call) => yes(port.run(call, TAKE, name, [token, length])),
        prolong: (call) => yes(port.run(call, PROLONG, name, [token, length])),
        giveBack: (call) => port.run(call, GIVE_BACK, name, [token]),
      }
    },
    judge,
  })
}
