import { createVirtualClock } from '@brokerwire/core/testing'
import { openModuleStream, openTradeStream, sendSigned, take } from '@brokerwire/testing/signed-client'
import { describe, expect, it } from 'vitest'
import { startSimulator } from './index.ts'
import { createOffsetClock } from './time/offset-clock.ts'

describe('waiting in a test', () => {
  it('resolves as soon as the condition is met, or at once', async () => {
    await using sim = await startSimulator()
    const [pending, created] = await Promise.all([
      sim.waitForPendingToken(),
      sendSigned(sim, { path: '/auth/tokens/create', json: {} }),
    ])
    expect(pending).toMatchObject({ token: created.json.token, appKey: sim.credentials.appKey, app: 'app-1' })
    expect(await sim.waitForPendingToken()).toEqual(pending)
    sim.approveSecondFactor(pending.token)

    const waiting = sim.waitForSubscriptions({ service: 'trade', count: 2 })
    const streams = [await openTradeStream(sim), await openTradeStream(sim)]
    for (const stream of streams) await take(stream, 1)
    expect((await waiting).map(({ requested }) => requested.service)).toEqual(['trade', 'trade'])
    for (const { abort } of streams) abort.abort()
  })

  it('returns each request once', async () => {
    await using sim = await startSimulator()
    const first = sim.waitForRequest({ path: '/openapi/config' })
    const refused = sim.waitForRequest(({ status }) => status === 401)
    await sendSigned(sim, { method: 'GET', path: '/openapi/config' })
    await sendSigned(sim, { method: 'GET', path: '/openapi/config', headers: { 'x-signature': 'AA' } })
    expect(await first).toMatchObject({ method: 'GET', status: 200 })
    expect(await refused).toMatchObject({ errorCode: 'UNAUTHORIZED' })
    await expect(sim.waitForRequest({ path: '/openapi/config' }, { timeoutMs: 1 })).rejects.toMatchObject({
      code: 'SIMULATOR_WAIT_TIMEOUT',
      message: `waitForRequest({"path":"/openapi/config"}) had no result within 1 ms; the latest requests are GET '/openapi/config' 200, GET '/openapi/config' 401`,
    })
  })

  it('rejects with an error that describes the current state, with the reason of the signal, and when the simulator is closed', async () => {
    const sim = await startSimulator()
    await expect(sim.waitForSubscriptions({ service: 'module', timeoutMs: 1 })).rejects.toThrow(
      'waitForSubscriptions({"service":"module"}) had no result within 1 ms; 0 of 0 open subscriptions match',
    )
    const controller = new AbortController()
    const aborted = sim.waitForPendingToken({ signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    const closed = sim.waitForSubscriptions()
    await Promise.all([expect(closed).rejects.toMatchObject({ code: 'SIMULATOR_CLOSED' }), sim.close()])
    for (const [argument, call] of [
      ['service', () => sim.waitForSubscriptions({ service: 'trades' as never })],
      ['count', () => sim.waitForSubscriptions({ count: 0 })],
      ['pth', () => sim.waitForRequest({ pth: '/' } as never)],
      ['match', () => sim.waitForRequest('/openapi' as never)],
      ['timeoutMs', () => sim.waitForPendingToken({ timeoutMs: -1 })],
    ] as const) {
      await expect(call()).rejects.toMatchObject({
        code: 'SIMULATOR_ARGUMENT_INVALID',
        details: { argument },
      })
    }
  })
})

describe('an advance of the clock', () => {
  it.each([
    ['a virtual clock', createVirtualClock],
    ['its own clock', () => undefined],
  ])('on %s waits until every client has read what was sent', async (_, makeClock) => {
    const clock = makeClock()
    await using sim = await startSimulator({ clock, pingIntervalMs: 10_000, maxConnections: 8 })
    const streams = await Promise.all(Array.from({ length: 8 }, () => openTradeStream(sim)))
    const got = streams.map(() => [] as number[])
    const readers = streams.map(async ({ messages }, index) => {
      for (let next = await messages.next(); next.done !== true; next = await messages.next()) {
        got[index]?.push(next.value.eventType)
      }
    })
    await sim.waitForSubscriptions({ count: 8 })
    const before = sim.clock.now()
    await sim.advance(60_000)
    const passed = sim.clock.now() - before
    expect(passed).toBeGreaterThanOrEqual(60_000)
    if (clock !== undefined) expect(passed).toBe(60_000)
    // SubscribeSuccess, and a ping every ten seconds. On a running clock the sixth message may arrive later.
    const least = clock === undefined ? 5 : 6
    for (const types of got)
      expect([0, 1, 1, 1, 1, 1, 1].slice(0, Math.max(types.length, least + 1))).toEqual(types)
    for (let count = 0; count < 100; count += 1) sim.emitOrder({ payload: { filler: 'x'.repeat(10_000) } })
    await sim.advance(0)
    expect(got.map((types) => types.filter((type) => type === 1024).length)).toEqual(streams.map(() => 100))
    for (const { abort } of streams) abort.abort()
    await Promise.allSettled(readers)
    await sim.waitForIdle()
    expect(sim.subscriptions()).toEqual([])
  })

  it('waits for work that a client starts: a request, its signature, its response', async () => {
    await using sim = await startSimulator({ environment: 'sandbox', clock: createVirtualClock() })
    const answered: number[] = []
    const askAgain = (): void => {
      sim.clock.setTimer(async () => {
        const { status } = await sendSigned(sim, { method: 'GET', path: '/openapi/config' })
        answered.push(status)
        askAgain()
      }, 1000)
    }
    askAgain()
    await sim.advance(20_000)
    expect(answered).toEqual(Array.from({ length: 20 }, () => 200))
  })

  it('does not wait for a client that does not read, or for one that hangs', async () => {
    await using sim = await startSimulator({ clock: createVirtualClock() })
    const stream = await openModuleStream(sim, { events: [{ eventType: 'JOURNAL' }] })
    await take(stream, 1)
    for (let count = 0; count < 40; count += 1) {
      sim.emitModule({ module: 'journal', payload: { filler: 'x'.repeat(100_000) } })
    }
    sim.faults.nextHttp({ kind: 'hang' })
    const hanging = fetch(`${sim.baseUrl}/openapi/config`).catch(() => 'broken')
    await sim.advance(60_000)
    expect(sim.subscriptions()).toHaveLength(1)
    stream.abort.abort()
    await sim.close()
    expect(await hanging).toBe('broken')
  })

  it('rejects invalid arguments by name', async () => {
    const fixed = { now: () => 0, setTimer: () => () => undefined }
    await using sim = await startSimulator({ clock: fixed })
    await expect(sim.advance(1)).rejects.toMatchObject({ code: 'SIMULATOR_CLOCK_FIXED' })
    await expect(sim.advance(-1)).rejects.toThrow(
      'ms must be whole milliseconds from 0 to 31622400000; received -1',
    )
    await expect(sim.advance(0.5)).rejects.toThrow('received 0.5')
    await using late = await startSimulator({ clock: createVirtualClock(Date.UTC(9999, 11, 31)) })
    await expect(late.advance(86_400_000)).rejects.toThrow('ms must be at most the time until the year 10000')
    expect(await late.advance(86_399_999)).toMatchObject({ now: Date.UTC(9999, 11, 31) + 86_399_999 })
  })
})

it('a time limit in the first argument of waitForRequest() is rejected, and the error names the second argument', async () => {
  await using sim = await startSimulator()
  const wrong = sim.waitForRequest({ path: '/a', timeoutMs: 1 } as never)
  await expect(wrong).rejects.toThrow(
    'timeoutMs must be in the second argument of waitForRequest(); received it in the first',
  )
  const right = sim.waitForRequest({ path: '/a' }, { timeoutMs: 1 })
  await expect(right).rejects.toMatchObject({ code: 'SIMULATOR_WAIT_TIMEOUT', details: { timeoutMs: 1 } })
})

describe('the clock with an offset', () => {
  it('fires timers in order, each at its time, and then continues with the host’s clock', async () => {
    const host = createVirtualClock(1000)
    const clock = createOffsetClock(0, host)
    const fired: [string, number][] = []
    const set = (name: string, delayMs: number) =>
      clock.setTimer(() => fired.push([name, clock.now()]), delayMs)
    set('late', 500)
    set('early', 100)
    set('never', Number.POSITIVE_INFINITY)
    const cancel = set('cancelled', 50)
    cancel()
    expect([clock.step(1200), clock.step(1200)]).toEqual([true, false])
    clock.resumeTimers()
    expect({ now: clock.now(), offsetMs: clock.offsetMs }).toEqual({ now: 1200, offsetMs: 200 })
    await host.advance(299)
    expect(fired).toEqual([['early', 1100]])
    await host.advance(1)
    expect(fired).toEqual([
      ['early', 1100],
      ['late', 1500],
    ])
  })
})

describe('options for a brokerage', () => {
  it('belong to each app', async () => {
    await using sim = await startSimulator({ apps: [{}, { region: 'hk' }] })
    const { baseUrl, eventsUrl, moduleEventsUrl, clock } = sim
    for (const app of sim.apps) {
      expect(app.brokerageOptions()).toEqual({
        region: app.region,
        environment: 'production',
        ...app.credentials,
        clock,
        overrides: { baseUrl, eventsUrl, moduleEventsUrl },
      })
    }
  })
})
