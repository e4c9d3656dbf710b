/** Large advances of the clock: time-dependent results are exact, and work is bounded. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { createVirtualClock } from '@brokerwire/core/testing'
import { TradeSubscribeRequestSchema } from '@brokerwire/protos'
import { openTradeStream, sendSigned, signerOf, take, usableToken } from '@brokerwire/testing/signed-client'
import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { connectControl, type ScenarioStep, type Simulator, startSimulator } from './index.ts'

const DAY_MS = 86_400_000
const MIB = 1024 * 1024

function* endless(afterMs: number): Generator<ScenarioStep> {
  for (;;) yield { afterMs, type: 'position' }
}

function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  return process.memoryUsage().heapUsed
}

describe('fifteen days under an endless scenario', () => {
  it.runIf(inject('isFullRun'))(
    'run ten thousand steps in bounded memory, and skip the rest of the time',
    async () => {
      await using sim = await startSimulator({
        clock: createVirtualClock(),
        scenario: 'lifecycles-forever',
        scenarioIntervalMs: 1000,
      })
      const before = heldBytes()
      expect(await sim.advance(15 * DAY_MS)).toEqual({
        now: sim.clock.now(),
        events: 10_000,
        scenarioSteps: 10_000,
        scenarioPausedMs: 15 * DAY_MS - 10_001_000,
      })
      expect(heldBytes() - before).toBeLessThan(40 * MIB)
      // After the advance, the scenario continues at its interval.
      expect(sim.state().scenarioRunning).toBe(true)
      expect(await sim.advance(5000)).toMatchObject({ events: 5, scenarioSteps: 5, scenarioPausedMs: 0 })
    },
  )

  it('can be advanced from another process, with the same result', async () => {
    await using sim = await startSimulator({ control: true, scenario: 'lifecycles-forever' })
    const control = connectControl({ url: String(sim.controlUrl), token: sim.controlToken })
    expect(await control.advance(15 * DAY_MS, { scenarioSteps: 7 })).toMatchObject({
      events: 7,
      scenarioSteps: 7,
      scenarioPausedMs: expect.any(Number),
    })
    expect(await control.advance(DAY_MS, { scenarioSteps: 0 })).toMatchObject({ events: 0, scenarioSteps: 0 })
  })

  it('leave time-dependent results exact: a token, a slot, the rate limit', async () => {
    await using sim = await startSimulator({
      clock: createVirtualClock(),
      scenario: endless(1_000_000),
      maxConnections: 1,
      slotLingerMs: 15 * DAY_MS,
      rateLimit: { requests: 1, windowMs: 15 * DAY_MS },
      tokenValidityMs: 15 * DAY_MS,
      tokenIdleMs: 30 * DAY_MS,
    })
    const created = async () => (await sendSigned(sim, { path: '/auth/tokens/create', json: {} })).status
    const token = await usableToken(sim)
    await sendSigned(sim, { path: '/openapi/simulator/echo', headers: { 'x-access-token': token } })
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    sim.dropConnections()
    await sim.advance(15 * DAY_MS - 1)
    expect(sim.state()).toMatchObject({ usedConnections: 1, accessTokens: { NORMAL: 1 } })
    expect(await created()).toBe(429)
    await sim.advance(1)
    expect(sim.state()).toMatchObject({ usedConnections: 0, accessTokens: { EXPIRED: 1 } })
    expect(await created()).toBe(200)
  })
})

describe('a scenario during an advance of the clock', () => {
  it.each([
    ['without any time between its steps', endless(0)],
    [
      'that moves the clock itself',
      (function* (): Generator<ScenarioStep> {
        for (;;) yield { type: 'time', advanceMs: 1 }
      })(),
    ],
  ])('%s does not prevent the end of the advance', async (_, scenario) => {
    await using sim = await startSimulator({ clock: createVirtualClock() })
    sim.startScenario(scenario)
    expect(await sim.advance(100, { scenarioSteps: 50 })).toMatchObject({ scenarioSteps: 50 })
  })

  it('that is stopped while it is paused does not continue', async () => {
    await using sim = await startSimulator({ clock: createVirtualClock(), scenario: endless(10) })
    const moving = sim.advance(1000, { scenarioSteps: 1 })
    sim.clock.setTimer(sim.stopScenario, 500)
    expect(await moving).toMatchObject({ scenarioSteps: 1, scenarioPausedMs: 0 })
    expect(await sim.advance(1000)).toMatchObject({ scenarioSteps: 0, events: 0 })
  })
})

/**
 * Subscribes on a worker thread, whose clock is not advanced.
 *
 * @returns A function that reads the number of received messages.
 */
