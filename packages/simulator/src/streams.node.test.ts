import { endOf, openModuleStream, openTradeStream, take } from '@brokerwire/testing/signed-client'
import { Code } from '@connectrpc/connect'
import { describe, expect, it } from 'vitest'
import { simulatorForEach } from './test/simulator-for-each.ts'

const { clock, start } = simulatorForEach()

describe('trade and position streams', () => {
  it('open with SubscribeSuccess, then deliver the events of the account', async () => {
    const sim = await start()
    const [first, second] = sim.accounts
    const stream = await openTradeStream(sim, { accounts: [String(first)] })
    const [success] = await take(stream, 1)
    expect(success).toMatchObject({ eventType: 0, subscribeType: 1, contentType: 'text/plain' })
    sim.emitOrder({ accountId: second, scene: 'PLACE_FAILED' })
    sim.emitPosition({ accountId: first })
    const sent = sim.emitOrder({ accountId: first, scene: 'PLACE_FAILED' })
    const [event] = await take(stream, 1)
    expect(event).toMatchObject({
      eventType: 1024,
      subscribeType: 1,
      contentType: 'application/json',
      payload: sent.payload,
      requestId: sent.requestId,
      timestamp: BigInt(sent.timestampMs),
    })
    stream.abort.abort()
  })

  it('send settlements with the code 1028 to position streams', async () => {
    const sim = await start()
    const stream = await openTradeStream(sim, { subscribeType: 2 })
    await take(stream, 1)
    sim.emitOrder()
    const sent = sim.emitPosition()
    const [event] = await take(stream, 1)
    expect(event).toMatchObject({ eventType: 1028, subscribeType: 2, payload: sent.payload })
    stream.abort.abort()
  })

  it('reject unknown subscribeTypes and accounts', async () => {
    const sim = await start()
    const cases: readonly (readonly [{ subscribeType?: number; accounts?: string[] }, Code])[] = [
      [{ subscribeType: 3 }, Code.InvalidArgument],
      [{ accounts: [] }, Code.InvalidArgument],
      [{ accounts: ['NOBODY'] }, Code.PermissionDenied],
    ]
    for (const [fields, code] of cases) {
      expect(await endOf(await openTradeStream(sim, fields))).toBe(code)
    }
    expect(sim.usedConnections()).toBe(0)
  })

  it('are trade streams if subscribeType is missing: only accounts are required', async () => {
    const sim = await start()
    const stream = await openTradeStream(sim, { subscribeType: 0, timestamp: 0n })
    expect(await take(stream, 1)).toMatchObject([{ eventType: 0, subscribeType: 1 }])
    sim.emitPosition()
    sim.emitOrder()
    expect(await take(stream, 1)).toMatchObject([{ eventType: 1024, subscribeType: 1 }])
    expect(sim.subscriptions()).toMatchObject([{ requested: { subscribeType: 0 } }])
    stream.abort.abort()
  })

  it('accept combined subscribeTypes if the option allows it', async () => {
    const sim = await start({ combinedSubscribeTypes: true })
    const stream = await openTradeStream(sim, { subscribeType: 3 })
    await take(stream, 1)
    sim.emitPosition()
    sim.emitOrder()
    expect((await take(stream, 2)).map(({ eventType }) => eventType)).toEqual([1028, 1024])
    stream.abort.abort()
  })

  it('send pings with the connection id at the configured interval', async () => {
    const sim = await start({ pingIntervalMs: 60_000 })
    const stream = await openTradeStream(sim)
    const [success] = await take(stream, 1)
    await clock.advance(60_000)
    const [ping] = await take(stream, 1)
    await clock.advance(60_000)
    const [again] = await take(stream, 1)
    expect(ping).toMatchObject({ eventType: 1, subscribeType: 1, contentType: 'text/plain' })
    expect(again?.requestId).toBe(ping?.requestId)
    expect(ping?.requestId).toBe(success?.requestId)
    expect(Number(again?.timestamp) - Number(ping?.timestamp)).toBe(60_000)
    stream.abort.abort()
  })

  it('deliver events again with the same request id', async () => {
    const sim = await start()
    const sent = sim.emitOrder()
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    sim.redeliverTradeEvents(1)
    const [event] = await take(stream, 1)
    expect(event).toMatchObject({ requestId: sent.requestId, payload: sent.payload })
    stream.abort.abort()
  })
})

