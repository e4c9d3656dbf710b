import { connect } from 'node:http2'
import { createVirtualClock, type VirtualClock } from '@brokerwire/core/testing'
import { ModuleSubscribeRequestSchema, TradeSubscribeRequestSchema } from '@brokerwire/protos'
import { openModuleStream, openTradeStream, signerOf, take } from '@brokerwire/testing/signed-client'
import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { MODULE_NAMES, MODULES, type ScenarioStep, startSimulator } from './index.ts'
import type { Simulator } from './simulator-api.ts'

/** The raw bytes of a response body. */
async function rawBody(
  url: string,
  path: string,
  request: Uint8Array,
  simulator: Simulator,
): Promise<{ readonly chunks: Buffer[]; close(): void }> {
  const { headers } = await signerOf(simulator).signStream(request)
  const session = connect(url)
  session.on('error', () => undefined)
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  })
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  stream.on('error', () => undefined)
  const envelope = Buffer.alloc(5 + request.length)
  envelope.writeUInt32BE(request.length, 1)
  envelope.set(request, 5)
  stream.end(envelope)
  await new Promise<void>((resolve) => stream.once('response', () => resolve()))
  return { chunks, close: () => session.destroy() }
}

async function play(seed: number): Promise<{ readonly trade: string; readonly module: string }> {
  const clock: VirtualClock = createVirtualClock()
  await using sim = await startSimulator({ clock, seed, quirks: 'as-seen', scenarioIntervalMs: 100 })
  const trade = await rawBody(
    sim.eventsUrl,
    '/grpc.trade.event.EventService/Subscribe',
    toBinary(
      TradeSubscribeRequestSchema,
      create(TradeSubscribeRequestSchema, { subscribeType: 1, accounts: [...sim.accounts] }),
    ),
    sim,
  )
  const events = [...new Set(MODULE_NAMES.map((name) => MODULES[name].eventType))].map((eventType) => ({
    eventType,
  }))
  const module = await rawBody(
    sim.moduleEventsUrl,
    '/grpc.event.EventService/Subscribe',
    toBinary(ModuleSubscribeRequestSchema, create(ModuleSubscribeRequestSchema, { events })),
    sim,
  )
  const run = sim.startScenario('lifecycles')
  while (run.running) await clock.advanceToNextTimer()
  const sent = [...sim.tradeEvents(), ...sim.moduleEvents()].length
  expect(sent).toBeGreaterThan(25)
  const payloads = sim.moduleEvents().map(({ payload }) => payload)
  await expect.poll(() => Buffer.concat(module.chunks).includes(String(payloads.at(-1)))).toBe(true)
  const lastOrder = String(
    sim
      .tradeEvents()
      .filter(({ kind }) => kind === 'order')
      .at(-1)?.payload,
  )
  await expect.poll(() => Buffer.concat(trade.chunks).includes(lastOrder)).toBe(true)
  trade.close()
  module.close()
  return {
    trade: Buffer.concat(trade.chunks).toString('hex'),
    module: Buffer.concat(module.chunks).toString('hex'),
  }
}

describe('a scenario', () => {
  it('sends the same bytes for the same seed, and different ones for another seed', async () => {
    const [first, again, other] = [await play(7), await play(7), await play(8)]
    expect(again).toEqual(first)
    expect(other.trade).not.toBe(first.trade)
    expect(other.module).not.toBe(first.module)
  })

  it('contains every order lifecycle, settlements and every business type of every module', async () => {
    const clock = createVirtualClock()
    await using sim = await startSimulator({ clock, scenario: 'lifecycles' })
    while (clock.pendingTimers > 0) await clock.advanceToNextTimer()
    const orders = sim.tradeEvents().filter(({ kind }) => kind === 'order')
    const scenes = orders.map(({ payload }) => JSON.parse(payload).scene_type ?? 'none')
    expect(new Set(scenes)).toEqual(
      new Set([
        'none',
        'FILLED',
        'FINAL_FILLED',
        'PLACE_FAILED',
        'MODIFY_SUCCESS',
        'MODIFY_FAILED',
        'CANCEL_SUCCESS',
        'CANCEL_FAILED',
      ]),
    )
    expect(sim.tradeEvents().some(({ kind }) => kind === 'position')).toBe(true)
    const played = sim
      .moduleEvents()
      .map(({ module, payload }) => `${module} ${JSON.parse(payload).payload.biz_type}`)
    const all = MODULE_NAMES.flatMap((name) =>
      Object.keys(MODULES[name].bizTypes).map((bizType) => `${name} ${bizType}`),
    )
    expect([...new Set(played)].sort()).toEqual(all.sort())
  })

  it('omits events that the specification does not show, with the option', async () => {
    const clock = createVirtualClock()
    await using sim = await startSimulator({ clock, scenario: 'lifecycles', emitPlaceEvents: false })
    while (clock.pendingTimers > 0) await clock.advanceToNextTimer()
    const scenes = sim
      .tradeEvents()
      .filter(({ kind }) => kind === 'order')
      .map(({ payload }) => JSON.parse(payload))
    expect(scenes.every((payload) => 'scene_type' in payload)).toBe(true)
  })

  it('can be a custom sequence with a lost connection in the middle', async () => {
    const clock = createVirtualClock()
    await using sim = await startSimulator({ clock })
    const steps: readonly ScenarioStep[] = [
      { afterMs: 10, type: 'module', module: 'journal' },
      { afterMs: 10, type: 'drop' },
      { afterMs: 10, type: 'module', module: 'journal' },
    ]
    const stream = await openModuleStream(sim, { events: [{ eventType: 'JOURNAL' }] })
    await take(stream, 1)
    const run = sim.startScenario(steps)
    await clock.advance(10)
    const [before] = await take(stream, 1)
    await clock.advance(20)
    await expect(stream.messages.next()).rejects.toMatchObject({ name: 'ConnectError' })
    expect(await run.done).toEqual({ ok: true })
    const resumed = await openModuleStream(sim, {
      events: [{ eventType: 'JOURNAL', position: String(before?.position) }],
    })
    expect((await take(resumed, 2))[1]?.id).toBe(sim.moduleEvents()[1]?.id)
    resumed.abort.abort()
  })

  it('stops on request, and at a step that fails', async () => {
    const clock = createVirtualClock()
    await using sim = await startSimulator({ clock })
    const endless = sim.startScenario('lifecycles-forever', { intervalMs: 10 })
    await clock.advance(1000)
    sim.stopScenario()
    expect(await endless.done).toEqual({ ok: true })
    const count = sim.moduleEvents().length
    await clock.advance(1000)
    expect(sim.moduleEvents().length).toBe(count)
    expect(count).toBeGreaterThan(40)
    const wrong = sim.startScenario([
      { afterMs: 1, type: 'order', order: 'a', scene: 'FILLED' },
      { afterMs: 1, type: 'order', order: 'a', scene: 'PLACE_FAILED' },
    ])
    await clock.advance(10)
    expect(await wrong.done).toMatchObject({ ok: false, error: { code: 'SIMULATOR_ORDER_FINAL' } })
    const never = sim.startScenario([{ afterMs: -1, type: 'drop' }])
    expect(await never.done).toMatchObject({ ok: false, error: { details: { argument: 'step.afterMs' } } })
  })
})

