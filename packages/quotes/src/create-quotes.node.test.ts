/** Market data from the selection to the items, with a model of the service in virtual time. */
import { createSeededRandom } from '@brokerwire/core/testing'
import { generate } from 'mqtt-packet'
import { afterEach, describe, expect, test } from 'vitest'
import type { QuotesBackfill } from './backfill.ts'
import type { QuotesItem } from './create-quotes.ts'
import { type MessageItem, messageSize } from './items/message-items.ts'
import { manySymbols } from './test/connection-machine.ts'
import { APP_KEY, type QuotesBench, quotesBench, readBench, shortMessage } from './test/quotes-bench.ts'
import { snapshot, tick } from './test/virtual-service.ts'

const STOCKS = { types: ['snapshot'], category: 'US_STOCK' } as const
const open: { quotes: QuotesBench['quotes'] }[] = []
afterEach(async () => {
  for (const { quotes } of open.splice(0)) await quotes.close()
})

function bench(more: Parameters<typeof readBench>[0] = {}): QuotesBench {
  const made = readBench(more)
  open.push(made)
  return made
}

/** Market data whose subscriptions are confirmed. */
async function live(symbols: string, more: Parameters<typeof readBench>[0] = {}): Promise<QuotesBench> {
  const made = bench(more)
  made.quotes.set({ ...STOCKS, symbols: symbols.split(' ') })
  await made.clock.advance(1000)
  return made
}

const session = ({ service }: Pick<QuotesBench, 'service'>, at = 0) => {
  const found = service.sessions[at]
  if (found === undefined) throw new Error('no session')
  return found
}

