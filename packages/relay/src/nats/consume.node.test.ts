/** Readers of a relay's stream: their items, and the messages that they acknowledge. */
import { createSigner } from '@brokerwire/signer'
import { createStreams, createSubscriptionBudget } from '@brokerwire/streams'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  connection,
  emitModules,
  idOf,
  note,
  setUp,
  skip,
  takeEvents,
  useServer,
} from '../test/relay-readers.ts'
import type { RelayItem } from '../wire/items.ts'

useServer()

test.skipIf(skip)(`a second loop over one reader is rejected${note}`, async () => {
  const { simulator, consume } = await setUp()
  const reader = consume()
  simulator.emitModule({ module: 'application' })
  await reader.next()
  for await (const _ of reader) break
  expect(() => reader.batches()).toThrow(expect.objectContaining({ code: 'RELAY_CLOSED' }))
  const other = consume()
  const batches = other.batches()
  expect(() => other[Symbol.asyncIterator]()).toThrow(
    expect.objectContaining({ code: 'RELAY_READER_IN_USE' }),
  )
  await batches.return()
})

describe.skipIf(skip)(`a consumer${note}`, { timeout: 60_000 }, () => {
  test('yields the items of the streams: events that decode, and notices in order', async () => {
    const { simulator, consume } = await setUp()
    const stream = consume()
    const kinds: string[] = []
    for (let number = 0; number < 7; number += 1) kinds.push((await stream.next()).value?.kind ?? '')
    expect(kinds.sort()).toEqual([
      'gap',
      'gap',
      'gap',
      'subscribed',
      'subscribed',
      'subscribed',
      'writer-changed',
    ])
    const order = simulator.emitOrder()
    const [first] = await takeEvents(stream, 1)
    expect(first).toMatchObject({
      type: 'event',
      service: 'trade',
      kind: 'order',
      eventType: 1024,
      requestId: order.requestId,
      payload: order.payload,
      timestamp: String(order.timestampMs),
      contentType: order.contentType,
      unknownFields: [],
    })
    expect(first?.decode()).toMatchObject({ ok: true })
    const emitted = simulator.emitModule({ module: 'application' })
    const [module] = await takeEvents(stream, 1)
    expect(module).toMatchObject({
      service: 'module',
      kind: 'module',
      id: emitted.id,
      eventType: 'APPLICATION',
      timestamp: emitted.timestamp,
      cursor: { eventType: 'APPLICATION', position: emitted.position },
    })
    expect(module?.decode()).toMatchObject({ ok: true })
  })

  test.each(['auto', 'manual'] as const)(
    'yields undecodable messages with their bytes with ack %s',
    async (ack) => {
      const { simulator, consume } = await setUp()
      const stream = consume({ ack })
      simulator.faults.nextFrame('invalid-utf8', { service: 'module' })
      emitModules(simulator, 2)
      const items: RelayItem<unknown>[] = []
      for await (const item of stream) {
        items.push(item)
        if (item.type === 'event') break
      }
      const undecodable = items.find((item) => item.type === 'undecodable')
      expect(undecodable).toMatchObject({
        service: 'module',
        reason: 'malformed',
        length: undecodable?.bytes?.length,
      })
      expect([...(undecodable?.bytes?.slice(-3) ?? [])]).toEqual([0x1a, 1, 0xff])
    },
  )

  test('yields the same fields as the streams of the service', async () => {
    const { simulator, consume } = await setUp()
    const streams = createStreams({
      signer: createSigner(simulator.credentials),
      eventsUrl: simulator.eventsUrl,
      moduleEventsUrl: simulator.moduleEventsUrl,
      budget: createSubscriptionBudget(),
    })
    onTestFinished(() => streams.close())
    const direct = {
      module: streams.moduleEvents({ modules: ['application'] }),
      trade: streams.tradeEvents({ accounts: simulator.accounts }),
    }
    for (const name of ['module', 'trade'] as const) {
      const first = direct[name].next()
      await expect.poll(() => simulator.subscriptions().length).toBe(name === 'module' ? 4 : 5)
      expect([(await first).value?.kind, (await direct[name].next()).value?.kind].sort()).toEqual([
        'gap',
        'subscribed',
      ])
    }
    const relayed = consume()
    for (const name of ['module', 'trade'] as const) {
      if (name === 'module') simulator.emitModule({ module: 'application' })
      else simulator.emitOrder()
      const [ours] = await takeEvents(relayed, 1)
      const { value: theirs } = await direct[name].next()
      const fields = Object.entries(ours ?? {}).filter(([field]) => field !== 'receivedAtMs')
      for (const [field, value] of fields)
        if (typeof value !== 'function') expect(value, field).toEqual(theirs?.[field as keyof typeof theirs])
      expect(fields.length).toBeGreaterThan(8)
      expect(ours?.decode()).toEqual(theirs?.type === 'event' ? theirs.decode() : undefined)
    }
  })

  test('continues after the handled items of the last reader of its name, and yields unhandled ones again', async () => {
    const { simulator, consume } = await setUp()
    const sent = emitModules(simulator, 10)
    const first = consume({ filter: { subscription: 'module' } })
    expect((await takeEvents(first, 4)).map(idOf)).toEqual(sent.slice(0, 4))
    await first.return()
    expect(await first.next()).toEqual({ done: true, value: undefined })
    await connection.flush()
    const second = consume({ filter: { subscription: 'module' } })
    expect((await takeEvents(second, 7)).map(idOf)).toEqual(sent.slice(3))
  })

  test('yields the events of the selected accounts and all notices', async () => {
    const { simulator, consume } = await setUp()
    const [one = '', other = ''] = simulator.accounts
    const stream = consume({ filter: { subscription: 'trade', accounts: [other] } })
    for (const kind of ['gap', 'subscribed']) expect((await stream.next()).value?.kind).toBe(kind)
    simulator.emitOrder({ accountId: one })
    const wanted = simulator.emitOrder({ accountId: other })
    expect((await takeEvents(stream, 1)).map(idOf)).toEqual([wanted.requestId])
  })
})
