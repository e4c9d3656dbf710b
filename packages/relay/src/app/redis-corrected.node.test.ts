/** A relay whose Redis server rejects messages: after the correction, the stream has every event, or its gap if the stream was replaced. */
import { startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import { REAL_SERVERS } from '@brokerwire/testing/installed'
import type { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createRedisSink } from '../redis/redis-sink.ts'
import { isInGap, startAppRelay, storedNotices } from '../test/app-relay.ts'
import { ADDRESS } from '../test/entries.ts'
import { ALL, connect, note, skip, startOther } from '../test/redis.ts'
import { streamName } from '../wire/subjects.ts'

const NAME = streamName(ADDRESS)
const MOVED = `${NAME}:other`
const SLOW = { timeout: 20_000 }

interface Fault {
  readonly setting: string
  cause(admin: Redis): Promise<unknown>
  correct(admin: Redis): Promise<unknown>
}

const FAULTS: Readonly<Record<string, Fault>> = {
  'a full memory': {
    setting: 'maxmemory',
    cause: (admin) => admin.config('SET', 'maxmemory', '1mb'),
    correct: (admin) => admin.config('SET', 'maxmemory', '100mb'),
  },
  'a user without a command': {
    setting: 'access',
    cause: (admin) => admin.call('ACL', 'SETUSER', 'relay', '-xadd'),
    correct: (admin) => admin.call('ACL', 'SETUSER', 'relay', '+xadd'),
  },
  'a message of another program': {
    setting: 'stream',
    cause: (admin) => admin.xadd(NAME, '*', 'a', 'b'),
    // The messages up to now are in the renamed stream.
    correct: (admin) => admin.rename(NAME, MOVED),
  },
}

const isReplaced = (fault: Fault): boolean => fault.setting === 'stream'

describe.skipIf(skip)(`a Redis server that is corrected${note}`, REAL_SERVERS, () => {
  test.each([
    ...Object.entries(FAULTS).map(([name, fault]) => [name, fault, false] as const),
    ...Object.entries(FAULTS).map(([name, fault]) => [`${name}, and a restart`, fault, true] as const),
  ])(
    '%s: the app keeps its events; after the correction every event is stored or in a gap',
    async (_, fault, isRestarted) => {
      const server = await startOther()
      const admin = connect(server.port)
      onTestFinished(() => admin.disconnect())
      await admin.call('ACL', 'SETUSER', 'relay', 'on', '>password', '~*', '+@all')
      const client = connect(server.port, { username: 'relay', password: 'password' })
      onTestFinished(() => client.disconnect())
      const simulator = await startSimulator({ seed: 5, slotLingerMs: 0, maxConnections: 100 })
      onTestFinished(() => simulator.close())
      const store = createMemoryStore()
      const open = () => createRedisSink({ client, address: ADDRESS })
      const waits: unknown[] = []
      const observer = { onRelaySinkWait: ({ error }: { error: unknown }) => waits.push(error) }
      const start = () => startAppRelay({ simulator, store, sink: open(), sinkRetryMs: 500, observer })
      const emit = () => ({
        module: simulator.emitModule({ module: 'application' }),
        trade: simulator.emitOrder(),
      })
      const entries = async () => {
        await using sink = open()
        return (await sink.tail(ALL)).entries
      }
      const hasBody = async (body: string) => (await entries()).some((stored) => stored.body === body)

      const first = start()
      await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(3)
      const sent = [emit()]
      await expect.poll(() => hasBody(sent[0]?.trade.payload ?? ''), SLOW).toBe(true)
      await fault.cause(admin)
      sent.push(emit(), emit())
      const reason = { code: 'RELAY_SINK_MISCONFIGURED', details: { setting: fault.setting } }
      await expect.poll(() => waits[0], SLOW).toMatchObject(reason)
      sent.push(emit())
      expect(first.end.value).toBeUndefined()
      if (isRestarted) first.relay.abort()
      await fault.correct(admin)
      let second = first
      if (isRestarted || isReplaced(fault)) {
        expect(await first.ended).toMatchObject(
          isRestarted ? { why: 'released' } : { why: 'failed', error: { code: 'RELAY_STREAM_TRUNCATED' } },
        )
        await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(0)
        second = start()
        await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(3)
      }
      sent.push(emit())
      await expect.poll(() => hasBody(sent.at(-1)?.trade.payload ?? ''), SLOW).toBe(true)
      expect(await second.stop()).toMatchObject({ why: 'released' })

      const all = await entries()
      const bodies: string[] = []
      for (const stream of [MOVED, NAME])
        for (const [, fields] of await admin.xrange(stream, '-', '+'))
          bodies.push(fields[fields.indexOf('body') + 1] ?? '')
      const modules = new Set(sent.map(({ module }) => module.payload))
      expect(bodies.filter((body) => modules.has(body))).toEqual([...modules])
      for (const { trade } of sent)
        expect(
          bodies.filter((body) => body === trade.payload).length === 1 ||
            isInGap(all, 'trade', trade.timestampMs),
        ).toBe(true)
      if (isRestarted || isReplaced(fault)) return
      expect(waits).toHaveLength(1)
      expect(
        storedNotices(all, 'trade', 'gap').filter(({ cause }) => cause !== 'before-subscription'),
      ).toEqual([])
    },
  )
})
