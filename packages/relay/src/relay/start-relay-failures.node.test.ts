/** Starts that fail, and a service that rejects every subscription. */
import { Secret } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createMemoryStore } from '@brokerwire/stores'
import { startHttp2Server } from '@brokerwire/testing/http2-server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createMemoryStream } from '../sink/memory-sink.ts'
import { APP, configOf } from '../test/config.ts'
import { setUp } from '../test/relay-setup.ts'
import { checkRelay, startRelay } from './start-relay.ts'

describe('a start that fails', () => {
  const open = { store: createMemoryStore(), openSink: () => createMemoryStream('x').open() }

  test.each([
    ['appKey', 'two\nlines'],
    ['appSecret', ''],
    ['appSecret', 'a-right-one-of-32-characters-000\n'],
    ['appKey', ''],
  ] as const)('names the field of an %s of %j before anything starts', async (field, value) => {
    const { configNamed } = await setUp(['team-a'])
    const readSecret = async (asked: string) =>
      new Secret(asked.endsWith(field) ? value : 'a-right-one-of-32-characters-000')
    const expected = { code: 'RELAY_OPTION_INVALID', details: { option: `apps[0].${field}` } }
    const config = configNamed('one')
    await expect(startRelay({ config, readSecret, ...open })).rejects.toMatchObject(expected)
    await expect(checkRelay(config, readSecret)).rejects.toMatchObject(expected)
  })

  test('names the field of an unknown origin', async () => {
    const { configNamed } = await setUp(['team-a'])
    const config = configNamed('one')
    const apps = config.apps.map((app) => ({ ...app, moduleEventsUrl: undefined }))
    const expected = {
      code: 'RELAY_OPTION_INVALID',
      message: expect.stringContaining('for us sandbox'),
      details: { option: 'apps[0].moduleEventsUrl' },
    }
    await expect(startRelay({ config: { ...config, apps }, ...open })).rejects.toMatchObject(expected)
    await expect(checkRelay({ ...config, apps })).rejects.toMatchObject(expected)
  })

  test('rejects the text of a configuration that was not parsed', async () => {
    const config = JSON.parse('{"apps":[{"name":"team-a"}]}')
    await expect(startRelay({ config, ...open })).rejects.toThrow(
      /config must be a configuration that parseRelayConfig returned/,
    )
  })

  test('closes the sink of an app whose subscriptions cannot be created', async () => {
    const { configNamed } = await setUp(['team-a'])
    const closed: string[] = []
    const openSink = () => ({
      ...createMemoryStream('team-a').open(),
      close: async () => void closed.push('team-a'),
    })
    // Not a configuration that parseRelayConfig returns: the streams reject it.
    const config = { ...configNamed('one'), slotLingerMs: Number.NaN }
    const relay = await startRelay({ config, store: createMemoryStore(), openSink })
    onTestFinished(() => relay.close())
    await expect.poll(() => closed).toEqual(['team-a'])
  })

  test('rejects a second relay of the same name, and the first one continues', async () => {
    const { simulator, configNamed } = await setUp(['team-a'])
    const store = createMemoryStore()
    const stream = createMemoryStream('team-a')
    const start = () => startRelay({ config: configNamed('same'), store, openSink: () => stream.open() })
    const first = await start()
    onTestFinished(() => first.close())
    await expect.poll(() => simulator.subscriptions().length).toBe(3)
    await expect(start()).rejects.toMatchObject({ code: 'RELAY_NAME_TAKEN' })
    expect(first.status()).toMatchObject({ isReady: true, apps: { 'team-a': 'relaying' } })
  })
})

describe('a service that rejects every subscription', () => {
  test.each([
    ['INVALID_ARGUMENT', 3],
    ['UNAUTHENTICATED', 16],
  ])(
    'is called less and less often after %s',
    async (_, status) => {
      let calls = 0
      const service = await startHttp2Server({
        async handler({ body, trailersOnly }) {
          if ((await body).length === 0) return
          calls += 1
          const grpcStatus = { 'grpc-status': String(status), 'content-type': 'application/grpc' }
          trailersOnly({ ':status': 200, ...grpcStatus })
        },
      })
      onTestFinished(() => service.close())
      const clock = createVirtualClock(Date.now())
      const { url } = service
      const app = { ...APP, accounts: ['1'], modules: ['application'], eventsUrl: url, moduleEventsUrl: url }
      const relay = await startRelay({
        config: configOf([app], { name: 'one', slotLingerMs: 0, heartbeatIntervalMs: 500 }),
        store: createMemoryStore(),
        clock,
        openSink: ({ app }) => createMemoryStream(app).open(),
        readSecret: async () => new Secret('a-right-one-of-32-characters-000'),
      })
      onTestFinished(async () => {
        const closing = relay.close()
        await clock.advance(60_000)
        await closing
      })
      const callsByMinute: number[] = []
      for (let minute = 0; minute < 10; minute += 1) {
        const before = calls
        for (let step = 0; step < 120; step += 1) {
          await clock.advance(500)
          // Real sockets need turns of the event loop.
          for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
        }
        callsByMinute.push(calls - before)
      }
      expect(callsByMinute[0]).toBeGreaterThan(0)
      // Five starts in the first minute, each of three subscriptions, which try an AuthError twice.
      expect(callsByMinute[0]).toBeLessThanOrEqual(30)
      expect(callsByMinute.slice(5).reduce((sum, count) => sum + count)).toBeLessThanOrEqual(12)
    },
    60_000,
  )
})
