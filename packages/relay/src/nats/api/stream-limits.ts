/**
 * The required settings of a stream that a relay writes. The configuration of a created stream is compared with the request, because
 * old servers ignore settings that they do not know.
 */
import { isRecord } from '@brokerwire/core/internal'
import type { Retention } from '../../sink/event-sink.ts'
import { type StreamAddress, streamName, streamSubjects } from '../../wire/subjects.ts'
import type { StreamConfig } from './jetstream-api.ts'

/** Limits of a stream that the relay creates. */
export interface StreamLimits {
  /** The number of servers that store the stream. @defaultValue 1 */
  readonly replicas?: number | undefined
  /** Messages that are older than this are deleted, milliseconds. @defaultValue 7 days */
  readonly maxAgeMs?: number | undefined
  /** The oldest messages are deleted if the stream would be larger than this, bytes. @defaultValue 1 GiB */
  readonly maxBytes?: number | undefined
}

const DAY_MS = 86_400_000

/** Returns the configuration of a new stream, with the names of the API. */
export function streamConfig(address: StreamAddress, limits: StreamLimits): StreamConfig {
  const { replicas = 1, maxAgeMs = 7 * DAY_MS, maxBytes = 1024 ** 3 } = limits
  return {
    name: streamName(address),
    subjects: [streamSubjects(address)],
    retention: 'limits',
    storage: 'file',
    discard: 'old',
    num_replicas: replicas,
    max_age: maxAgeMs * 1e6,
    max_bytes: maxBytes,
    max_msgs: -1,
    max_msgs_per_subject: -1,
    max_msg_size: -1,
    max_consumers: -1,
    duplicate_window: Math.min(2 * 60_000, maxAgeMs) * 1e6,
  }
}

/** Returns the limits of an existing stream. */
export function getRetention({ max_age, max_bytes, max_msgs }: StreamConfig): Retention {
  const limit = (value: unknown): number | undefined =>
    typeof value === 'number' && value > 0 ? value : undefined
  const maxAgeNs = limit(max_age)
  return {
    maxAgeMs: maxAgeNs && maxAgeNs / 1e6,
    maxBytes: limit(max_bytes),
    maxMessages: limit(max_msgs),
  }
}

/** A setting with a wrong value. */
export interface ConfigMismatch {
  readonly setting: string
  readonly expected: string
  readonly received: string
}

/** Returns the settings that differ from the request. */
export function diffConfig(requested: StreamConfig, created: StreamConfig): ConfigMismatch[] {
  return Object.entries(requested)
    .filter(([setting, value]) => JSON.stringify(created[setting]) !== JSON.stringify(value))
    .map(([setting, value]) => ({
      setting,
      expected: formatValue(value),
      received: formatValue(created[setting]),
    }))
}

/**
 * Returns the settings of an existing stream with which a relay cannot write it. Its limits are not checked,
 * because its owner chooses them.
 *
 * @param allowMemory - Accepts a stream in memory, which is lost when its server restarts.
 */
export function findMismatches(
  address: StreamAddress,
  config: StreamConfig,
  allowMemory: boolean,
): ConfigMismatch[] {
  const found: ConfigMismatch[] = []
  const expectSetting = (setting: string, expected: unknown, received: unknown = config[setting]): void => {
    if (received !== expected)
      found.push({ setting, expected: formatValue(expected), received: formatValue(received) })
  }
  const subjects = Array.isArray(config.subjects) ? config.subjects : []
  // Further subjects would belong to another writer.
  expectSetting(
    'subjects',
    streamSubjects(address),
    subjects.length === 1 ? subjects[0] : JSON.stringify(subjects),
  )
  expectSetting('retention', 'limits')
  if (!allowMemory) expectSetting('storage', 'file')
  expectSetting('no_ack', false, config.no_ack ?? false)
  expectSetting('sealed', false, config.sealed ?? false)
  if (isRecord(config.mirror)) expectSetting('mirror', undefined, 'another stream')
  if (Array.isArray(config.sources) && config.sources.length > 0)
    expectSetting('sources', undefined, 'other streams')
  return found
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none')
}
