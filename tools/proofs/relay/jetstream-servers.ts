/** A NATS cluster of three servers. */
import { startNatsCluster } from '@brokerwire/testing/nats'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { recovered } from '../wait.ts'
import { connectSinks, type SinkPlace } from './sink-place.ts'
import { lastEventOf, type StreamServers } from './stream-servers.ts'
import type { StoredMessage } from './verify.ts'

const REPLICAS = 3
const API_TIMEOUT_MS = 2000
/** Limit in real time, for a whole cluster on a busy machine. */
const RESPONSE_TIMEOUT_MS = 60_000
const CONCURRENT_READS = 256

interface StreamInfo {
  readonly cluster?: {
    readonly leader?: string
    readonly replicas?: readonly { readonly current: boolean; readonly offline?: boolean }[]
  }
}

export async function startJetStreamServers(): Promise<StreamServers> {
  const cluster = await startNatsCluster()
  const nodes = cluster.servers
  const place = (ports: readonly number[]): SinkPlace => ({ kind: 'jetstream', ports, replicas: REPLICAS })
  const connection = await connect({
    servers: nodes.map(({ port }) => `127.0.0.1:${port}`),
    reconnectTimeWait: 50,
    maxReconnectAttempts: -1,
    timeout: API_TIMEOUT_MS,
  })
  await recovered('a cluster with a leader', async () => {
    const answer = await connection.request('$JS.API.INFO', '', { timeout: API_TIMEOUT_MS })
    return answer.json<{ error?: unknown }>().error === undefined || undefined
  })
  const sinks = await connectSinks(place(nodes.map(({ port }) => port)))
  const infoOf = async (stream: string): Promise<StreamInfo> => {
    const subject = `$JS.API.STREAM.INFO.${stream}`
    return (await connection.request(subject, '', { timeout: API_TIMEOUT_MS })).json<StreamInfo>()
  }
  return {
    nodes,
    place,
    sinks,
    async leaderOf(stream) {
      // The servers are named n0, n1 and n2.
      const leader = (await infoOf(stream)).cluster?.leader
      return leader === undefined ? undefined : Number(leader.slice(1))
    },
    async isReplicated(stream) {
      const replicas = (await infoOf(stream)).cluster?.replicas ?? []
      return replicas.length === REPLICAS - 1 && replicas.every(({ current, offline }) => current && !offline)
    },
    lastEvent: (address, subscription) => lastEventOf(sinks, address, subscription),
    read: (stream) => readStream(connection, stream),
    async close() {
      await sinks.close()
      await connection.close()
      await cluster.close()
    },
  }
}

/**
 * Reads a stream with the NATS client, message by message, from the stream's leader. A JetStream consumer is
 * not used, because it would read from the server that is the leader of the consumer. With nats-server
 * 2.9.10, a follower that was killed and restarted returned 1,566 messages too few while the cluster reported
 * it as current.
 */
async function readStream(connection: NatsConnection, stream: string): Promise<StoredMessage[]> {
  const { streams } = await jetstreamManager(connection, { timeout: RESPONSE_TIMEOUT_MS })
  const { state } = await streams.info(stream)
  if (state.messages === 0) return []
  const messages: StoredMessage[] = []
  const text = new TextDecoder('utf-8', { ignoreBOM: true })
  for (let from = state.first_seq; from <= state.last_seq; from += CONCURRENT_READS) {
    const count = Math.min(CONCURRENT_READS, state.last_seq - from + 1)
    const found = await Promise.all(
      Array.from({ length: count }, (_, at) => streams.getMessage(stream, { seq: from + at })),
    )
    for (const message of found) {
      if (message === null) continue
      const { header, seq, time, data } = message
      messages.push({
        sequence: seq,
        storedAtMs: time.getTime(),
        headers: Object.fromEntries(header.keys().map((name) => [name, header.get(name)])),
        body: text.decode(data),
      })
    }
  }
  return messages
}