async function elsewhere(sim: Simulator): Promise<() => number> {
  const body = toBinary(
    TradeSubscribeRequestSchema,
    create(TradeSubscribeRequestSchema, { subscribeType: 1, accounts: [...sim.accounts] }),
  )
  const { headers } = await signerOf(sim).signStream(body)
  const worker = new Worker(
    `const { workerData: { url, headers, envelope }, parentPort } = require('node:worker_threads')
     const session = require('node:http2').connect(url)
     const stream = session.request(headers)
     // The server may close the sessions of this thread, which nothing else observes.
     session.on('error', () => {})
     stream.on('error', () => {})
     let held = Buffer.alloc(0), messages = 0
     stream.on('data', (chunk) => {
       held = Buffer.concat([held, chunk])
       for (; held.length >= 5 && held.length >= 5 + held.readUInt32BE(1); messages += 1) held = held.subarray(5 + held.readUInt32BE(1))
       parentPort.postMessage(messages)
     })
     stream.end(envelope)`,
    {
      eval: true,
      workerData: {
        url: sim.eventsUrl,
        headers: {
          ':method': 'POST',
          ':path': '/grpc.trade.event.EventService/Subscribe',
          'content-type': 'application/grpc',
          te: 'trailers',
          ...headers,
        },
        envelope: Buffer.concat([Buffer.from([0, 0, 0, 0, body.length]), body]),
      },
    },
  )
  onTestFinished(async () => void (await worker.terminate()))
  let read = 0
  worker.on('message', (messages: number) => {
    read = messages
  })
  await sim.waitForSubscriptions()
  return () => read
}

describe('pings during an advance of the clock', () => {
  it('are sent at most twice to a client in another process, and each at its time to one in this process', async () => {
    await using sim = await startSimulator({ clock: createVirtualClock(), pingIntervalMs: 60_000 })
    const there = await elsewhere(sim)
    const here = await openTradeStream(sim)
    await sim.advance(10 * 60_000)
    // One SubscribeSuccess and ten pings.
    expect(await take(here, 11)).toHaveLength(11)
    await expect.poll(there).toBe(3)
    here.abort.abort()
    await sim.advance(15 * DAY_MS)
    await expect.poll(there).toBe(5)
    // Later advances work as before.
    await sim.advance(60_000)
    await expect.poll(there).toBe(6)
  })

  it('are sent to it at most twice also if a scenario step advances the clock', async () => {
    await using sim = await startSimulator({ clock: createVirtualClock(), pingIntervalMs: 60_000 })
    const there = await elsewhere(sim)
    sim.startScenario([{ type: 'time', advanceMs: DAY_MS }])
    await sim.advance(1000)
    expect(sim.state().scenarioRunning).toBe(false)
    sim.dropConnections()
    await expect.poll(there).toBe(3)
  })
})

describe('concurrent advances of the clock', () => {
  it('run one after the other, and leave no state behind', async () => {
    await using sim = await startSimulator({ clock: createVirtualClock(), pingIntervalMs: 60_000 })
    const before = sim.clock.now()
    await Promise.all([sim.advance(1000), sim.advance(2000), sim.advance(0)])
    expect(sim.clock.now() - before).toBe(3000)
    const there = await elsewhere(sim)
    await sim.advance(10 * 60_000)
    await expect.poll(there).toBe(3)
  })
})