describe('from a selection to data', () => {
  test('nothing is opened before the first next()', async () => {
    const { clock, service, quotes } = quotesBench()
    quotes.set({ ...STOCKS, symbols: ['A'] })
    await clock.advance(10_000)
    expect(service.sessionIds).toEqual([])
    expect(clock.pendingTimers).toBe(0)
    await quotes.close()
  })

  test('belongs to its group from the first next() until it ends', async () => {
    const entered: string[] = []
    const group = {
      add() {
        entered.push('added')
        return () => void entered.push('forgotten')
      },
    }
    const left = bench({ group })
    left.quotes.set({ ...STOCKS, symbols: ['A'] })
    await left.clock.advance(1000)
    expect(entered).toEqual(['added'])
    await left.quotes.close()
    expect(entered).toEqual(['added', 'forgotten'])

    const stop = new AbortController()
    const aborted = bench({ group, signal: stop.signal })
    aborted.quotes.set({ ...STOCKS, symbols: ['A'] })
    await aborted.clock.advance(1000)
    stop.abort(new Error('enough'))
    await aborted.clock.advance(1000)
    expect(entered).toEqual(['added', 'forgotten', 'added', 'forgotten'])
    expect(quotesBench({ group }).quotes.desired()).toEqual([])
    expect(entered).toHaveLength(4)
  })

  test('connects with the app key and without a secret, subscribes over HTTP, and delivers messages', async () => {
    const made = await live('A B')
    const { connect } = session(made)
    expect(connect).toMatchObject({ clean: true, keepalive: 60, username: APP_KEY, protocolVersion: 4 })
    expect(connect.clientId).toMatch(/^[0-9a-f]{32}$/)
    expect(connect.password?.toString()).toBe('none')
    expect(made.service.calls).toEqual([
      {
        path: '/market-data/streaming/subscribe',
        body: {
          session_id: connect.clientId,
          symbols: ['A', 'B'],
          category: 'US_STOCK',
          sub_types: ['SNAPSHOT'],
        },
      },
    ])
    session(made).push('snapshot', snapshot('A', '187.10'))
    await made.clock.settle()
    expect(made.messages()).toEqual(['snapshot A 187.10'])
    expect(made.notices('subscribed')).toMatchObject([{ symbols: 2, connection: 1 }])
    expect(made.quotes.confirmed()).toMatchObject([
      { category: 'US_STOCK', symbol: 'A', types: ['snapshot'] },
      { symbol: 'B' },
    ])
    expect(made.quotes.connections()).toMatchObject([{ phase: 'live', desired: 2, confirmed: 2 }])
  })

  test('sends every option of a selection in the call', async () => {
    const made = bench({ paths: 'openapi', apiVersion: 'v3', requestSnapshot: true })
    made.quotes.set([
      { symbols: ['A', 'A'], types: ['quote', 'tick'], category: 'US_STOCK', depth: 50, overnight: true },
      { symbols: ['00700'], types: ['snapshot'], category: 'HK_STOCK' },
    ])
    await made.clock.advance(1000)
    expect(
      made.service.calls.map(({ path, body: { session_id: _, ...body } }) => ({ path, ...body })),
    ).toEqual([
      {
        path: '/openapi/market-data/streaming/subscribe',
        symbols: ['A'],
        category: 'US_STOCK',
        sub_types: ['QUOTE', 'TICK'],
        depth: '50',
        overnight_required: true,
        grab: 'true',
      },
      {
        path: '/openapi/market-data/streaming/subscribe',
        symbols: ['00700'],
        category: 'HK_STOCK',
        sub_types: ['SNAPSHOT'],
        grab: 'true',
      },
    ])
  })

  test('tries the other path form once after 404, and keeps it', async () => {
    const made = bench()
    made.service.behaviour.missingPaths.add('/market-data')
    made.quotes.set({ ...STOCKS, symbols: ['A'] })
    await made.clock.advance(1000)
    made.quotes.add({ ...STOCKS, symbols: ['B'] })
    await made.clock.advance(1000)
    expect(made.service.calls.map(({ path }) => path)).toEqual([
      '/market-data/streaming/subscribe',
      '/openapi/market-data/streaming/subscribe',
      '/openapi/market-data/streaming/subscribe',
    ])
    expect(made.quotes.confirmed()).toHaveLength(2)
  })

  test('tries the other path form on both connections if both get 404 at once', async () => {
    const made = bench()
    made.service.behaviour.missingPaths.add('/market-data')
    made.quotes.set({ ...STOCKS, symbols: manySymbols(150).split(' ') })
    await made.clock.advance(1000)
    expect(made.quotes.confirmed()).toHaveLength(150)
    expect(made.service.calls.map(({ path }) => path.split('/')[1])).toEqual([
      'market-data',
      'market-data',
      'openapi',
      'openapi',
    ])
  })

  test('fails with an error that names the option if both path forms get 404', async () => {
    const made = bench()
    made.service.behaviour.missingPaths.add('/')
    made.quotes.set({ ...STOCKS, symbols: ['A'] })
    await made.clock.advance(1000)
    expect(await made.ended).toMatchObject({
      code: 'QUOTES_CALL_FAILED',
      message: expect.stringContaining('paths'),
    })
  })

  test('sends only the difference on add, remove and set, and frees the slot if nothing is desired', async () => {
    const made = await live('A B')
    made.quotes.add({ symbols: ['B', 'C'], types: ['tick'], category: 'US_STOCK' })
    made.quotes.remove({ symbols: ['A'], category: 'US_STOCK' })
    await made.clock.advance(1000)
    expect(made.quotes.confirmed().map(({ symbol, types }) => `${symbol} ${types}`)).toEqual([
      'B snapshot,tick',
      'C tick',
    ])
    expect(made.quotes.desired()).toEqual(made.quotes.confirmed())
    expect([...session(made).symbols].map(([symbol, types]) => `${symbol} ${[...types]}`)).toEqual([
      'B SNAPSHOT,TICK',
      'C TICK',
    ])
    made.quotes.set([])
    await made.clock.advance(1000)
    expect(made.service.sessions).toEqual([])
    made.quotes.set({ ...STOCKS, symbols: ['D'] })
    await made.clock.advance(1000)
    expect(made.service.rejectedForSlots).toBe(0)
    expect(new Set(made.service.sessionIds).size).toBe(2)
  })
})

