import { connect, constants } from 'node:http2'
import { endOf, openModuleStream, openTradeStream, sendSigned, take } from '@brokerwire/testing/signed-client'
import { Code } from '@connectrpc/connect'
import { describe, expect, it } from 'vitest'
import type { FrameFault, SubscriptionFault } from './index.ts'
import type { Simulator } from './simulator-api.ts'
import { simulatorForEach } from './test/simulator-for-each.ts'

const { clock, start } = simulatorForEach()

describe('connections', () => {
  it('can be destroyed, for both services or for one', async () => {
    const sim = await start()
    const trade = await openTradeStream(sim)
    const module = await openModuleStream(sim, { events: [{ eventType: 'JOURNAL' }] })
    await take(trade, 1)
    await take(module, 1)
    expect(sim.dropConnections({ service: 'trade' })).toBe(1)
    await expect(trade.messages.next()).rejects.toMatchObject({ name: 'ConnectError' })
    const sent = sim.emitModule({ module: 'journal' })
    expect((await take(module, 1)).map(({ id }) => id)).toEqual([sent.id])
    expect(sim.dropConnections()).toBe(1)
    await expect(module.messages.next()).rejects.toMatchObject({ name: 'ConnectError' })
    await expect.poll(() => sim.subscriptions()).toEqual([])
    expect(sim.usedConnections()).toBe(0)
  })

  it('cannot be opened while the service is unreachable', async () => {
    const sim = await start()
    sim.setReachable(false)
    await expect((await openTradeStream(sim)).messages.next()).rejects.toMatchObject({ name: 'ConnectError' })
    sim.setReachable(true)
    const stream = await openTradeStream(sim)
    expect((await take(stream, 1)).map(({ eventType }) => eventType)).toEqual([0])
    stream.abort.abort()
  })

  it('get GOAWAY with the given code', async () => {
    const sim = await start()
    const session = connect(sim.eventsUrl)
    session.on('error', () => undefined)
    const goaway = new Promise<number>((resolve) => session.once('goaway', resolve))
    // The server registers the session after some turns of the event loop.
    await expect
      .poll(() => sim.goaway({ service: 'trade', http2Code: constants.NGHTTP2_ENHANCE_YOUR_CALM }))
      .toBe(1)
    expect(await goaway).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    session.destroy()
  })

  it('release their slot when the client disconnects', async () => {
    const sim = await start()
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    expect(sim.subscriptions()).toMatchObject([
      { requested: { service: 'trade', subscribeType: 1, accounts: sim.accounts } },
    ])
    stream.abort.abort()
    await expect(stream.messages.next()).rejects.toMatchObject({ code: Code.Canceled })
    await expect.poll(() => sim.usedConnections()).toBe(0)
  })
})

describe('streams', () => {
  it('can be closed with RST_STREAM, with a gRPC status, or cleanly', async () => {
    const sim = await start()
    const reset = await openTradeStream(sim)
    await take(reset, 1)
    expect(sim.resetStreams({ http2Code: constants.NGHTTP2_REFUSED_STREAM })).toBe(1)
    await expect(reset.messages.next()).rejects.toMatchObject({
      message: expect.stringContaining('NGHTTP2_REFUSED_STREAM'),
    })
    const refused = await openTradeStream(sim)
    await take(refused, 1)
    sim.endStreams({ status: 'internal' })
    expect(await endOf(refused)).toBe(Code.Internal)
    const clean = await openTradeStream(sim)
    await take(clean, 1)
    sim.endStreams()
    expect(await endOf(clean)).toBe('clean')
  })

  it('deliver earlier events before they are closed', async () => {
    const sim = await start()
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    for (let index = 0; index < 3; index += 1) sim.emitOrder()
    sim.expireSubscriptions()
    expect((await take(stream, 5)).map(({ eventType }) => eventType)).toEqual([1024, 1024, 1024, 4])
  })

  it('send only pings while events are silenced, then skip the missed events', async () => {
    const sim = await start({ pingIntervalMs: 1000 })
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    sim.silence('events')
    sim.emitOrder()
    await clock.advance(1000)
    expect((await take(stream, 1)).map(({ eventType }) => eventType)).toEqual([1])
    sim.resume({ skipEvents: true })
    const sent = sim.emitOrder()
    expect((await take(stream, 1)).map(({ payload }) => payload)).toEqual([sent.payload])
    stream.abort.abort()
  })

  it('send nothing while silenced, then deliver the missed events', async () => {
    const sim = await start({ pingIntervalMs: 1000 })
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    sim.silence()
    const sent = sim.emitOrder()
    let isAnswered = false
    const next = stream.messages.next().then((result) => {
      isAnswered = true
      return result
    })
    await clock.advance(10_000)
    expect(isAnswered).toBe(false)
    sim.resume()
    const first = (await next).value
    const [second] = await take(stream, 1)
    expect([first?.eventType, second?.eventType].sort()).toEqual([1, 1024])
    expect([first?.payload, second?.payload]).toContain(sent.payload)
    stream.abort.abort()
  })

  it('are closed if the log has dropped events that they had to read', async () => {
    const sim = await start({ retainedEvents: 10 })
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    sim.silence('events')
    for (let index = 0; index < 50; index += 1) sim.emitOrder()
    sim.resume()
    expect(await endOf(stream)).toBe(Code.ResourceExhausted)
  })

  it('do not queue pings for a slow reader', async () => {
    const sim = await start({ pingIntervalMs: 1000 })
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    for (let index = 0; index < 20_000; index += 1) sim.emitOrder({ scene: 'PLACE_FAILED' })
    await clock.advance(10_000)
    const received = await take(stream, 20_000)
    // Ten pings were due while the client did not read. At most one of them is queued.
    expect(received.filter(({ eventType }) => eventType === 1).length).toBeLessThanOrEqual(2)
    stream.abort.abort()
  })
})