describe('an order', () => {
  it('sends an event for each step', async () => {
    const clock = createVirtualClock()
    await using sim = await startSimulator({ clock })
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    const order = sim.placeOrder({ symbol: 'AAPL', side: 'BUY', quantity: 100 })
    order.fill(40)
    order.modify(120)
    order.failModify()
    order.failCancel()
    order.complete()
    const payloads = (await take(stream, 6)).map(({ payload }) => JSON.parse(payload))
    expect(payloads.map((item) => [item.scene_type, item.order_status, item.qty, item.filled_qty])).toEqual([
      [undefined, 'SUBMITTED', '100.0000000000', '0E-10'],
      ['FILLED', 'PARTIAL_FILLED', '100.0000000000', '40.0'],
      ['MODIFY_SUCCESS', 'SUBMITTED', '120.0000000000', '40.0'],
      ['MODIFY_FAILED', 'SUBMITTED', '120.0000000000', '40.0'],
      ['CANCEL_FAILED', 'SUBMITTED', '120.0000000000', '40.0'],
      ['FINAL_FILLED', 'FILLED', '120.0000000000', '120.0'],
    ])
    expect(new Set(payloads.map((item) => item.order_id)).size).toBe(1)
    expect(new Set(payloads.map((item) => item.request_id)).size).toBe(6)
    expect(payloads.map((item) => 'filled_time' in item)).toEqual([false, true, false, false, false, true])
    expect(sim.tradeEvents().map(({ invented }) => invented)).toEqual([true, false, false, true, true, false])
    expect(() => order.cancel()).toThrow(expect.objectContaining({ code: 'SIMULATOR_ORDER_FINAL' }))
    stream.abort.abort()
  })

  it('is filled by the given quantity: in full, in parts, and never by more than is open', async () => {
    await using sim = await startSimulator()
    const last = () => JSON.parse(sim.tradeEvents().at(-1)?.payload ?? '{}')
    for (const quantity of [1, 10]) {
      const order = sim.placeOrder({ quantity })
      order.fill(quantity)
      expect(order.state).toMatchObject({ filledQuantity: quantity, status: 'FILLED' })
      expect(last()).toMatchObject({
        scene_type: 'FINAL_FILLED',
        order_status: 'FILLED',
        filled_qty: `${quantity}.0`,
      })
    }
    const order = sim.placeOrder({ quantity: 100 })
    order.fill(40)
    const count = sim.tradeEvents().length
    const refused = (message: string) =>
      expect.objectContaining({ code: 'SIMULATOR_ARGUMENT_INVALID', message })
    const tooMuch = 'stepQuantity must be at most 60, the units that are open; received 61'
    expect(() => order.fill(61)).toThrow(refused(tooMuch))
    const tooLittle = 'stepQuantity must be more than 40, the units that are filled; received 40'
    expect(() => order.modify(40)).toThrow(refused(tooLittle))
    expect({
      filledQuantity: order.state.filledQuantity,
      tradeEventsCount: sim.tradeEvents().length,
    }).toEqual({ filledQuantity: 40, tradeEventsCount: count })
    order.fill(60)
    expect({ status: order.state.status, scene_type: last().scene_type }).toEqual({
      status: 'FILLED',
      scene_type: 'FINAL_FILLED',
    })
    // A generated quantity may fill the last unit.
    const single = sim.placeOrder({ quantity: 1 })
    single.fill()
    expect(single.state.status).toBe('FILLED')
  })

  it('is filled by steps of a scenario, which ends with an error if one fills too much', async () => {
    await using sim = await startSimulator()
    const step = { type: 'order', order: 'a' } as const
    const { done } = sim.startScenario([
      { ...step, scene: 'PLACED', quantity: 5 },
      { ...step, scene: 'FILLED', stepQuantity: 6 },
    ])
    expect(await done).toMatchObject({ ok: false, error: { details: { argument: 'stepQuantity' } } })
  })
})
