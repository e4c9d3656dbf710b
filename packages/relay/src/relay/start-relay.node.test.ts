/** Relays from a configuration, over the simulator and the file sink. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Secret, type Store } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createMemoryStore } from '@brokerwire/stores'
import { createFileStore } from '@brokerwire/stores/file'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serializeAppRecord } from '../cluster/app-record.ts'
import { createFileSink } from '../sink/file-sink.ts'
import { createMemoryStream, type MemoryStream } from '../sink/memory-sink.ts'
import { sinkUnavailable } from '../sink/sink-errors.ts'
import { APP, configOf } from '../test/config.ts'
import { CONFIG, PACE, SLOW, setUp } from '../test/relay-setup.ts'
import { HEADER } from '../wire/headers.ts'
import { streamName } from '../wire/subjects.ts'
import { serveHealth } from './health.ts'
import { startRelay } from './start-relay.ts'

describe('a relay', () => {
  test('writes events to a file, becomes ready, and closes without an error', async () => {
    const { simulator, directory, configNamed } = await setUp(['team-a'])
    const store = createFileStore({ directory: join(directory, 'state') })
    const config = configNamed('one')
    const events = join(directory, 'events')
    const relay = await startRelay({
      config,
      store,
      openSink: (address) => createFileSink({ directory: events, name: streamName(address), store }),
    })
    onTestFinished(() => relay.close())
    await using health = await serveHealth({ host: '127.0.0.1', port: 0 }, () => relay.status())
    await expect.poll(async () => (await fetch(`${health.url}/readyz`)).status).toBe(200)
    await expect.poll(() => simulator.subscriptions().length).toBe(3)
    const order = simulator.emitOrder()
    const module = simulator.emitModule({ module: 'application' })
    const lines = async () =>
      (await readFile(join(events, 'brokerwire_sandbox_us_team-a.jsonl'), 'utf8'))
        .split('\n')
        .filter((line) => line !== '')
    await expect
      .poll(async () => (await lines()).filter((line) => line.includes('"Brokerwire-Type":"event"')).length)
      .toBe(2)
    const text = (await lines()).join('\n')
    expect(text).toContain(JSON.stringify(order.payload))
    expect(text).toContain(module.id)
    const { appKey, appSecret } = simulator.credentials
    for (const secret of [appKey, appSecret.reveal()]) expect(text).not.toContain(secret)
    await expect
      .poll(async () => (await fetch(`${health.url}/healthz`)).json())
      .toEqual({
        isReady: true,
        members: ['one'],
        apps: { 'team-a': 'relaying' },
        reasons: {},
      })
    expect((await fetch(`${health.url}/secrets`)).status).toBe(404)
    expect((await fetch(`${health.url}/readyz`, { method: 'POST' })).status).toBe(405)
    await relay.close()
    expect((await lines()).at(-1)).toContain('\\"state\\":\\"released\\"')
    expect(simulator.subscriptions()).toHaveLength(0)
  })

  test('is not ready while subscriptions wait for connections of a killed relay, and /readyz has the reason', async () => {
    const { configNamed } = await setUp(['team-a'])
    const config = { ...configNamed('one'), slotLingerMs: 60_000 }
    const store = createMemoryStore()
    const holder = { name: 'killed', incarnation: 'killed-1', acquisition: 1 }
    const record = serializeAppRecord({ holder, state: 'held', lingering: 0 })
    await store.compareAndSet(`relay/${config.cluster}/key/team-a`, undefined, record)
    const stream = createMemoryStream('team-a')
    const relay = await startRelay({ config, store, openSink: () => stream.open() })
    onTestFinished(() => relay.close())
    await using health = await serveHealth({ host: '127.0.0.1', port: 0 }, () => relay.status())
    const read = async () => {
      const response = await fetch(`${health.url}/readyz`)
      return { status: response.status, body: await response.json() }
    }
    const reason = expect.stringMatching(
      /^position will be opened within \d+ s: the service may still count 3 ended connections$/,
    )
    await expect
      .poll(read)
      .toMatchObject({ status: 503, body: { apps: { 'team-a': 'waiting' }, reasons: { 'team-a': reason } } })
  })

  test('is not ready if an app has more subscriptions than maxConnections, and status() has the reason', async () => {
    const { configNamed } = await setUp(['team-a'])
    const sink = createMemoryStream('team-a').open()
    const config = { ...configNamed('one'), maxConnections: 2 }
    const relay = await startRelay({ config, store: createMemoryStore(), openSink: () => sink })
    onTestFinished(() => relay.close())
    await expect
      .poll(() => relay.status().reasons['team-a'])
      .toBe('position cannot be opened: maxConnections is less than the number of subscriptions')
    expect(relay.status().isReady).toBe(false)
  })

  test('is ready only while its sink can be written', async () => {
    const { simulator, configNamed } = await setUp(['team-a'])
    const clock = createVirtualClock(Date.now())
    const sink = createMemoryStream('team-a').open()
    let isAway = false
    const relay = await startRelay({
      config: configNamed('one'),
      store: createMemoryStore(),
      clock,
      openSink: () => ({
        ...sink,
        async probe() {
          if (isAway) throw sinkUnavailable('team-a', 'of a test')
          return {}
        },
      }),
    })
    onTestFinished(async () => {
      const closing = relay.close()
      await clock.advance(60_000)
      await closing
    })
    await expect.poll(() => simulator.subscriptions().length).toBe(3)
    for (let second = 0; second < 60; second += 1) await clock.advance(1000)
    expect(relay.status()).toMatchObject({ isReady: true, apps: { 'team-a': 'relaying' } })
    isAway = true
    for (let second = 0; second < 20; second += 1) await clock.advance(1000)
    expect(relay.status()).toMatchObject({ isReady: false, apps: { 'team-a': 'waiting' } })
    isAway = false
    for (let second = 0; second < 5; second += 1) await clock.advance(1000)
    expect(relay.status().isReady).toBe(true)
  })

  test('shares the apps with a second relay, and takes them over without a lost or duplicate module event', async () => {
    const apps = ['team-a', 'team-b', 'team-c', 'team-d']
    const { simulator, configNamed } = await setUp(apps)
    const store = createMemoryStore()
    const streams = new Map<string, MemoryStream>(apps.map((app) => [app, createMemoryStream(app)]))
    const start = (name: string) =>
      startRelay({
        config: configNamed(name),
        store,
        openSink: ({ app }) => (streams.get(app) as MemoryStream).open(),
      })
    const first = await start('one')
    onTestFinished(() => first.close())
    await expect.poll(() => simulator.subscriptions().length).toBe(12)
    const sent: string[] = []
    const emit = (count: number): void => {
      for (let event = 0; event < count; event += 1)
        sent.push(simulator.emitModule({ module: 'application' }).id)
    }
    const stored = (app: string): string[] =>
      (streams.get(app)?.entries ?? [])
        .filter(({ headers }) => headers[HEADER.type] === 'event')
        .map(({ headers }) => headers[HEADER.id] ?? '')
    emit(20)
    await expect.poll(() => apps.map((app) => stored(app).length)).toEqual([20, 20, 20, 20])
    const second = await start('two')
    onTestFinished(() => second.close())
    await expect.poll(() => Object.keys(second.status().apps).length).toBeGreaterThan(0)
    emit(20)
    await expect.poll(() => second.status().isReady && first.status().isReady).toBe(true)
    expect([...Object.keys(first.status().apps), ...Object.keys(second.status().apps)].sort()).toEqual(apps)
    emit(20)
    await first.close()
    emit(20)
    await expect.poll(() => Object.values(second.status().apps)).toEqual(apps.map(() => 'relaying'))
    await expect.poll(() => apps.map((app) => stored(app).length)).toEqual([80, 80, 80, 80])
    for (const app of apps) expect(stored(app)).toEqual(sent)
  })

  test('is ready again after it lost its membership, with the same run of its app, although a cursor is written late', async () => {
    const { simulator, configNamed } = await setUp(['team-a'])
    const clock = createVirtualClock(Date.now())
    const memory = createMemoryStore()
    let isCut = false
    const held: (() => void)[] = []
    let responses = 0
    const reach = (app: string): void => {
      if (isCut && app.endsWith('/members')) throw new Error('of a test')
    }
    const store: Store = {
      async get(app) {
        reach(app)
        return memory.get(app)
      },
      async compareAndSet(...args) {
        reach(args[0])
        // The first cursor of the first run: its subscriptions are closed when it is written.
        const isPaused = held.length === 0 && args[2]?.includes('"position"')
        if (isPaused) await new Promise<void>((resolve) => held.push(resolve))
        const isSet = await memory.compareAndSet(...args)
        if (isPaused) responses += 1
        return isSet
      },
    }
    const stream = createMemoryStream('team-a')
    let opened = 0
    const relay = await startRelay({
      config: configNamed('one'),
      store,
      clock,
      openSink() {
        opened += 1
        return stream.open()
      },
    })
    onTestFinished(async () => {
      const closing = relay.close()
      await clock.advance(60_000)
      await closing
    })
    const later = <T>(read: () => T) =>
      expect.poll(async () => {
        await clock.advance(500)
        return read()
      }, SLOW)
    await later(() => simulator.subscriptions().length).toBe(3)
    simulator.emitModule({ module: 'application' })
    await later(() => held.length).toBe(1)
    isCut = true
    await later(() => relay.status().isReady).toBe(false)
    const { id } = simulator.emitModule({ module: 'application' })
    const stored = () => stream.entries.some(({ headers }) => headers[HEADER.id] === id)
    await later(stored).toBe(true)
    expect(simulator.subscriptions()).toHaveLength(3)
    isCut = false
    await later(() => relay.status().isReady).toBe(true)
    expect(responses).toBe(0)
    held[0]?.()
    await later(() => responses).toBe(1)
    await clock.advance(500)
    expect(relay.status()).toMatchObject({ isReady: true, apps: { 'team-a': 'relaying' } })
    expect(opened).toBe(1)
  })

  test.each([
    ['never responds', (): Promise<never> => new Promise(() => {})],
    ['fails', () => Promise.reject(new Error('of a test'))],
  ])('can be aborted while it joins a cluster whose store %s', async (_, ask) => {
    const clock = createVirtualClock(Date.now())
    const stop = new AbortController()
    const outcome: unknown[] = []
    const app = { ...APP, accounts: ['1'], moduleEventsUrl: 'http://127.0.0.1:1' }
    void startRelay({
      config: configOf([app], PACE),
      store: { get: ask, compareAndSet: ask },
      openSink: () => createMemoryStream('x').open(),
      readSecret: async () => new Secret('a-right-one-of-32-characters-000'),
      clock,
      signal: stop.signal,
    }).catch((error: unknown) => outcome.push(error))
    await clock.advance(60_000)
    expect(outcome).toEqual([])
    stop.abort('of a test')
    await clock.advance(5 * PACE.heartbeatIntervalMs)
    expect(outcome).toEqual(['of a test'])
    expect(clock.pendingTimers).toBe(0)
  })

  test('does not use the store if its signal has aborted, and ends by close() alone after it has joined', async () => {
    const { configNamed } = await setUp(['team-a'])
    const store = createMemoryStore()
    const options = { config: configNamed('one'), store, openSink: () => createMemoryStream('x').open() }
    await expect(startRelay({ ...options, signal: AbortSignal.abort('too late') })).rejects.toBe('too late')
    expect(await store.keys()).toEqual([])
    const stop = new AbortController()
    const relay = await startRelay({ ...options, signal: stop.signal })
    onTestFinished(() => relay.close())
    stop.abort()
    await expect.poll(() => relay.status().isReady).toBe(true)
    await relay.close()
    expect(await relay.ended).toBeUndefined()
  })

  test.each([
    [{}, 'config'],
    [{ config: {} }, 'config'],
    [{ config: CONFIG }, 'store'],
    [{ config: CONFIG, store: createMemoryStore() }, 'openSink'],
    [{ config: CONFIG, store: createMemoryStore(), openSink: () => {}, sinks: 1 }, 'sinks'],
    [{ config: CONFIG, store: createMemoryStore(), openSink: () => {}, signal: 'SIGTERM' }, 'signal'],
  ])('names a wrong option: %j', async (options, option) => {
    await expect(startRelay(options as never)).rejects.toMatchObject({
      code: 'RELAY_OPTION_INVALID',
      details: { option },
    })
  })

  test('names the field of a missing secret before it opens anything', async () => {
    const { configNamed } = await setUp(['team-a'])
    const config = configNamed('one')
    const [app] = config.apps
    if (app === undefined) throw new Error('no app')
    const options = { store: createMemoryStore(), openSink: () => createMemoryStream('x').open() }
    for (const [place, where] of [
      [{ env: 'BROKERWIRE_TEST_NOT_SET' }, 'the environment variable BROKERWIRE_TEST_NOT_SET'],
      [{ file: '/nonexistent' }, 'the file /nonexistent'],
    ] as const) {
      const broken = { ...config, apps: [{ ...app, appSecret: place }] }
      await expect(startRelay({ ...options, config: broken })).rejects.toMatchObject({
        code: 'RELAY_OPTION_INVALID',
        message: expect.stringContaining(where),
        details: { option: 'apps[0].appSecret' },
      })
    }
  })
})
