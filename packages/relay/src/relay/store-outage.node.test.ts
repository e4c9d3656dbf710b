/** A relay whose store fails for longer than its membership holds, while events arrive. */
import { createRedisStore } from '@brokerwire/stores/redis'
import { REAL_SERVERS } from '@brokerwire/testing/installed'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createRedisSink } from '../redis/redis-sink.ts'
import type { EventSink, StoredEntry } from '../sink/event-sink.ts'
import { createMemoryStream } from '../sink/memory-sink.ts'
import { isEvent, isInGap, storedNotices } from '../test/app-relay.ts'
import { ALL, connect, note, skip, startOther } from '../test/redis.ts'
import { setUp } from '../test/relay-setup.ts'
import type { StreamAddress } from '../wire/subjects.ts'
import { startRelay } from './start-relay.ts'

const SLOW = { timeout: 30_000 }

interface Stream {
  open(address: StreamAddress): EventSink
  entries(address: StreamAddress): Promise<readonly StoredEntry[]>
}

describe.skipIf(skip)(`an outage of a Redis store${note}`, REAL_SERVERS, () => {
  test.each([
    ['a sink elsewhere goes on', false],
    ['its sink is on the same server', true],
  ])('%s: every event is stored once, and no gap is reported', async (_, isShared) => {
    const server = await startOther()
    const client = connect(server.port)
    onTestFinished(() => client.disconnect())
    const memory = createMemoryStream('team-a')
    const stream: Stream = isShared
      ? {
          open: (address) => createRedisSink({ client, address, requestTimeoutMs: 500 }),
          async entries(address) {
            await using sink = createRedisSink({ client, address })
            return (await sink.tail(ALL)).entries
          },
        }
      : { open: () => memory.open(), entries: async () => memory.entries }
    const { simulator, configNamed } = await setUp(['team-a'])
    const reports: string[] = []
    let address: StreamAddress | undefined
    const relay = await startRelay({
      config: { ...configNamed('one'), heartbeatIntervalMs: 1000 },
      store: createRedisStore({ client }),
      openSink(given) {
        address = given
        return stream.open(given)
      },
      observer: {
        onRelayMembershipLost: () => reports.push('lost'),
        onRelayApp: ({ state }) => reports.push(state),
      },
    })
    onTestFinished(() => relay.close())
    await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(3)
    await expect.poll(() => relay.status().isReady, SLOW).toBe(true)
    const sent: string[] = []
    const emit = (): void => {
      for (let event = 0; event < 5; event += 1)
        sent.push(simulator.emitModule({ module: 'application' }).payload, simulator.emitOrder().payload)
    }
    const entries = async () => (address === undefined ? [] : stream.entries(address))
    const bodies = async () => (await entries()).filter(isEvent).map(({ body }) => body)
    emit()
    await expect.poll(async () => (await bodies()).length, SLOW).toBe(10)

    await server.kill()
    emit()
    await expect.poll(() => reports.includes('lost'), SLOW).toBe(true)
    expect(relay.status().isReady).toBe(false)
    emit()
    await server.restart()
    await expect.poll(() => relay.status().isReady, SLOW).toBe(true)
    emit()
    await expect.poll(async () => (await bodies()).length, SLOW).toBeGreaterThanOrEqual(40)
    expect((await bodies()).sort()).toEqual([...sent].sort())
    const all = await entries()
    for (const source of ['trade', 'module', 'position'])
      expect(
        storedNotices(all, source, 'gap').filter(({ cause }) => cause !== 'before-subscription'),
      ).toEqual([])
    expect(storedNotices(all, 'relay', 'writer-changed').map(({ state }) => state)).toEqual(['acquired'])
    expect(reports).toEqual(['acquired', 'lost'])
  })

  test('stores what each of two relays has received, and reports a gap for the rest', async () => {
    const server = await startOther()
    const client = connect(server.port)
    onTestFinished(() => client.disconnect())
    const { simulator, configNamed } = await setUp(['team-a'])
    const lost = new Set<string>()
    let address: StreamAddress | undefined
    const start = async (name: string) => {
      const relay = await startRelay({
        config: { ...configNamed(name), heartbeatIntervalMs: 1000 },
        store: createRedisStore({ client }),
        openSink(given) {
          address = given
          return createRedisSink({ client, address: given, requestTimeoutMs: 500 })
        },
        observer: { onRelayMembershipLost: () => lost.add(name) },
      })
      onTestFinished(() => relay.close())
      return relay
    }
    const relays = [await start('one'), await start('two')]
    const isReady = () =>
      relays.every((relay) => relay.status().isReady && relay.status().members.length === 2)
    await expect.poll(isReady, SLOW).toBe(true)
    await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(3)
    const entries = async () => {
      if (address === undefined) return []
      await using sink = createRedisSink({ client, address })
      return (await sink.tail(ALL)).entries
    }
    const emit = () => ({
      module: simulator.emitModule({ module: 'application' }),
      trade: simulator.emitOrder(),
    })
    const received = [emit()]
    await server.kill()
    received.push(emit(), emit())
    await expect.poll(() => lost.size, SLOW).toBe(2)
    const missed = [emit(), emit()]
    await server.restart()
    await expect.poll(isReady, SLOW).toBe(true)
    await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(3)
    const last = emit()
    const bodies = async () => (await entries()).filter(isEvent).map(({ body }) => body)
    await expect.poll(async () => (await bodies()).includes(last.trade.payload), SLOW).toBe(true)
    const modules = [...received, ...missed, last].map(({ module }) => module.payload)
    await expect
      .poll(async () => (await bodies()).filter((body) => modules.includes(body)), SLOW)
      .toEqual(modules)
    const stored = await bodies()
    for (const { trade } of received) expect(stored.filter((body) => body === trade.payload)).toHaveLength(1)
    for (const { trade } of missed)
      expect(stored.includes(trade.payload) || isInGap(await entries(), 'trade', trade.timestampMs)).toBe(
        true,
      )
  })
})
