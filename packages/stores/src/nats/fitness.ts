/**
 * Whether a bucket keeps what it is told. Up to 2.9.20, a server with more than one replica acknowledges updates of the same
 * revision to several writers, and all but one are lost (fixed by nats-server's change 4319).
 */
import { printable } from '@brokerwire/core'
import { unfit } from '../shared/failures.ts'
import type { NatsBucketLike, NatsConnectionLike } from './client.ts'

/** What a bucket may be found to be, and is used all the same where the options say so. */
export interface NatsWarning {
  /** The setting of the bucket. */
  readonly setting: string
  /** The value that the store needs. */
  readonly expected: string
  /** The value that the bucket has. */
  readonly received: string
}

/** The last version whose compare-and-set loses updates of a bucket with replicas. */
const LAST_BROKEN = [2, 9, 20] as const

/** @returns Whether the version is known and later than that. A version that nobody can read may be any. */
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
 * Looks at the bucket and the server.
 *
 * @returns What would be forgotten at a restart.
 * @throws `STORE_MISCONFIGURED` for what no option allows, because it breaks compare-and-set itself.
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
      throw unfit(
        {
          setting: 'replicas',
          expected: '1, or a server later than 2.9.20, because until then updates are lost among replicas',
          received: `${replicas} on ${printable(version, 40)}`,
        },
        'Update nats-server, or create the bucket with one replica',
      )
    // Any replica answers such a read, also one that is behind.
    if (isDirect === true)
      throw unfit(
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
    throw unfit(
      { setting: 'sealed', expected: 'false, because a sealed bucket takes no write', received: 'true' },
      'Create another bucket',
    )
  const found: NatsWarning[] = []
  // Where it is full, it lets go of what was written first, and says nothing.
  if (discard === 'old' && (maxBytes > 0 || maxMessages > 0))
    found.push({ setting: 'discard', expected: 'new where there is max_bytes or max_msgs', received: 'old' })
  if (ttl > 0) found.push({ setting: 'ttl', expected: '0', received: String(ttl) })
  if (String(storage) !== 'file')
    found.push({ setting: 'storage', expected: 'file', received: String(storage) })
  return found
}
