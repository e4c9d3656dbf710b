/** The relay of one app over the simulator: the messages in its stream. */
import { systemClock } from '@brokerwire/core'
import { payloads } from '@brokerwire/payloads'
import { describe, expect, test } from 'vitest'
import { allOpen, eventsOf, ids, noticesOf, pausable, setUp } from '../test/app-relay-bench.ts'
import { HEADER } from '../wire/headers.ts'
import { parseItem } from '../wire/items.ts'

describe('the stream of an app', () => {
  test('stores each event of its three subscriptions once, in order, as received', async () => {
    const { simulator, stream, start } = await setUp()
    start('one')
    await allOpen(simulator)
    const order = simulator.emitOrder()
    const position = simulator.emitPosition()
    const modules = Array.from({ length: 50 }, () => simulator.emitModule({ module: 'application' }))
    await expect.poll(() => eventsOf(stream.entries).length).toBe(52)
    const [trade] = eventsOf(stream.entries, 'trade')
    expect(trade).toMatchObject({
      subject: `brokerwire.sandbox.us.team-a.trade.event.${simulator.accounts[0]}.order`,
      body: order.payload,
      headers: { [HEADER.code]: '1024', [HEADER.requestId]: order.requestId },
    })
    expect(eventsOf(stream.entries, 'position')[0]).toMatchObject({
      subject: 'brokerwire.sandbox.us.team-a.position.event._.position',
      body: position.payload,
    })
    const stored = eventsOf(stream.entries, 'module')
    expect(ids(stored)).toEqual(modules.map(({ id }) => id))
    expect(stored.map(({ body }) => body)).toEqual(modules.map(({ payload }) => payload))
    expect(stream.entries[0]).toMatchObject({
      subject: 'brokerwire.sandbox.us.team-a.relay.notice.writer-changed',
    })
  })

  test('stores a notice before an event with the id of an earlier one and other content', async () => {
    const { simulator, stream, start } = await setUp()
    start('one')
    await allOpen(simulator)
    const same = { eventType: 'APPLICATION', id: 'the-same' }
    simulator.emitModuleFrame({ ...same, payload: '{"text":"first"}' })
    simulator.emitModuleFrame({ ...same, payload: '{"text":"second"}' })
    await expect.poll(() => eventsOf(stream.entries, 'module').length).toBe(2)
    const ofModules = stream.entries.filter(({ headers }) => headers[HEADER.source] === 'module')
    expect(ofModules.map(({ headers }) => headers[HEADER.kind])).toEqual([
      'subscribed',
      'gap',
      'module',
      'duplicate-conflict',
      'module',
    ])
    expect(JSON.parse(ofModules[3]?.body ?? '')).toMatchObject({ eventType: 'APPLICATION', id: 'the-same' })
  })

  test('stores the bytes of an undecodable message in order, and continues', async () => {
    const { simulator, stream, start } = await setUp()
    start('one')
    await allOpen(simulator)
    const first = simulator.emitModule({ module: 'application' })
    await expect.poll(() => eventsOf(stream.entries, 'module').length).toBe(1)
    simulator.faults.nextFrame('invalid-utf8', { service: 'module' })
    simulator.emitModule({ module: 'application' })
    const last = simulator.emitModule({ module: 'application' })
    await expect.poll(() => eventsOf(stream.entries, 'module').length).toBe(2)
    const [before, entry, after] = stream.entries.slice(-3)
    expect(ids([before, after].filter((one) => one !== undefined))).toEqual([first.id, last.id])
    expect(entry).toMatchObject({
      subject: 'brokerwire.sandbox.us.team-a.module.undecodable.malformed',
      body: '',
      headers: { [HEADER.kind]: 'undecodable', [HEADER.contentType]: 'application/octet-stream' },
    })
    expect(Buffer.from(entry?.data ?? []).subarray(-3)).toEqual(Buffer.from([0x1a, 1, 0xff]))
  })

  test('stores no secret in the stream', async () => {
    const { simulator, stream, start } = await setUp()
    start('one')
    await allOpen(simulator)
    simulator.emitOrder()
    simulator.emitModule({ module: 'application' })
    await expect.poll(() => eventsOf(stream.entries).length).toBe(2)
    const all = JSON.stringify(stream.entries)
    const { appKey, appSecret } = simulator.credentials
    for (const secret of [appKey, appSecret.reveal()]) expect(all).not.toContain(secret)
  })

  test('stores unknown payloads as received, and their decoder returns the reason', async () => {
    const { simulator, stream, start } = await setUp()
    start('one')
    await allOpen(simulator)
    const bodies = ['no JSON', '', '{"accountId":{"of":"another kind"}}', '[1,2', '\u0000\u2028 \u{1f4c8}']
    for (const payload of bodies) simulator.emitTradeFrame({ kind: 'order', payload })
    await expect.poll(() => eventsOf(stream.entries, 'trade').length).toBe(bodies.length)
    const stored = eventsOf(stream.entries, 'trade')
    expect(stored.map(({ body }) => body)).toEqual(bodies)
    for (const { subject, headers, body } of stored) {
      expect(subject).toMatch(/^brokerwire\.sandbox\.us\.team-a\.trade\.event\.[\w=-]+\.order$/)
      const item = parseItem({ subject, getHeader: (name) => headers[name], body }, payloads, () => {})
      if (item.type !== 'event') throw new Error('a notice')
      expect(item.payload).toBe(body)
      expect(() => item.decode()).not.toThrow()
    }
  })

  test('loses no event and reports no gap when the clock jumps an hour ahead and two hours back', async () => {
    const { simulator, stream, start } = await setUp()
    let offsetMs = 0
    start('one', { clock: { ...systemClock, now: () => systemClock.now() + offsetMs } })
    await allOpen(simulator)
    const sent: string[] = []
    for (const jumpMs of [0, 3_600_000, -3_600_000, 0]) {
      offsetMs = jumpMs
      sent.push(simulator.emitModule({ module: 'application' }).id)
      simulator.emitOrder()
      await expect.poll(() => ids(eventsOf(stream.entries, 'module'))).toEqual(sent)
      await expect.poll(() => eventsOf(stream.entries, 'trade').length).toBe(sent.length)
    }
    for (const name of ['module', 'trade', 'position'])
      expect(noticesOf(stream.entries, name).filter(({ kind }) => kind === 'gap')).toEqual([])
  })

  test('commits the cursor only after the event is stored', async () => {
    const { simulator, stream, store, start } = await setUp()
    const line = pausable(stream.open())
    start('one', {
      sink: line.sink,
    })
    await allOpen(simulator)
    await expect.poll(() => noticesOf(stream.entries, 'module').length).toBe(1)
    line.pause()
    const event = simulator.emitModule({ module: 'application' })
    await expect.poll(() => line.pending.length).toBeGreaterThan(0)
    const cursor = async () => {
      const keys = (await store.keys()).filter((key) => key.includes('APPLICATION'))
      return (await Promise.all(keys.map((key) => store.get(key)))).join()
    }
    // Cursors are written together every 200 ms.
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await cursor()).not.toContain(event.id)
    line.resume()
    await expect.poll(cursor).toContain(event.id)
  })
})
