/**
 * A sink that writes to a stream of Redis. The id of a message is `SEQUENCE-0`. Scripts compare the end of the stream
 * with the one that the writer knows, and store a batch after it or nothing.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '@brokerwire/core'
import {
  boolean,
  clock,
  type FieldsOf,
  func,
  type InferFields,
  integer,
  notify,
  object,
  optional,
  readOptions,
} from '@brokerwire/core/internal'
import type { IoRedisLike, NodeRedisLike } from '@brokerwire/stores/redis'
import { optionFailure } from '../relay-error.ts'
import { type BatchStorage, createBatchSink, type StreamEnd } from '../sink/batch-sink.ts'
import {
  type EventSink,
  entryBytes,
  type Retention,
  type SinkEntry,
  type SinkState,
} from '../sink/event-sink.ts'
import { addCloudEventHeaders } from '../wire/cloud-events.ts'
import { type StreamAddress, streamAddress, streamName } from '../wire/subjects.ts'
import { redisPort } from './client.ts'
import { messageFields, parseMessage, subjectPattern } from './messages.ts'
import { APPEND, PROBE, type RedisScript, TAIL } from './scripts.ts'
import { checkServer, foreignStream, type RedisSinkWarning, toRelayError } from './server-errors.ts'

/** Options of {@link createRedisSink}. They are read once. */
export interface RedisSinkOptions {
  /** A connected client: node-redis, ioredis, or a cluster of either. Closing the sink leaves it open. */
  readonly client: NodeRedisLike | IoRedisLike
  /** The address of the stream that is written. */
  readonly address: StreamAddress
  /** The limits beyond which the oldest messages are deleted. @defaultValue nothing is deleted */
  readonly retention?:
    | { readonly maxMessages?: number | undefined; readonly maxAgeMs?: number | undefined }
    | undefined
  /** The length of a message that is still accepted, bytes. @defaultValue 64 MiB */
  readonly maxMessageBytes?: number | undefined
  /** Adds the attributes of CloudEvents 1.0 as headers `ce-id`, `ce-source`, `ce-type` and so on. @defaultValue false */
  readonly cloudEvents?: boolean | undefined
  /** Time limit of one call of the server, milliseconds. @defaultValue 5000 */
  readonly requestTimeoutMs?: number | undefined
  /** The clock of timers. @defaultValue the system clock */
  readonly clock?: Clock | undefined
  /** Called when the stream temporarily cannot be written, and when it can be written again. */
  readonly onState?: ((state: SinkState) => void) | undefined
  /** Called once for each setting with which the server may lose acknowledged messages. */
  readonly onWarning?: ((warning: RedisSinkWarning) => void) | undefined
}

const RETENTION = {
  maxMessages: optional(integer({ min: 1000, max: Number.MAX_SAFE_INTEGER })),
  maxAgeMs: optional(integer({ min: 60_000, max: 3650 * 86_400_000 })),
} satisfies FieldsOf<NonNullable<RedisSinkOptions['retention']>>

const OPTIONS = {
  client: redisPort,
  address: streamAddress,
  retention: object(RETENTION, {}),
  maxMessageBytes: integer({ min: 1024, max: 256 * 1024 * 1024, default: 64 * 1024 * 1024 }),
  cloudEvents: boolean(false),
  requestTimeoutMs: integer({ min: 10, max: 600_000, default: 5000 }),
  clock,
  onState: optional(func<NonNullable<RedisSinkOptions['onState']>>()),
  onWarning: optional(func<NonNullable<RedisSinkOptions['onWarning']>>()),
}

/**
 * Creates a sink that writes to a stream of Redis: each message once, in order.
 *
 * @throws RelayError `RELAY_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createRedisSink, type RedisSinkOptions } from '@brokerwire/relay/redis'
 *
 * declare const client: RedisSinkOptions['client']
 *
 * const address = { prefix: 'brokerwire', environment: 'sandbox', region: 'us', app: 'team-a' } as const
 * await using sink = createRedisSink({ client, address, retention: { maxMessages: 1_000_000 } })
 * const { sequence } = await sink.tail({ maxEntries: 10 })
 * console.log(sequence)
 * ```
 */
