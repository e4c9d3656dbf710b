/** Relays from a configuration, over the simulator and the file sink. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret, type Store } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import { createFileStore } from '@brokerwire/stores/file'
import { startHttp2Server } from '@brokerwire/testing/http2-server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createFileSink } from '../sink/file-sink.ts'
import { createMemoryStream, type MemoryStream } from '../sink/memory-sink.ts'
import { sinkUnavailable } from '../sink/sink-errors.ts'
import { APP, appOf, configOf } from '../test/config.ts'
import { HEADER } from '../wire/headers.ts'
import { streamName } from '../wire/subjects.ts'
import { serveHealth } from './health.ts'
import { checkRelay, startRelay } from './start-relay.ts'

const SLOW = { timeout: 60_000 }
/** On a busy machine a heartbeat may come late; membership holds for three of them. */
const PACE = { slotLingerMs: 0, heartbeatIntervalMs: 2000 }

async function setUp(apps: readonly string[]) {
  const simulator = await startSimulator({ seed: 5, slotLingerMs: 0, maxConnections: 100 })
  onTestFinished(() => simulator.close())
  const directory = await mkdtemp(join(tmpdir(), 'brokerwire-relay-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const { appKey, appSecret } = simulator.credentials
  const places = { appKey: { file: join(directory, 'key') }, appSecret: { file: join(directory, 'secret') } }
  await writeFile(places.appKey.file, `${appKey}\n`, { mode: 0o600 })
  await writeFile(places.appSecret.file, appSecret.reveal(), { mode: 0o600 })
  const configNamed = (name: string) =>
    configOf(
      apps.map((app) => appOf(simulator, { name: app, ...places })),
      { name, ...PACE },
    )
  return { simulator, directory, configNamed }
}

const CONFIG = configOf([{ ...APP, accounts: ['1'] }])

describe('a relay', () => {
  test('writes events to a file, becomes ready, and closes without an error', async () => {
    const { simulator, directory, configNamed } = await setUp(['desk-a'])
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
      (await readFile(join(events, 'brokerwire_sandbox_us_desk-a.jsonl'), 'utf8'))
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
        apps: { 'desk-a': 'relaying' },
      })
    expect((await fetch(`${health.url}/secrets`)).status).toBe(404)
    expect((await fetch(`${health.url}/readyz`, { method: 'POST' })).status).toBe(405)
    await relay.close()
    expect((await lines()).at(-1)).toContain('\\"state\\":\\"released\\"')
    expect(simulator.subscriptions()).toHaveLength(0)
  })

  test('is ready only while its sink can be written', async () => {
    const { simulator, configNamed } = await setUp(['desk-a'])
    const clock = createVirtualClock(Date.now())
    const sink = createMemoryStream('desk-a').open()
    let isAway = false
    const relay = await startRelay({
      config: configNamed('one'),
      store: createMemoryStore(),
      clock,
      openSink: () => ({
        ...sink,
        async probe() {
          if (isAway) throw sinkUnavailable('desk-a', 'of a test')
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
    expect(relay.status()).toMatchObject({ isReady: true, apps: { 'desk-a': 'relaying' } })
    isAway = true
    for (let second = 0; second < 20; second += 1) await clock.advance(1000)
    expect(relay.status()).toMatchObject({ isReady: false, apps: { 'desk-a': 'waiting' } })
    isAway = false
    for (let second = 0; second < 5; second += 1) await clock.advance(1000)
    expect(relay.status().isReady).toBe(true)
  })

  test('shares the apps with a second relay, and takes them over without a lost or duplicate module event', async () => {
    const apps = ['desk-a', 'desk-b', 'desk-c', 'desk-d']
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

  test('is ready after it lost its membership and acquired its app again, although the previous run ends late', async () => {
    const { simulator, configNamed } = await setUp(['desk-a'])
    const clock = createVirtualClock(Date.now())
    const memory = createMemoryStore()
    let isCut = false
    const held: (() => void)[] = []
    let answered = 0
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
        // The first position of the first run: its streams are closed when it is written.
        const isPaused = held.length === 0 && args[2]?.includes('"position"')
        if (isPaused) await new Promise<void>((resolve) => held.push(resolve))
        const isSet = await memory.compareAndSet(...args)
        if (isPaused) answered += 1
        return isSet
      },
    }
    const stream = createMemoryStream('desk-a')
    const opened: { isClosed: boolean }[] = []
    let begin = (): void => {}
    const mayBegin = new Promise<void>((resolve) => {
      begin = resolve
    })
    const relay = await startRelay({
      config: configNamed('one'),
      store,
      clock,
      openSink() {
        const sink = stream.open()
        const run = { isClosed: false }
        const isFirst = opened.push(run) === 1
        return {
          ...sink,
          async tail(request) {
            if (!isFirst) await mayBegin
            return sink.tail(request)
          },
          close() {
            run.isClosed = true
            return sink.close()
          },
        }
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
    isCut = false
    await later(() => opened.length).toBe(2)
    expect(relay.status()).toMatchObject({ isReady: false, apps: { 'desk-a': 'waiting' } })
    begin()
    await later(() => relay.status().isReady).toBe(true)
    // It writes nothing any more, although its store has not answered.
    expect([opened[0]?.isClosed, answered]).toEqual([true, 0])
    held[0]?.()
    await later(() => answered).toBe(1)
    await clock.advance(500)
    expect(relay.status()).toMatchObject({ isReady: true, apps: { 'desk-a': 'relaying' } })
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
    const { configNamed } = await setUp(['desk-a'])
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
    const { configNamed } = await setUp(['desk-a'])
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

describe('a start that fails', () => {
  const open = { store: createMemoryStore(), openSink: () => createMemoryStream('x').open() }

  test.each([
    ['appKey', 'two\nlines'],
    ['appSecret', ''],
    ['appSecret', 'a-right-one-of-32-characters-000\n'],
    ['appKey', ''],
  ] as const)('names the field of an %s of %j before anything starts', async (field, value) => {
    const { configNamed } = await setUp(['desk-a'])
    const readSecret = async (asked: string) =>
      new Secret(asked.endsWith(field) ? value : 'a-right-one-of-32-characters-000')
    const expected = { code: 'RELAY_OPTION_INVALID', details: { option: `apps[0].${field}` } }
    const config = configNamed('one')
    await expect(startRelay({ config, readSecret, ...open })).rejects.toMatchObject(expected)
    await expect(checkRelay(config, readSecret)).rejects.toMatchObject(expected)
  })

  test('names the field of an unknown origin', async () => {
    const { configNamed } = await setUp(['desk-a'])
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
    const config = JSON.parse('{"apps":[{"name":"desk-a"}]}')
    await expect(startRelay({ config, ...open })).rejects.toThrow(
      /config must be a configuration that parseRelayConfig returned/,
    )
  })

  test('rejects a second relay of the same name, and the first one continues', async () => {
    const { simulator, configNamed } = await setUp(['desk-a'])
    const store = createMemoryStore()
    const stream = createMemoryStream('desk-a')
    const start = () => startRelay({ config: configNamed('same'), store, openSink: () => stream.open() })
    const first = await start()
    onTestFinished(() => first.close())
    await expect.poll(() => simulator.subscriptions().length).toBe(3)
    await expect(start()).rejects.toMatchObject({ code: 'RELAY_NAME_TAKEN' })
    expect(first.status()).toMatchObject({ isReady: true, apps: { 'desk-a': 'relaying' } })
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

describe('access tokens', () => {
  const start = async (
    simulator: Awaited<ReturnType<typeof startSimulator>>,
    name: string,
    store: ReturnType<typeof createMemoryStore>,
    more: object,
  ) => {
    const { appKey, appSecret } = simulator.credentials
    const states: string[] = []
    const nextCreatesMs: number[] = []
    const streams: MemoryStream[] = []
    const { environment, baseUrl } = simulator
    const app = { streams: ['module'], environment, baseUrl, ...more }
    const config = configOf(
      ['desk-a', 'desk-b'].map((of) => appOf(simulator, { ...app, name: of })),
      { name, ...PACE },
    )
    const relay = await startRelay({
      config,
      store,
      openSink: ({ app }) => {
        const stream = createMemoryStream(app)
        streams.push(stream)
        return stream.open()
      },
      readSecret: async (field) => new Secret(field.endsWith('appKey') ? appKey : appSecret.reveal()),
      observer: {
        onToken: ({ app, state, action, nextCreateAtMs }) => {
          states.push(`${app} ${state}${action === undefined ? '' : `: ${action}`}`)
          if (nextCreateAtMs !== undefined) nextCreatesMs.push(nextCreateAtMs)
        },
      },
    })
    onTestFinished(() => relay.close())
    return { states, nextCreatesMs, streams }
  }
  const creates = (simulator: Awaited<ReturnType<typeof startSimulator>>): number =>
    simulator.requests().filter(({ path }) => path.endsWith('/create')).length

  test('are created once by two relays with createToken, report the second factor, and are used when it is confirmed', async () => {
    const simulator = await startSimulator({
      environment: 'production',
      secondFactor: 'manual',
      slotLingerMs: 0,
      maxConnections: 100,
    })
    onTestFinished(() => simulator.close())
    const store = createMemoryStore()
    const all = await Promise.all(
      ['one', 'two'].map((name) => start(simulator, name, store, { createToken: true })),
    )
    const states = (): string[] => all.flatMap((one) => one.states)
    const waiting = ["desk-a awaits-confirmation: confirm it in the broker's app"]
    await expect.poll(states, SLOW).toEqual(expect.arrayContaining(waiting))
    await expect.poll(() => creates(simulator), SLOW).toBe(1)
    simulator.approveSecondFactor()
    await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(2)
    expect(states()).toEqual(expect.arrayContaining(['desk-a usable', 'desk-b usable']))
    expect(creates(simulator)).toBe(1)
    simulator.emitModule({ module: 'application' })
    const written = (): string =>
      JSON.stringify(all.flatMap((one) => one.streams.map(({ entries }) => entries)))
    await expect.poll(() => written().split('"Brokerwire-Type":"event"').length, SLOW).toBe(3)
    // The token is the string of 32 characters in the store. No stream has it.
    const texts = await Promise.all((await store.keys()).map((key) => store.get(key)))
    const tokens = [...texts.join('\n').matchAll(/"token":"([^"]{16,})"/g)].map(([, token = '']) => token)
    expect(tokens.length).toBeGreaterThan(0)
    for (const token of tokens) expect(written()).not.toContain(token)
  }, 90_000)

  test('report when the next create is allowed after one with an unknown outcome', async () => {
    const simulator = await startSimulator({ environment: 'production', slotLingerMs: 0 })
    onTestFinished(() => simulator.close())
    simulator.faults.nextHttp({ kind: 'respond', status: 500 }, { path: '/auth/tokens/create' })
    const startMs = Date.now()
    const { nextCreatesMs, states } = await start(simulator, 'one', createMemoryStore(), {
      createToken: true,
    })
    await expect.poll(() => states, SLOW).toEqual(expect.arrayContaining(['desk-a failed', 'desk-b failed']))
    await expect.poll(() => nextCreatesMs.length, SLOW).toBeGreaterThanOrEqual(2)
    for (const nextMs of nextCreatesMs) {
      expect(nextMs).toBeGreaterThanOrEqual(startMs + 300_000)
      expect(nextMs).toBeLessThanOrEqual(Date.now() + 300_000)
    }
    expect(creates(simulator)).toBe(1)
  }, 90_000)

  test('are not created without createToken, and the error has the command that creates one', async () => {
    const simulator = await startSimulator({ environment: 'production', slotLingerMs: 0 })
    onTestFinished(() => simulator.close())
    const { states } = await start(simulator, 'one', createMemoryStore(), { sendAccessToken: true })
    await expect
      .poll(() => states, SLOW)
      .toEqual(expect.arrayContaining(['desk-a missing: brokerwire token create --wait']))
    expect(creates(simulator)).toBe(0)
  }, 90_000)

  test.each([401, 500])(
    'are requested less and less often by all apps of one app key if every create fails with status %i',
    async (status) => {
      const simulator = await startSimulator({ slotLingerMs: 0, maxConnections: 100 })
      onTestFinished(() => simulator.close())
      let creates = 0
      const service = createServer((request, response) => {
        if (request.url?.endsWith('/create')) creates += 1
        response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
      })
      await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void service.close())
      const { port } = service.address() as AddressInfo
      const baseUrl = `http://127.0.0.1:${port}`
      const clock = createVirtualClock(Date.now())
      const apps = ['desk-a', 'desk-b'].map((name) => appOf(simulator, { name, baseUrl, createToken: true }))
      const store = createMemoryStore()
      // A membership that is lost now and then starts all apps anew.
      let isCut = false
      const relay = await startRelay({
        config: configOf(apps, { name: 'one', slotLingerMs: 0, heartbeatIntervalMs: 500 }),
        store: {
          get: (key) => (isCut ? Promise.reject(new Error('of a test')) : store.get(key)),
          compareAndSet: (...args) =>
            isCut ? Promise.reject(new Error('of a test')) : store.compareAndSet(...args),
        },
        clock,
        openSink: ({ app }) => createMemoryStream(app).open(),
        readSecret: async () => new Secret('a-right-one-of-32-characters-000'),
      })
      onTestFinished(async () => {
        const closing = relay.close()
        await clock.advance(60_000)
        await closing
      })
      const creates30s: number[] = []
      for (let window = 0; window < 4; window += 1) {
        const before = creates
        for (let step = 0; step < 60; step += 1) {
          isCut = step > 50
          await clock.advance(500)
          // A round trip to the service gives the calls of the relay their time.
          await (await fetch(baseUrl)).text()
        }
        creates30s.push(creates - before)
      }
      expect(creates30s[0]).toBeGreaterThanOrEqual(2)
      expect(Math.max(...creates30s)).toBeLessThanOrEqual(5)
      expect(creates).toBeLessThanOrEqual(8)
    },
    SLOW.timeout,
  )
})