describe('control frames', () => {
  it('have the numbers of the trade service', async () => {
    const sim = await start()
    const refused = await openTradeStream(sim, {}, { headers: { 'x-signature': 'AAAA' } })
    expect((await take(refused, 2)).map(({ eventType }) => eventType)).toEqual([2])
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    sim.expireSubscriptions()
    expect((await take(stream, 2)).map(({ eventType }) => eventType)).toEqual([4])
  })

  it('have the numbers of the module service', async () => {
    const sim = await start({ maxConnections: 1 })
    const events = [{ eventType: 'APPLICATION' }]
    const refused = await openModuleStream(sim, { events }, { headers: { 'x-signature': 'AAAA' } })
    expect((await take(refused, 2)).map(({ type }) => type)).toEqual([3])
    const stream = await openModuleStream(sim, { events })
    expect((await take(stream, 1)).map(({ type }) => type)).toEqual([0])
    const beyond = await openModuleStream(sim, { events })
    expect((await take(beyond, 2)).map(({ type }) => type)).toEqual([4])
    await clock.advance(60_000)
    expect((await take(stream, 1)).map(({ type }) => type)).toEqual([1])
    sim.expireSubscriptions()
    expect((await take(stream, 2)).map(({ type }) => type)).toEqual([5])
  })

  it('are NumOfConnExceed beyond five connections over both services', async () => {
    const sim = await start()
    const streams = await Promise.all(Array.from({ length: 5 }, () => openTradeStream(sim)))
    for (const stream of streams) await take(stream, 1)
    const beyond = await openTradeStream(sim)
    expect((await take(beyond, 2)).map(({ eventType }) => eventType)).toEqual([3])
    for (const stream of streams) stream.abort.abort()
  })

  it('follow NumOfConnExceed while the slot of a lost connection stays used', async () => {
    const sim = await start({ maxConnections: 1, slotLingerMs: 60_000 })
    const lost = await openTradeStream(sim)
    await take(lost, 1)
    sim.dropConnections()
    await expect(lost.messages.next()).rejects.toMatchObject({ name: 'ConnectError' })
    await expect.poll(() => sim.subscriptions().length).toBe(0)
    const early = await openTradeStream(sim)
    expect((await take(early, 2)).map(({ eventType }) => eventType)).toEqual([3])
    await clock.advance(60_000)
    const late = await openTradeStream(sim)
    expect((await take(late, 1)).map(({ eventType }) => eventType)).toEqual([0])
    late.abort.abort()
  })

  it('close a subscription after its lifetime', async () => {
    const sim = await start({ subscriptionLifetimeMs: 10_000, pingIntervalMs: 0 })
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    await clock.advance(10_000)
    expect((await take(stream, 2)).map(({ eventType }) => eventType)).toEqual([4])
  })
})