describe('rejections by the service', () => {
  test('reports and removes a rejected symbol, and keeps the others', async () => {
    const made = bench()
    made.service.behaviour.badSymbols.add('BAD').add('WORSE')
    made.quotes.set({ ...STOCKS, symbols: ['A', 'BAD', 'B', 'WORSE'] })
    await made.clock.advance(2000)
    expect(made.notices('rejected')).toMatchObject([
      { code: 'INVALID_SYMBOL', symbols: [{ symbol: 'BAD' }, { symbol: 'WORSE' }] },
    ])
    expect(made.quotes.desired().map(({ symbol }) => symbol)).toEqual(['A', 'B'])
    expect(made.service.calls).toHaveLength(2)
    // The rejected symbol is not requested on the next connection.
    session(made).drop()
    await made.clock.advance(2000)
    expect(made.service.calls).toHaveLength(3)
    expect(made.notices('rejected')).toHaveLength(1)
  })

  test('waits on the same connection for a session that the service does not know yet', async () => {
    const made = bench()
    made.service.behaviour.registrationMs = 3000
    made.quotes.set({ ...STOCKS, symbols: ['A'] })
    await made.clock.advance(5000)
    expect(made.quotes.confirmed()).toHaveLength(1)
    expect(made.service.sessionIds).toHaveLength(1)
  })

  test('reconnects with a new id and a backoff while the session stays unknown', async () => {
    const made = bench()
    made.service.behaviour.registrationMs = Number.POSITIVE_INFINITY
    made.quotes.set({ ...STOCKS, symbols: ['A'] })
    await made.clock.advance(3_600_000)
    const { sessionIds } = made.service
    expect(new Set(sessionIds).size).toBe(sessionIds.length)
    expect(sessionIds.length).toBeGreaterThan(20)
    expect(sessionIds.length).toBeLessThan(400)
    expect(made.notices('reconnecting')[0]).toMatchObject({ reason: 'session-unknown' })
  })

  test('ends with an error that lists the settings to check if the credentials are rejected', async () => {
    const made = bench()
    made.service.behaviour.connack = 104
    made.quotes.set({ ...STOCKS, symbols: ['A'] })
    await made.clock.advance(1000)
    const error = await made.ended
    expect(error).toMatchObject({
      code: 'QUOTES_AUTH_REJECTED',
      retryable: false,
      details: { signal: 'connack', status: 104, code: 'app-key-invalid' },
    })
    expect(made.clock.pendingTimers).toBe(0)
  })

  test('ends if the token is rejected twice', async () => {
    const made = bench()
    for (let call = 0; call < 2; call += 1)
      made.service.behaviour.failures.push({ status: 401, code: 'INVALID_TOKEN' })
    made.quotes.set({ ...STOCKS, symbols: ['A'] })
    await made.clock.advance(60_000)
    expect(await made.ended).toMatchObject({
      code: 'QUOTES_AUTH_REJECTED',
      details: { signal: 'call', status: 401 },
    })
    // The slot of the connection is free at once.
    expect(made.service.sessions).toEqual([])
  })

  test('moves symbols of full sessions, and rejects those that no connection can take', async () => {
    const made = bench({ maxConnections: 2, symbolsPerConnection: 10 })
    made.service.behaviour.maxSymbols = 6
    made.quotes.set({ ...STOCKS, symbols: manySymbols(15).split(' ') })
    await made.clock.advance(10_000)
    expect(made.quotes.confirmed()).toHaveLength(12)
    expect(made.service.sessions.map(({ symbols }) => symbols.size)).toEqual([6, 6])
    const rejected = made.notices('rejected')
    expect(rejected.map(({ code }) => code)).toEqual(
      Array.from({ length: rejected.length }, () => 'NO_CAPACITY'),
    )
    expect(rejected.flatMap(({ symbols }) => symbols)).toHaveLength(3)
    expect(made.quotes.desired()).toHaveLength(12)
  })

  test('applies changes that an observer makes during a NO_CAPACITY notice', async () => {
    const made: QuotesBench = bench({
      maxConnections: 2,
      symbolsPerConnection: 10,
      observer: {
        onQuotesNotice: ({ notice }) => {
          if (notice.kind !== 'rejected' || made.quotes.desired().some(({ symbol }) => symbol === 'NEW'))
            return
          made.quotes.remove({ symbols: ['S1', 'S7'], category: 'US_STOCK' })
          made.quotes.add({ ...STOCKS, symbols: ['NEW', 'WRONG'] })
          made.quotes.remove({ symbols: ['WRONG'], category: 'US_STOCK' })
        },
      },
    })
    made.service.behaviour.maxSymbols = 6
    made.quotes.set({ ...STOCKS, symbols: manySymbols(15).split(' ') })
    await made.clock.advance(10_000)
    const names = made.quotes.desired().map(({ symbol }) => symbol)
    expect(names).toContain('NEW')
    expect(made.quotes.confirmed().map(({ symbol }) => symbol)).toEqual(expect.arrayContaining(names))
    expect(made.service.sessions.flatMap(({ symbols }) => [...symbols.keys()]).sort()).toEqual(names.sort())
  })

  test('applies changes that an observer makes during a rejected notice, without the rejected symbol', async () => {
    const made: QuotesBench = bench({
      observer: {
        onQuotesNotice: ({ notice }) => {
          if (notice.kind === 'rejected') made.quotes.add({ ...STOCKS, symbols: ['NEW'] })
        },
      },
    })
    made.service.behaviour.badSymbols.add('BAD')
    made.quotes.set({ ...STOCKS, symbols: ['BAD'] })
    await made.clock.advance(2000)
    expect(made.quotes.confirmed().map(({ symbol }) => symbol)).toEqual(['NEW'])
    expect(made.notices('rejected')).toHaveLength(1)
    expect(made.service.calls.map(({ body }) => body.symbols)).toEqual([['BAD'], ['NEW']])
  })

  test('throws at once for more symbols than all connections can take', () => {
    const { quotes } = quotesBench({ maxConnections: 2 })
    expect(() => quotes.set({ ...STOCKS, symbols: manySymbols(201).split(' ') })).toThrow(
      expect.objectContaining({ code: 'QUOTES_TOO_MANY_SYMBOLS', details: { symbols: 201, max: 200 } }),
    )
  })
})

