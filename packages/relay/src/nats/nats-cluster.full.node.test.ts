/** A stream with three replicas on a real cluster, whose leader is killed while it is written. */

import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { startNatsCluster } from '@brokerwire/testing/nats'
import { connect } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import { isRelayError } from '../relay-error.ts'
import { ADDRESS, entries, keys } from '../test/entries.ts'
import { streamName } from '../wire/subjects.ts'
import { createJetStreamSink } from './jetstream-sink.ts'

const { skip, note } = needs('nats-server')

/** Retries while the cluster has no leader. */
async function untilAvailable<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isRelayError(error, 'RELAY_SINK_UNAVAILABLE')) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

describe.skipIf(skip)(`three replicas${note}`, REAL_SERVERS, () => {
  test('store each message once and in order when the leader is killed twice in the middle of a pipeline', async ({
    onTestFinished,
  }) => {
    const cluster = await startNatsCluster()
    onTestFinished(() => cluster.close())
    const connection = await connect({
      servers: cluster.servers.map(({ port }) => `127.0.0.1:${port}`),
      reconnectTimeWait: 50,
      maxReconnectAttempts: -1,
      timeout: 5000,
    })
    onTestFinished(() => connection.close())
    const sink = createJetStreamSink({
      connection,
      address: ADDRESS,
      createStream: { replicas: 3 },
      publishTimeoutMs: 500,
      requestTimeoutMs: 1000,
    })
    onTestFinished(() => sink.close())
    await untilAvailable(() => sink.tail({ maxEntries: 0 }))
    /** Servers are called n0, n1 and n2. */
    const leader = async (): Promise<number> => {
      const answer = await connection.request(`$JS.API.STREAM.INFO.${streamName(ADDRESS)}`, '', {
        timeout: 5000,
      })
      const { cluster: info } = answer.json<{ cluster: { leader: string } }>()
      return Number(info.leader.slice(1))
    }
    const calls: Promise<unknown>[] = []
    let next = 1
    const publishSome = (): void => {
      for (let batch = 0; batch < 50; batch += 1, next += 20)
        calls.push(sink.publish(entries(next, next + 19)))
    }
    const gaps: number[] = []
    for (let round = 0; round < 2; round += 1) {
      const killed = cluster.servers[await leader()]
      publishSome()
      await calls.at(-40)
      await killed?.kill()
      const killedMs = performance.now()
      publishSome()
      await Promise.all(calls)
      gaps.push(Math.round(performance.now() - killedMs))
      await killed?.restart()
    }
    process.stdout.write(
      `three replicas, leader killed twice: all stored again after ${gaps.join(' and ')} ms\n`,
    )
    // Thousands of single responses, with the usual time limit for each.
    await using reader = createJetStreamSink({ connection, address: ADDRESS })
    const tail = await untilAvailable(() => reader.tail({ maxEntries: next }))
    expect(tail.sequence).toBe(next - 1)
    expect(keys(tail.entries)).toEqual(keys(entries(1, next - 1)))
  })
})
