/**
 * Checks whether a bucket is durable. Up to 2.9.20, a server with more than one replica acknowledges updates of the
 * same revision to several writers, and all but one are lost (fixed by nats-server's change 4319).
 */
import { escapeControlChars } from '@brokerwire/core'
import { misconfigured } from '../shared/failures.ts'
import type { NatsBucketLike, NatsConnectionLike } from './client.ts'

/** A setting that could lose data and is accepted with `requireDurable: false`. */
export interface NatsWarning {
  /** Name of the bucket's setting. */
  readonly setting: string
  /** The value that the store needs. */
  readonly expected: string
  /** The value that the bucket has. */
  readonly received: string
}

/** The last version whose compare-and-set loses updates of a bucket with replicas. */
const LAST_BROKEN = [2, 9, 20] as const

/**
 * @returns Whether the version is later than the last affected one. An unreadable version counts as affected.
 */
export function keepsReplicatedUpdates(version: string): boolean {
  const found = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)
  if (found === null) return false
  const parts = found.slice(1).map(Number)
  for (const [at, last] of LAST_BROKEN.entries()) {
    const part = parts[at] ?? 0
    if (part !== last) return part > last
  }
  return false
}

/**
 * Checks the bucket and the server.
 *
 * @returns Settings that could lose acknowledged data.
 * @throws `STORE_MISCONFIGURED` for settings that break compare-and-set itself, which no option allows.
 */
export async function inspectBucket(
  bucket: NatsBucketLike,
  connection: NatsConnectionLike,
): Promise<NatsWarning[]> {
  const { replicas, ttl, storage, streamInfo } = await bucket.status()
  const version = connection.info?.version ?? 'unknown'
  if (replicas > 1) {
    const { allow_direct: isDirect } = streamInfo.config
    if (!keepsReplicatedUpdates(version))
      throw misconfigured(
        {
          setting: 'replicas',
          expected: '1, or a server later than 2.9.20, because until then updates are lost among replicas',
          received: `${replicas} on ${escapeControlChars(version, 40)}`,
        },
        'Update nats-server, or create the bucket with one replica',
      )
    // Any replica responds to a direct read, even a replica that does not have the last writes.
    if (isDirect === true)
      throw misconfigured(
        { setting: 'allow_direct', expected: 'false if there are replicas', received: 'true' },
        'Create the bucket with allow_direct: false',
      )
  }
  const {
    sealed: isSealed,
    discard,
    max_bytes: maxBytes = -1,
    max_msgs: maxMessages = -1,
  } = streamInfo.config
  if (isSealed === true)
    throw misconfigured(
      { setting: 'sealed', expected: 'false, because a sealed bucket takes no write', received: 'true' },
      'Create another bucket',
    )
  const found: NatsWarning[] = []
  // A full bucket with this policy silently discards its oldest entries.
  if (discard === 'old' && (maxBytes > 0 || maxMessages > 0))
    found.push({ setting: 'discard', expected: 'new if max_bytes or max_msgs is set', received: 'old' })
  if (ttl > 0) found.push({ setting: 'ttl', expected: '0', received: String(ttl) })
  if (String(storage) !== 'file')
    found.push({ setting: 'storage', expected: 'file', received: String(storage) })
  return found
}