describe('several connections', () => {
  test('spreads 250 symbols over three connections, each with its own session', async () => {
    const made = await live(manySymbols(250))
    expect(made.service.sessions.map(({ symbols }) => symbols.size)).toEqual([100, 100, 50])
    expect(new Set(made.service.sessionIds).size).toBe(3)
    session(made, 2).push('snapshot', snapshot('S250', '9'))
    await made.clock.settle()
    expect(made.items.at(-1)).toMatchObject({ type: 'message', connection: 3 })
  })

  test('reports a dropped connection with its symbols, and subscribes to them again', async () => {
    const made = await live(manySymbols(150))
    session(made, 1).drop('ECONNRESET')
    await made.clock.advance(2000)
    const [gap] = made.notices('gap')
    expect(gap).toMatchObject({ connection: 2 })
    expect(gap?.symbols).toHaveLength(50)
    expect(made.quotes.confirmed()).toHaveLength(150)
  })

  test('restores all subscriptions after many drops at the connection limit, without a reconnect storm', async () => {
    const made = await live(manySymbols(500))
    expect(made.service.sessions).toHaveLength(5)
    for (const dropped of [...made.service.sessions]) dropped.drop('ECONNRESET')
    await made.clock.advance(900_000)
    expect(made.quotes.confirmed()).toHaveLength(500)
    const limited = made.notices('reconnecting').filter(({ reason }) => reason === 'connection-limit')
    expect(limited.length).toBeLessThan(20)
    for (const { delayMs } of limited) expect(delayMs).toBeGreaterThanOrEqual(60_000)
    expect(limited[0]).toMatchObject({ slotStillHeld: true, connackCode: 105 })
  })
})

