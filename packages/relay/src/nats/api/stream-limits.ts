/**
 * What a stream has to be, for a relay to write it: made by the relay where it was told to, compared with what was asked,
 * because old servers leave out in silence what they do not know.
 */
import { isRecord } from '@brokerwire/core/internal'
import type { Retention } from '../../sink/event-sink.ts'
import { type StreamAddress, streamName, subjectsOf } from '../../wire/subjects.ts'
import type { StreamConfig } from './jetstream-api.ts'

/** Limits of a stream that the relay makes. */
export interface StreamLimits {
  /** @defaultValue 1 */
  readonly replicas?: number | undefined
  /** Messages older than this go, milliseconds. @defaultValue 7 days */
  readonly maxAgeMs?: number | undefined
  /** The oldest go where the stream would be larger. @defaultValue 1 GiB */
  readonly maxBytes?: number | undefined
}

const DAY_MS = 86_400_000

/** The configuration that is asked for, under the names of the API. */
export function streamConfig(address: StreamAddress, limits: StreamLimits): StreamConfig {
  const { replicas = 1, maxAgeMs = 7 * DAY_MS, maxBytes = 1024 ** 3 } = limits
  return {
    name: streamName(address),
    subjects: [subjectsOf(address)],
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

/** The limits of an existing stream. */
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

/** A setting that is not as it has to be. */
export interface ConfigMismatch {
  readonly setting: string
  readonly expected: string
  readonly received: string
}

/** What came back and is not what was asked for. */
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
 * What keeps an existing stream from being written by a relay. Its limits are its owner's: they are not looked at.
 *
 * @param allowMemory - Takes a stream that forgets everything when its server ends.
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
  // Another's subjects beside ours would be another writer.
  expectSetting(
    'subjects',
    subjectsOf(address),
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