describe('subscription faults', () => {
  const cases: readonly (readonly [SubscriptionFault, 'clean' | Code, readonly number[]])[] = [
    ['auth-error', 'clean', [2]],
    ['connection-limit', 'clean', [3]],
    ['expired', 'clean', [4]],
    ['unknown-control', 'clean', [77]],
    ['end', 'clean', []],
    ['unavailable', Code.Unavailable, []],
    ['internal', Code.Internal, []],
    ['unknown', Code.Unknown, []],
    ['unauthenticated', Code.Unauthenticated, []],
    ['permission-denied', Code.PermissionDenied, []],
    ['resource-exhausted', Code.ResourceExhausted, []],
  ]
  for (const [fault, ending, frames] of cases) {
    it(`${fault} is injected once`, async () => {
      const sim = await start()
      sim.faults.nextSubscription(fault)
      const struck = await openTradeStream(sim)
      const seen = ending === 'clean' ? await take(struck, 5) : []
      expect(seen.map(({ eventType }) => eventType)).toEqual(frames)
      expect(await endOf(struck)).toBe(ending)
      const next = await openTradeStream(sim)
      expect((await take(next, 1)).map(({ eventType }) => eventType)).toEqual([0])
      next.abort.abort()
    })
  }

  it('no-success delivers events without SubscribeSuccess', async () => {
    const sim = await start()
    sim.faults.nextSubscription('no-success')
    const stream = await openTradeStream(sim)
    const first = stream.messages.next()
    await expect.poll(() => sim.subscriptions().length).toBe(1)
    sim.emitOrder()
    expect((await first).value?.eventType).toBe(1024)
    stream.abort.abort()
  })

  it('hang never responds', async () => {
    const sim = await start()
    sim.faults.nextSubscription('hang')
    const stream = await openTradeStream(sim)
    const first = stream.messages.next()
    await expect.poll(() => sim.requests().at(-1)?.errorCode).toBe('hang')
    stream.abort.abort()
    await expect(first).rejects.toMatchObject({ code: Code.Canceled })
  })
})