describe('a gap', () => {
  test('has the bounds of the missed time, and is backfilled if there is a hook', async () => {
    const asked: unknown[] = []
    const made = await live('A B', {
      backfill: ({ symbols, fromMs, toMs }) => {
        asked.push({ symbols, fromMs, toMs })
        return symbols.map((symbol) => ({ ...symbol, value: { price: '5' } }))
      },
    })
    session(made).push('snapshot', snapshot('A', '1'))
    const seenAt = made.clock.now()
    await made.clock.advance(7000)
    session(made).drop('ECONNRESET')
    await made.clock.advance(2000)
    const [gap] = made.notices('gap')
    expect(gap).toMatchObject({ fromMs: seenAt, symbols: [{ symbol: 'A' }, { symbol: 'B' }] })
    expect(gap?.toMs).toBeGreaterThan(seenAt + 7000)
    expect(asked).toEqual([{ symbols: gap?.symbols, fromMs: gap?.fromMs, toMs: gap?.toMs }])
    expect(made.items.filter(({ type }) => type === 'backfilled')).toMatchObject([
      { symbol: 'A', value: { price: '5' }, fromMs: seenAt },
      { symbol: 'B' },
    ])
  })

  test('of moved symbols is reported when another connection has subscribed to them', async () => {
    const made = await live(manySymbols(10), { symbolsPerConnection: 10 })
    made.service.behaviour.maxSymbols = 6
    session(made).push('snapshot', snapshot('S1', '1'))
    const fromMs = made.clock.now()
    session(made).drop('ECONNRESET')
    await made.clock.advance(10_000)
    expect(made.quotes.connections()).toMatchObject([{ confirmed: 6 }, { confirmed: 4 }])
    const gaps = made.notices('gap')
    expect(gaps.flatMap(({ symbols }) => symbols.map(({ symbol }) => symbol))).toEqual(
      manySymbols(10).split(' '),
    )
    expect(gaps.at(-1)).toMatchObject({ connection: 2 })
    for (const gap of gaps) expect(gap).toMatchObject({ fromMs })
  })

  test('reports a failed hook as a notice only', async () => {
    const made = await live('A', {
      backfill: () => {
        throw new Error('secret')
      },
    })
    session(made).drop()
    await made.clock.advance(2000)
    expect(made.notices('backfill-failed')).toHaveLength(1)
    expect(JSON.stringify(made.items)).not.toContain('secret')
    expect(made.quotes.confirmed()).toHaveLength(1)
  })

  describe('a backfilled value', () => {
    const A = { category: 'US_STOCK', symbol: 'A' } as const
    const fetched = { ...A, value: 'fetched' } as const

    /** Runs a backfill after these messages were received. Returns the delivered items. */
    async function handedOn(
      found: QuotesBackfill,
      arrives: (made: QuotesBench) => void,
      categories: readonly string[] = ['US_STOCK'],
    ): Promise<number> {
      const answers: ((found: readonly QuotesBackfill[]) => void)[] = []
      const made = bench({ backfill: () => new Promise((resolve) => answers.push(resolve)) })
      made.quotes.set(categories.map((category) => ({ ...STOCKS, category, symbols: ['A'] })))
      await made.clock.advance(1000)
      session(made).drop()
      await made.clock.advance(2000)
      arrives(made)
      answers[0]?.([found])
      await made.clock.settle()
      return made.items.filter(({ type }) => type === 'backfilled').length
    }
    const newer = (made: QuotesBench): void => session(made).push('snapshot', snapshot('A', '2'))

    test('is discarded if it is a state and a newer one was received since the gap', async () => {
      expect(await handedOn({ ...fetched, state: 'snapshot' }, newer)).toBe(0)
    })

    test('is delivered if it is another kind of state, or a trade was received', async () => {
      expect(await handedOn({ ...fetched, state: 'quote' }, newer)).toBe(1)
      const trade = (made: QuotesBench): void => session(made).push('tick', tick('A', '2'))
      expect(await handedOn({ ...fetched, state: 'snapshot' }, trade)).toBe(1)
    })

    test('is delivered if it has no kind of state', async () => {
      expect(await handedOn(fetched, newer)).toBe(1)
    })

    test('is delivered if the received state may belong to another category of the symbol', async () => {
      expect(await handedOn({ ...fetched, state: 'snapshot' }, newer, ['US_STOCK', 'US_CRYPTO'])).toBe(1)
    })
  })
})

