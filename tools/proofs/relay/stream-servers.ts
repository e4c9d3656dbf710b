/** The servers that store the streams of a cluster, as the proof sees them. */
import type { ChildServer } from '@brokerwire/testing/child-server'
import type { SinkPlace, Sinks } from './sink-place.ts'
import type { StoredMessage } from './verify.ts'

export interface StreamServers {
  readonly nodes: readonly ChildServer[]
  /** Returns the place for a process that reaches the nodes by these ports. */
  place(ports: readonly number[]): SinkPlace
  /** Sinks of this process, which has no proxies. */
  readonly sinks: Sinks
  /** Returns the index of the node that is the leader of a stream; `undefined` while there is none. */
  leaderOf(stream: string): Promise<number | undefined>
  /** Whether all nodes have the whole stream. */
  isReplicated(stream: string): Promise<boolean>
  /** Reads a stream with the bare client. */
  read(stream: string): Promise<readonly StoredMessage[]>
  close(): Promise<void>
}