describe('the module stream', () => {
  const events = [{ eventType: 'FUNDING' }, { eventType: 'JOURNAL' }]

  it('starts at the current position without a cursor', async () => {
    const sim = await start()
    sim.emitModule({ module: 'funding' })
    const stream = await openModuleStream(sim, { events })
    await take(stream, 1)
    const sent = sim.emitModule({ module: 'journal' })
    const [event] = await take(stream, 1)
    expect(event).toMatchObject({
      type: 2,
      id: sent.id,
      eventType: 'JOURNAL',
      position: sent.position,
      timestamp: sent.timestamp,
      version: '1.0',
      payload: sent.payload,
    })
    stream.abort.abort()
  })

  it('replays later events of each event type from its own cursor', async () => {
    const sim = await start()
    const funding = [1, 2, 3].map(() => sim.emitModule({ module: 'funding' }))
    const journal = [1, 2].map(() => sim.emitModule({ module: 'journal' }))
    sim.emitModule({ module: 'application' })
    const stream = await openModuleStream(sim, {
      events: [
        { eventType: 'FUNDING', position: String(funding[0]?.position) },
        { eventType: 'JOURNAL', position: String(journal[0]?.position) },
      ],
    })
    const replayed = (await take(stream, 4)).slice(1)
    expect(replayed.map(({ id }) => id)).toEqual([funding[1]?.id, funding[2]?.id, journal[1]?.id])
    stream.abort.abort()
  })

  it('replays the event of the cursor too if cursors are inclusive', async () => {
    const sim = await start({ cursor: 'inclusive' })
    const sent = sim.emitModule({ module: 'journal' })
    const stream = await openModuleStream(sim, {
      events: [{ eventType: 'JOURNAL', position: sent.position }],
    })
    expect((await take(stream, 2)).map(({ id }) => id)[1]).toBe(sent.id)
    stream.abort.abort()
  })

  it('handles an unknown cursor according to the option', async () => {
    const sim = await start()
    const foreign = sim.emitModule({ module: 'funding' }).position
    const wrong = [{ eventType: 'JOURNAL', position: foreign }]
    expect(await endOf(await openModuleStream(sim, { events: wrong }))).toBe(Code.OutOfRange)
    await sim.close()
    const lenient = await start({ unknownCursor: 'from-start' })
    const sent = lenient.emitModule({ module: 'journal' })
    const stream = await openModuleStream(lenient, { events: wrong })
    expect((await take(stream, 2)).map(({ id }) => id)[1]).toBe(sent.id)
    stream.abort.abort()
  })

  it('drops old events, and rejects cursors of dropped events', async () => {
    const sim = await start({ retainedEvents: 10 })
    const first = sim.emitModule({ module: 'journal' })
    for (let index = 0; index < 30; index += 1) sim.emitModule({ module: 'journal' })
    const old = [{ eventType: 'JOURNAL', position: first.position }]
    expect(await endOf(await openModuleStream(sim, { events: old }))).toBe(Code.OutOfRange)
    expect(sim.moduleEvents().length).toBeLessThanOrEqual(20)
  })

  it('accepts the cursors of an earlier simulator, and generates new ids', async () => {
    const sim = await start()
    const before = [1, 2].map(() => sim.emitModule({ module: 'journal' }))
    const moduleHistory = sim.moduleEvents()
    await sim.close()
    const restarted = await start({ moduleHistory })
    const after = restarted.emitModule({ module: 'journal' })
    const stream = await openModuleStream(restarted, {
      events: [{ eventType: 'JOURNAL', position: String(before[0]?.position) }],
    })
    expect((await take(stream, 3)).slice(1).map(({ id }) => id)).toEqual([before[1]?.id, after.id])
    expect(before.map(({ id }) => id)).not.toContain(after.id)
    stream.abort.abort()
  })

  it('rejects requests that are never valid', async () => {
    const sim = await start()
    for (const wrong of [[], [{ eventType: '' }], [{ eventType: 'A' }, { eventType: 'A' }]]) {
      expect(await endOf(await openModuleStream(sim, { events: wrong }))).toBe(Code.InvalidArgument)
    }
  })

  it('is served on its own port, or on the shared one', async () => {
    const sim = await start()
    expect(sim.moduleEventsUrl).not.toBe(sim.eventsUrl)
    await sim.close()
    const shared = await start({ moduleEventsPort: 'shared' })
    expect(shared.moduleEventsUrl).toBe(shared.eventsUrl)
    const stream = await openModuleStream(shared, { events })
    expect((await take(stream, 1)).map(({ type }) => type)).toEqual([0])
    stream.abort.abort()
  })
})