describe('supervision', () => {
  test('keeps a connection open for a day without data if PINGs get a response, and reports stalled once', async () => {
    const made = await live('A')
    await made.clock.advance(86_400_000)
    expect(made.service.sessionIds).toHaveLength(1)
    expect(made.notices('stalled')).toHaveLength(1)
    expect(session(made).received.filter(({ cmd }) => cmd === 'pingreq').length).toBeGreaterThan(2800)
  })

  test('closes a connection without a response within 40 s, and reconnects with a new id', async () => {
    const made = await live('A')
    made.service.behaviour.silent = true
    await made.clock.advance(41_000)
    expect(made.notices('reconnecting')).toMatchObject([{ reason: 'heartbeat-lost' }])
    made.service.behaviour.silent = false
    await made.clock.advance(2000)
    expect(made.quotes.confirmed()).toHaveLength(1)
    expect(new Set(made.service.sessionIds).size).toBe(2)
  })

  test('reconnects after malformed bytes, without ending the iteration', async () => {
    const made = await live('A')
    session(made).bytes(new TextEncoder().encode('HTTP/1.1 400 Bad Request'))
    await made.clock.advance(2000)
    expect(made.notices('reconnecting')).toMatchObject([{ reason: 'malformed', fault: 'flags' }])
    expect(made.quotes.confirmed()).toHaveLength(1)
  })

  test('returns the last receive time of desired symbols only', async () => {
    const made = await live('A B')
    session(made).push('snapshot', snapshot('A', '1'))
    session(made).push('snapshot', snapshot('FOREIGN', '1'))
    expect([...made.quotes.lastReceived()]).toEqual([
      ['A', made.clock.now()],
      ['B', undefined],
    ])
  })
})

describe('messages', () => {
  test('acknowledges QoS 1, and marks a message with DUP as duplicate', async () => {
    const made = await live('A')
    session(made).push('tick', tick('A', '1'), { qos: 1, messageId: 77, dup: true })
    await made.clock.settle()
    expect(session(made).received).toMatchObject([{ cmd: 'puback', messageId: 77 }])
    expect(made.items.at(-1)).toMatchObject({ kind: 'tick', duplicate: true })
  })

  test('delivers no heartbeats, and the service\u2019s status as a printable notice', async () => {
    const made = await live('A')
    const before = made.items.length
    session(made).push('echo', new Uint8Array())
    session(made).push(
      'notice',
      new TextEncoder().encode('{"type":"status","rtt":100,"drop":3,"sent":9}\u001b[2J'),
    )
    session(made).push('notice', new TextEncoder().encode('{"type":"status","rtt":100,"drop":3,"sent":9}'))
    await made.clock.settle()
    expect(made.items).toHaveLength(before + 2)
    const [broken, notice] = made.notices('service-notice')
    expect(broken?.text).not.toContain('\u001b')
    expect(notice).toMatchObject({ drop: 3 })
  })

  test('delivers unknown topics and malformed payloads with their bytes', async () => {
    const made = await live('A')
    session(made).push('new-topic', Uint8Array.of(1, 2, 3))
    session(made).push('snapshot', Uint8Array.of(0xff))
    await made.clock.settle()
    const [other, broken] = made.items.filter((item) => item.type === 'message')
    expect(other).toMatchObject({ kind: 'unknown', topic: 'new-topic', payload: Uint8Array.of(1, 2, 3) })
    expect(broken?.decode()).toMatchObject({ ok: false })
  })

  test('counts the shared allocation of a trade that was received after a state', async () => {
    const made = await live('A')
    const packet = (topic: string, payload: Uint8Array): Uint8Array =>
      generate({ cmd: 'publish', topic, payload: Buffer.from(payload), qos: 0, dup: false, retain: false })
    session(made).bytes(
      Buffer.concat([
        packet('snapshot', snapshot('A', '1')),
        packet('tick', tick('A', '1')),
        packet('tick', tick('A', '2')),
      ]),
    )
    await made.clock.settle()
    const [first, second] = made.items.flatMap((item) =>
      item.type === 'message' && item.kind === 'tick' ? [item as MessageItem] : [],
    )
    if (first === undefined || second === undefined) throw new Error('no trades')
    // The first trade of an allocation counts all of it.
    expect(second.payload.buffer).toBe(first.payload.buffer)
    expect(messageSize(first) - messageSize(second)).toBe(first.payload.buffer.byteLength)
  })

  test('delivers the latest state of each symbol and an exact count of dropped trades to a slow consumer', async () => {
    const { read: _, ...made } = quotesBench({ buffer: { maxTickBytes: 4000 } })
    open.push(made)
    made.quotes.set({ symbols: ['A', 'B'], types: ['snapshot', 'tick'], category: 'US_STOCK' })
    const batches = made.quotes.batches({ maxItems: 1000 })
    const first = batches.next()
    await made.clock.advance(1000)
    expect(await first).toMatchObject({ value: [{ kind: 'subscribed' }] })
    for (let round = 1; round <= 100; round += 1) {
      session(made).push('snapshot', snapshot('A', `${round}`))
      session(made).push('snapshot', snapshot('B', `${round}`))
      session(made).push('tick', tick('A', `${round}`))
    }
    const { value } = await batches.next()
    const items: readonly QuotesItem[] = value ?? []
    expect(items.slice(0, 3).flatMap(shortMessage)).toEqual(['snapshot A 100', 'snapshot B 100'])
    const ticks = items.filter((item) => item.type === 'message' && item.kind === 'tick')
    const dropped = items.find((item) => item.type === 'notice' && item.kind === 'overflow')
    expect(dropped).toMatchObject({ messages: 100 - ticks.length })
    expect(items.at(-1)).toMatchObject({ kind: 'tick' })
    expect(items.find((item) => item.type === 'message')).toMatchObject({ replaced: 99 })
  })
})