describe('frame faults', () => {
  const broken: readonly FrameFault[] = ['corrupt-message', 'invalid-utf8', 'compressed-flag', 'truncate']
  for (const fault of broken) {
    it(`${fault} breaks the stream at that frame`, async () => {
      const sim = await start()
      const stream = await openTradeStream(sim)
      await take(stream, 1)
      sim.emitOrder()
      await take(stream, 1)
      sim.faults.nextFrame(fault)
      sim.emitOrder()
      await expect(stream.messages.next()).rejects.toMatchObject({ name: 'ConnectError' })
    })
  }

  it('oversized-message is a complete message of more than 16 MiB', async () => {
    const sim = await start()
    sim.faults.nextFrame('oversized-message')
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    const sent = sim.emitOrder()
    const [event] = await take(stream, 1)
    expect({ payload: event?.payload, dataCount: event?.$unknown?.[0]?.data.length ?? 0 }).toEqual({
      payload: sent.payload,
      dataCount: 17 * 1024 * 1024 + 4,
    })
    stream.abort.abort()
  })

  it('oversized-length claims 2 GiB', async () => {
    const sim = await start()
    sim.faults.nextFrame('oversized-length')
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    sim.emitOrder()
    sim.endStreams()
    await expect(stream.messages.next()).rejects.toMatchObject({ name: 'ConnectError' })
  })

  it('duplicate sends the same bytes twice', async () => {
    const sim = await start()
    sim.faults.nextFrame('duplicate', { service: 'module' })
    const stream = await openModuleStream(sim, { events: [{ eventType: 'JOURNAL' }] })
    await take(stream, 1)
    const sent = sim.emitModule({ module: 'journal' })
    expect((await take(stream, 2)).map(({ id }) => id)).toEqual([sent.id, sent.id])
    stream.abort.abort()
  })

  it('swap sends a frame after the next one, and waits until there is one', async () => {
    const sim = await start({ pingIntervalMs: 1000 })
    const stream = await openModuleStream(sim, { events: [{ eventType: 'JOURNAL' }] })
    await take(stream, 1)
    sim.faults.nextFrame('swap', { service: 'module' })
    const emit = () => sim.emitModule({ module: 'journal' })
    const first = emit()
    sim.pingNow()
    expect((await take(stream, 1)).map(({ type }) => type)).toEqual([1])
    const [second, third] = [emit(), emit()]
    expect((await take(stream, 3)).map(({ id }) => id)).toEqual([second.id, first.id, third.id])
    stream.abort.abort()
  })

  it('drop never sends a frame, and later frames arrive', async () => {
    const sim = await start()
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    sim.faults.nextFrame('drop', { service: 'trade' })
    sim.emitOrder()
    const second = sim.emitOrder()
    expect((await take(stream, 1)).map(({ payload }) => payload)).toEqual([second.payload])
    stream.abort.abort()
  })

  it('split sends every byte in its own frame, and the message arrives', async () => {
    const sim = await start()
    sim.faults.nextFrame('split', { count: 2 })
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    const sent = [sim.emitOrder(), sim.emitPosition(), sim.emitOrder()]
    expect((await take(stream, 2)).map(({ payload }) => payload)).toEqual([
      sent[0]?.payload,
      sent[2]?.payload,
    ])
    stream.abort.abort()
  })

  it('corrupt-payload truncates the JSON of a valid message', async () => {
    const sim = await start()
    sim.faults.nextFrame('corrupt-payload')
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    const sent = sim.emitOrder()
    const [event] = await take(stream, 1)
    expect(event?.requestId).toBe(sent.requestId)
    expect(sent.payload.startsWith(String(event?.payload))).toBe(true)
    expect(() => JSON.parse(String(event?.payload))).toThrow(SyntaxError)
    stream.abort.abort()
  })
})

describe('HTTP faults', () => {
  const create = (sim: Simulator) => sendSigned(sim, { path: '/auth/tokens/create', json: {} })

  it('can replace the response', async () => {
    const sim = await start()
    sim.faults.nextHttp(
      {
        kind: 'respond',
        status: 502,
        body: '<html>bad gateway</html>',
        headers: { 'content-type': 'text/html' },
      },
      { path: '/auth/tokens/create', count: 2 },
    )
    expect(await create(sim)).toMatchObject({ status: 502, text: '<html>bad gateway</html>' })
    expect((await sendSigned(sim, { path: '/auth/tokens/check', json: { token: 'x' } })).status).toBe(200)
    sim.faults.clear()
    expect((await create(sim)).status).toBe(200)
    expect(sim.requests().map(({ status, errorCode }) => [status, errorCode])).toEqual([
      [502, 'fault respond'],
      [200, undefined],
      [200, undefined],
    ])
  })

  it.each([204, 205, 304])('can send status %i, without a body even if one is given', async (status) => {
    const sim = await start()
    for (const body of ['gone', '', undefined]) {
      sim.faults.nextHttp({ kind: 'respond', status, body })
      expect(await create(sim)).toMatchObject({ status, text: '' })
    }
  })

  it('can destroy the connection before or after the request was executed', async () => {
    const sim = await start()
    sim.faults.nextHttp({ kind: 'close' })
    await expect(create(sim)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(sim.state()).toMatchObject({ accessTokens: { PENDING: 0 } })
    sim.faults.nextHttp({ kind: 'close', processed: true })
    await expect(create(sim)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(sim.state()).toMatchObject({ accessTokens: { PENDING: 1 } })
  })

  it('can truncate the response', async () => {
    const sim = await start()
    sim.faults.nextHttp({ kind: 'truncate' })
    await expect(create(sim)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('can leave a request without a response', async () => {
    const sim = await start()
    sim.faults.nextHttp({ kind: 'hang' })
    const answer = create(sim).then(
      () => 'answered',
      () => 'broken',
    )
    await clock.advance(3_600_000)
    await sim.close()
    expect(await answer).toBe('broken')
  })

  it('can send the response byte by byte, in virtual time', async () => {
    const sim = await start()
    sim.faults.nextHttp({ kind: 'drip', intervalMs: 1000 })
    const startedAt = clock.now()
    const answer = create(sim)
    let isDone = false
    void answer.then(() => {
      isDone = true
    })
    for (let second = 0; second < 300 && !isDone; second += 1) await clock.advance(1000)
    expect((await answer).json.status).toBe('PENDING')
    expect(clock.now() - startedAt).toBeGreaterThan(50_000)
  })

  it('can send a very large response', async () => {
    const sim = await start()
    sim.faults.nextHttp({ kind: 'flood', bytes: 10_000_000 })
    expect((await create(sim)).text.length).toBe(10_000_000)
  })
})