export function createRedisSink(options: RedisSinkOptions): EventSink {
  const read = readOptions(optionFailure, options, OPTIONS)
  const { address, requestTimeoutMs, clock, onState } = read
  return createBatchSink({
    storage: createStorage(read),
    name: streamName(address),
    requestTimeoutMs,
    clock,
    onState,
  })
}

function createStorage(options: InferFields<typeof OPTIONS>): BatchStorage {
  const { client, address, cloudEvents, maxMessageBytes: maxBytes, onWarning } = options
  const { maxMessages, maxAgeMs } = options.retention
  const name = streamName(address)
  // Redis Cluster hashes the part in braces only, so all keys are in the slot of the stream.
  const keys = [name, `{${name}}:state`, `{${name}}:subjects`]
  const retention: Retention = {
    ...(maxMessages === undefined ? {} : { maxMessages }),
    ...(maxAgeMs === undefined ? {} : { maxAgeMs }),
  }
  const warned = new Set<string>()
  const toStored = (entry: SinkEntry): SinkEntry => (cloudEvents ? addCloudEventHeaders(entry) : entry)
  const run = async (script: RedisScript, ...args: readonly string[]): Promise<readonly unknown[]> => {
    let result: unknown
    try {
      result = await client.run(script, keys, args)
    } catch (error) {
      throw toRelayError(name, error)
    }
    if (!Array.isArray(result)) throw new Error('the response of a script must be a list')
    if (Number(result[0]) === -1) throw foreignStream(name, `the id ${String(result[1])}`)
    return result
  }
  const endOf = ([sequence, token]: readonly unknown[]): StreamEnd => ({
    sequence: Number(sequence),
    token: String(token),
  })
  return {
    async readTail({ maxEntries, lastOf = [] }) {
      const warnings = await checkServer(name, client).catch((error: unknown) => {
        throw toRelayError(name, error)
      })
      for (const warning of warnings) {
        if (onWarning === undefined || warned.has(warning.setting)) continue
        warned.add(warning.setting)
        notify(() => onWarning(warning))
      }
      const newId = randomBytes(9).toString('base64url')
      const result = await run(TAIL, newId, String(maxEntries), ...lastOf.map(subjectPattern))
      const parse = (row: unknown) => parseMessage(row) ?? raise(foreignStream(name, 'another message'))
      const [, , streamId, entries = [], found = []] = result as [
        string,
        string,
        string,
        unknown[],
        unknown[],
      ]
      return {
        ...endOf(result),
        streamId,
        retention,
        entries: entries.map(parse).reverse(),
        lastOf: lastOf.map((_, at) => {
          const row = found[at]
          return Array.isArray(row) && row.length > 0 ? parse(row) : undefined
        }),
      }
    },
    async append(entries, { sequence, token }, newToken) {
      const fields = entries.flatMap((entry) => {
        const values = messageFields(toStored(entry))
        return [entry.subject, String(values.length), ...values]
      })
      return endOf(await run(APPEND, String(sequence), token, newToken, String(maxMessages ?? 0), ...fields))
    },
    async probe() {
      return { ...endOf(await run(PROBE, String(maxAgeMs ?? 0))), retention }
    },
    checkSize(entry) {
      const stored = toStored(entry)
      // `entryBytes()` counts at least two thirds of the bytes of UTF-8, and half of those that JSON escapes.
      if (2 * entryBytes(stored) <= maxBytes) return undefined
      const messageBytes = messageFields(stored).reduce((sum, value) => sum + Buffer.byteLength(value), 0)
      return messageBytes <= maxBytes ? undefined : { messageBytes, maxBytes, setting: 'maxMessageBytes' }
    },
  }
}

function raise(error: Error): never {
  throw error
}