describe('a single consumer', () => {
  test('rejects a second loop over the same quotes', async () => {
    const made = await live(manySymbols(1))
    // `live()` already reads them in a loop.
    expect(() => made.quotes[Symbol.asyncIterator]()).toThrow(
      expect.objectContaining({ code: 'QUOTES_IN_USE' }),
    )
    expect(() => made.quotes.batches()).toThrow(expect.objectContaining({ code: 'QUOTES_IN_USE' }))
    await made.quotes.close()
    expect(() => made.quotes[Symbol.asyncIterator]()).toThrow(
      expect.objectContaining({ code: 'QUOTES_CLOSED' }),
    )
  })
})

describe('closing', () => {
  test('sends DISCONNECT on close, ends the loop, and leaves no timer', async () => {
    const made = await live(manySymbols(150))
    const left = made.service.sessions.map(({ received }) => received)
    await made.quotes.close()
    expect(await made.ended).toBe('left')
    expect(left.map((received) => received.at(-1))).toMatchObject([
      { cmd: 'disconnect' },
      { cmd: 'disconnect' },
    ])
    expect(made.clock.pendingTimers).toBe(0)
    await made.quotes.close()
    expect(await made.quotes.next()).toEqual({ done: true, value: undefined })
  })

  test('ends the loop with the reason of its signal', async () => {
    const controller = new AbortController()
    const made = await live('A', { signal: controller.signal })
    controller.abort(new Error('enough'))
    expect(await made.ended).toMatchObject({ message: 'enough' })
    expect(made.service.sessions).toEqual([])
    expect(made.clock.pendingTimers).toBe(0)
  })

  test('opens no connection if it was closed before its start', async () => {
    const { quotes, service, clock } = quotesBench()
    quotes.set({ ...STOCKS, symbols: ['A'] })
    await quotes.close()
    expect(await quotes.next()).toEqual({ done: true, value: undefined })
    await clock.advance(1000)
    expect(service.sessionIds).toEqual([])
  })
})

test('restores all subscriptions and reports each gap during 24 hours with a drop every few minutes, and leaves no timer', async () => {
  const random = createSeededRandom(11)
  const made = await live(manySymbols(120), { random, supervision: { resubscribeIntervalMs: 60_000 } })
  let drops = 0
  for (let minute = 0; minute < 1440; minute += 5) {
    await made.clock.advance(300_000)
    for (const current of [...made.service.sessions]) {
      current.push('snapshot', snapshot('S1', `${minute}`))
      if (random() < 0.5) continue
      current.drop('ECONNRESET')
      drops += 1
    }
  }
  await made.clock.advance(900_000)
  expect(drops).toBeGreaterThan(150)
  expect(made.quotes.confirmed()).toHaveLength(120)
  expect(made.notices('gap')).toHaveLength(drops)
  expect(new Set(made.service.sessionIds).size).toBe(made.service.sessionIds.length)
  expect(made.service.mostConnected).toBeLessThanOrEqual(5)
  await made.quotes.close()
  expect(made.clock.pendingTimers).toBe(0)
})
