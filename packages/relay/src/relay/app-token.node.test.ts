/** Access tokens of a relay, over the simulator. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Clock, Secret } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createMemoryStream, type MemoryStream } from '../sink/memory-sink.ts'
import { appOf, configOf } from '../test/config.ts'
import { PACE, SLOW } from '../test/relay-setup.ts'
import { startRelay } from './start-relay.ts'

describe('access tokens', () => {
  const start = async (
    simulator: Awaited<ReturnType<typeof startSimulator>>,
    name: string,
    store: ReturnType<typeof createMemoryStore>,
    more: object,
    clock?: Clock,
  ) => {
    const { appKey, appSecret } = simulator.credentials
    const states: string[] = []
    const nextCreatesMs: number[] = []
    const streams: MemoryStream[] = []
    const { environment, baseUrl } = simulator
    const app = { subscriptions: ['module'], environment, baseUrl, ...more }
    const config = configOf(
      ['team-a', 'team-b'].map((of) => appOf(simulator, { ...app, name: of })),
      { name, ...PACE },
    )
    const relay = await startRelay({
      config,
      store,
      clock,
      openSink: ({ app }) => {
        const stream = createMemoryStream(app)
        streams.push(stream)
        return stream.open()
      },
      readSecret: async (field) => new Secret(field.endsWith('appKey') ? appKey : appSecret.reveal()),
      observer: {
        onRelayToken: ({ app, state, action, nextCreateAtMs }) => {
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
    const waiting = ["team-a awaits-confirmation: confirm it in the broker's app"]
    await expect.poll(states, SLOW).toEqual(expect.arrayContaining(waiting))
    await expect.poll(() => creates(simulator), SLOW).toBe(1)
    simulator.approveSecondFactor()
    await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(2)
    expect(states()).toEqual(expect.arrayContaining(['team-a usable', 'team-b usable']))
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

  test('report the second factor on each relay that waits for it', async () => {
    const simulator = await startSimulator({
      environment: 'production',
      secondFactor: 'manual',
      slotLingerMs: 0,
      maxConnections: 100,
    })
    onTestFinished(() => simulator.close())
    const store = createMemoryStore()
    const clock = createVirtualClock(Date.now())
    const advance = async (ms: number): Promise<void> => {
      for (const endMs = clock.now() + ms; clock.now() < endMs; ) {
        await clock.advance(1000)
        // A round trip to the service gives the requests of the relays their time.
        await (await fetch(simulator.baseUrl)).text()
      }
    }
    const starting = ['one', 'two'].map((name) => start(simulator, name, store, { createToken: true }, clock))
    await advance(20_000)
    const relays = await Promise.all(starting)
    // An attempt to open a subscription ends after 30 s, and with it the wait for the token.
    await advance(100_000)
    const waiting = "awaits-confirmation: confirm it in the broker's app"
    expect(relays.map(({ states }) => [...states].sort())).toEqual([
      [`team-a ${waiting}`, `team-b ${waiting}`],
      [`team-a ${waiting}`],
    ])
  }, 90_000)

  test('report when the next create is allowed after one with an unknown outcome', async () => {
    const simulator = await startSimulator({ environment: 'production', slotLingerMs: 0 })
    onTestFinished(() => simulator.close())
    simulator.faults.nextHttp({ kind: 'respond', status: 500 }, { path: '/auth/tokens/create' })
    const startMs = Date.now()
    const { nextCreatesMs, states } = await start(simulator, 'one', createMemoryStore(), {
      createToken: true,
    })
    await expect.poll(() => states, SLOW).toEqual(expect.arrayContaining(['team-a failed', 'team-b failed']))
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
      .toEqual(expect.arrayContaining(['team-a missing: brokerwire token create --wait']))
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
      const apps = ['team-a', 'team-b'].map((name) => appOf(simulator, { name, baseUrl, createToken: true }))
      const store = createMemoryStore()
      // A lost membership starts all apps again.
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
          // A round trip to the service gives the requests of the relay their time.
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
