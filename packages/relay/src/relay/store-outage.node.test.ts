/**
 * An outage of a real store that is longer than the membership, while events arrive. The relay stops its app, because another
 * relay may start it: two relays would use more connections than the service allows. It reads module events again from the
 * position in the stream, and reports trade events as a gap.
 */

import { createRedisStore } from '@brokerwire/stores/redis'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { startRedis } from '@brokerwire/testing/redis'
import { createClient } from 'redis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createMemoryStream } from '../sink/memory-sink.ts'
import { eventsOf, ids, noticesOf } from '../test/app-relay-bench.ts'
import { SLOW, setUp } from '../test/relay-setup.ts'
import { startRelay } from './start-relay.ts'

const { skip, note } = needs('redis-server')

describe.skipIf(skip)(`an outage of the store${note}`, REAL_SERVERS, () => {
  test('loses and duplicates no module event, and reports trade events as a gap', async () => {
    const server = await startRedis()
    onTestFinished(() => server.close())
    const client = createClient({ socket: { host: '127.0.0.1', port: server.port, reconnectStrategy: 20 } })
    client.on('error', () => {})
    await client.connect()
    onTestFinished(() => client.destroy())
    const { simulator, configNamed } = await setUp(['team-a'])
    const stream = createMemoryStream('team-a')
    let lost = 0
    const relay = await startRelay({
      config: { ...configNamed('one'), heartbeatIntervalMs: 1000 },
      store: createRedisStore({ client }),
      openSink: () => stream.open(),
      observer: {
        onRelayMembershipLost: () => {
          lost += 1
        },
      },
    })
    onTestFinished(() => relay.close())
    await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(3)
    const sent: string[] = []
    const emit = (count: number): void => {
      for (let event = 0; event < count; event += 1)
        sent.push(simulator.emitModule({ module: 'application' }).id)
    }
    emit(20)
    await expect.poll(() => eventsOf(stream.entries, 'module').length, SLOW).toBe(20)

    await server.pause()
    emit(20)
    await expect.poll(() => lost, SLOW).toBeGreaterThan(0)
    await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(0)
    emit(20)
    const orderAtMs = Date.now()
    simulator.emitOrder()
    server.resume()

    await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(3)
    emit(20)
    await expect.poll(() => eventsOf(stream.entries, 'module').length, SLOW).toBe(80)
    expect(ids(eventsOf(stream.entries, 'module'))).toEqual(sent)
    const covers = ({
      kind,
      fromMs = Number.POSITIVE_INFINITY,
      toMs,
    }: {
      kind: string
      fromMs?: number
      toMs: number
    }) => kind === 'gap' && fromMs <= orderAtMs && toMs >= orderAtMs
    expect(noticesOf(stream.entries, 'trade').filter(covers).length).toBe(1)
  }, 120_000)
})
