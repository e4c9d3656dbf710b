/** The servers that store or receive the streams of a cluster, as the proof sees them. */
import type { ChildServer } from '@brokerwire/testing/child-server'
import { HEADER } from '../../../packages/relay/src/wire/headers.ts'
import {
  type StreamAddress,
  type Subscription,
  subjectRoot,
} from '../../../packages/relay/src/wire/subjects.ts'
import type { SinkPlace, Sinks } from './sink-place.ts'
import type { StoredMessage } from './verify.ts'

/** A server that the proof kills and starts again. */
export type StreamServer = Pick<ChildServer, 'port' | 'kill' | 'restart'>

export interface StreamServers {
  readonly nodes: readonly StreamServer[]
  /** Whether a server that takes over may lack messages that were acknowledged. @defaultValue false */
  readonly losesAcknowledged?: boolean
  /** Returns the place for a process that reaches the nodes, and the store of the relays, by these ports. */
  place(ports: readonly number[], storePort: number): SinkPlace
  /** Sinks of this process, which has no proxies. */
  readonly sinks: Sinks
  /** Returns the index of the node that is the leader of a stream; `undefined` while there is none. */
  leaderOf(stream: string): Promise<number | undefined>
  /** Whether all nodes have the whole stream. */
  isReplicated(stream: string): Promise<boolean>
  /** Returns the id of the last event of a subscription in a stream. */
  lastEvent(address: StreamAddress, subscription: Subscription): Promise<string | undefined>
  /** Reads a stream with the bare client. Of messages that were delivered several times, it has the first. */
  read(stream: string): Promise<readonly StoredMessage[]>
  /** Counts the messages that were delivered several times, if the servers allow that. */
  countCopies?(stream: string): Promise<Copies>
  close(): Promise<void>
}

/** Messages that were delivered several times. */
export interface Copies {
  readonly redelivered: number
  /** Those whose copies differ in their identity or their payload. */
  readonly conflicting: number
}

/** Returns the id of the last event of a subscription, from the end of its stream. */
export async function lastEventOf(
  sinks: Sinks,
  address: StreamAddress,
  subscription: Subscription,
): Promise<string | undefined> {
  await using sink = sinks.open(address)
  const lastOf = [`${subjectRoot(address)}.${subscription}.event.*.*`]
  const tail = await sink.tail({ maxEntries: 0, lastOf }).catch(() => undefined)
  const headers = tail?.lastOf[0]?.headers
  return headers?.[HEADER.id] ?? headers?.[HEADER.requestId]
}
