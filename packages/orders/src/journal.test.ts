/** Orders through the journal, in virtual time. */
import { withoutLock } from '@brokerwire/testing/failing-store'
import { describe, expect, test } from 'vitest'
import { createOrderJournal, type JournalClient, type OrderJournalOptions } from './index.ts'
import { failure, rejection } from './test/service.ts'
import { errorOf, order, settled, setUp } from './test/set-up.ts'

const placements = ({ service }: Pick<ReturnType<typeof setUp>, 'service'>) =>
  service.requests.filter(({ operation }) => operation === 'orders.place')

describe('place()', () => {
  test('writes the entry with the exact body before it sends the order', async () => {
    const { journal, service, store } = setUp()
    const seen: string[] = []
    const spied: JournalClient = {
      ...service.http,
      request: (operation, input, options) => {
        seen.push(...[...store.entries.values()].filter((text) => text.includes('"state":"prepared"')))
        return service.http.request(operation, input, options)
      },
    }
    const entry = await createOrderJournal({ store, http: spied, accountId: 'A1' }).place(order('o1'))
    expect(entry).toMatchObject({ state: 'accepted', source: 'response', orderId: 'S-o1', accountId: 'A1' })
    expect(service.requests.map(({ body }) => body)).toEqual([entry.body])
    expect(seen).toHaveLength(1)
    expect(JSON.parse(seen[0] ?? '')).toMatchObject({ v: 1, state: 'prepared', body: entry.body })
    expect(await journal.get({ clientOrderId: 'o1' })).toEqual(entry)
  })

  test('makes an identifier of 32 hexadecimal digits', async () => {
    const { journal, service } = setUp()
    const { clientOrderId } = await journal.place(order())
    expect(clientOrderId).toMatch(/^[0-9a-f]{32}$/)
    expect(service.orders[0]?.clientOrderId).toBe(clientOrderId)
  })

  test('returns the state of the same request and sends nothing', async () => {
    const { journal, service, open } = setUp()
    const first = await journal.place(order('o1'))
    expect(await open().place(order('o1'))).toEqual(first)
    expect(service.requests).toHaveLength(1)
  })

  test('two calls at the same time send one order', async () => {
    const { clock, journal, service, open } = setUp()
    service.state.delayMs = 1000
    const calls = Promise.all([journal.place(order('o1')), open().place(order('o1'))])
    const [first, second] = await settled(clock, calls)
    expect(second).toEqual(first)
    expect(service.requests).toHaveLength(1)
  })

  test('fails for another request with the same identifier', async () => {
    const { clock, journal, service } = setUp()
    await journal.place(order('o1'))
    const error = await errorOf(clock, journal.place(order('o1', { quantity: '4' })))
    expect(error).toMatchObject({
      code: 'JOURNAL_ID_USED',
      details: { clientOrderId: 'o1', state: 'accepted' },
    })
    expect(service.requests).toHaveLength(1)
  })

  test.each([
    ['OPENAPI_ORDER_BUYING_POWER_NOT_ENOUGH', 'ORDER_BUYING_POWER_NOT_ENOUGH'],
    ['OAUTH_OPENAPI_NO_TRADING_TIME', 'NO_TRADING_TIME'],
  ])('a rejection with %s closes the entry', async (serviceCode, code) => {
    const { journal, service } = setUp()
    service.placeFaults.push(rejection(serviceCode))
    expect(await journal.place(order('o1'))).toMatchObject({
      state: 'rejected',
      reason: { code, message: 'no' },
    })
    expect(service.requests).toHaveLength(1)
  })

  test('an order that was not sent can be placed again with the same identifier', async () => {
    const { clock, journal, service } = setUp()
    service.placeFaults.push(failure('HTTP_NOT_SENT'))
    expect(await errorOf(clock, journal.place(order('o1')))).toMatchObject({ code: 'HTTP_NOT_SENT' })
    expect(await journal.get({ clientOrderId: 'o1' })).toMatchObject({
      state: 'not-sent',
      reason: { code: 'HTTP_NOT_SENT' },
    })
    expect(await journal.place(order('o1', { quantity: '4' }))).toMatchObject({ state: 'accepted' })
    expect(await journal.list()).toHaveLength(1)
  })

  test('an entry has no token', async () => {
    const { journal, store } = setUp()
    await journal.place(order('o1'), { accessToken: 'secret-token' })
    expect([...store.entries.values()].join()).not.toContain('secret-token')
  })
})

describe('after a lost response', () => {
  test('the detail shows that the order was accepted', async () => {
    const { clock, journal, service } = setUp()
    service.placeFaults.push('lost-after')
    expect(await settled(clock, journal.place(order('o1')))).toMatchObject({
      state: 'accepted',
      source: 'orders.get',
      orderStatus: 'SUBMITTED',
      looks: [{ operation: 'orders.get', result: 'found' }],
    })
  })

  test('an order that the service rejected afterwards is rejected', async () => {
    const { clock, journal, service } = setUp()
    service.placeFaults.push('lost-after')
    service.state.lagMs = 1
    const placing = settled(clock, journal.place(order('o1')))
    await clock.settle()
    for (const placed of service.orders) placed.status = 'FAILED'
    expect(await placing).toMatchObject({ state: 'rejected', reason: { code: 'FAILED' } })
  })

  test('queries that lag are repeated', async () => {
    const { clock, journal, service } = setUp()
    service.placeFaults.push('lost-after')
    service.state.lagMs = 12_000
    const entry = await settled(clock, journal.place(order('o1')))
    expect(entry).toMatchObject({ state: 'accepted', source: 'orders.get' })
    expect(entry.looks.length).toBeGreaterThan(6)
    expect(placements({ service })).toHaveLength(1)
  })

  test('an order that no query has is not found, with the time of each look', async () => {
    const { clock, journal, service } = setUp()
    service.placeFaults.push('lost-before')
    const startMs = clock.now()
    const entry = await settled(clock, journal.place(order('o1')))
    expect(entry).toMatchObject({ state: 'not-found', reason: undefined })
    const last = entry.looks.slice(-3)
    expect(last.map(({ operation, result }) => `${operation} ${result}`)).toEqual([
      'orders.get not-found',
      'orders.open not-found',
      'orders.history not-found',
    ])
    expect(last[0]?.atMs).toBe(startMs + 30_000)
    expect(placements({ service })).toHaveLength(1)
    expect(clock.pendingTimers).toBe(0)
  })

  test('an order is unknown if a query fails', async () => {
    const { clock, journal, service } = setUp()
    service.placeFaults.push('lost-before')
    service.queryFaults.push(...Array.from({ length: 100 }, () => failure('HTTP_SERVER_ERROR')))
    expect(await settled(clock, journal.place(order('o1')))).toMatchObject({
      state: 'unknown',
      reason: { code: 'LOOK_FAILED', message: 'orders.get: HTTP_SERVER_ERROR' },
    })
  })

  test.each(['HTTP_TIMEOUT', 'HTTP_SERVER_ERROR', 'HTTP_INVALID_RESPONSE', 'OPERATION_RESPONSE_INVALID'])(
    '%s counts as one',
    async (code) => {
      const { clock, journal, service } = setUp()
      service.placeFaults.push(failure(code))
      expect(await settled(clock, journal.place(order('o1')))).toMatchObject({ state: 'not-found' })
    },
  )

  test('the same identifier is not sent again while its entry is open', async () => {
    const { clock, journal, service, open } = setUp()
    const controller = new AbortController()
    service.placeFaults.push('hang')
    const placing = errorOf(clock, journal.place(order('o1'), { signal: controller.signal }))
    await clock.settle()
    controller.abort(new Error('enough'))
    expect(await placing).toMatchObject({ message: 'enough' })
    expect(await journal.get({ clientOrderId: 'o1' })).toMatchObject({
      state: 'unknown',
      reason: { code: 'ABORTED' },
    })
    expect(await settled(clock, open().place(order('o1')))).toMatchObject({ state: 'not-found' })
    expect(placements({ service })).toHaveLength(1)
  })

  test('a host that may have sent it twice does not close the entry', async () => {
    const { clock, journal, service } = setUp()
    service.placeFaults.push(
      failure('HTTP_BUSINESS_ERROR', { serviceCode: 'NO_TRADING_TIME', status: 417, sentOnce: false }),
    )
    expect(await settled(clock, journal.place(order('o1')))).toMatchObject({ state: 'not-found' })
  })
})

describe('resend: once', () => {
  const options = { resend: 'once' } as const

  test('sends the same bytes once', async () => {
    const { clock, journal, service } = setUp(options)
    service.placeFaults.push('lost-before')
    const entry = await settled(clock, journal.place(order('o1')))
    expect(entry).toMatchObject({ state: 'accepted', source: 'response', resentAtMs: clock.now() })
    const bodies = placements({ service }).map(({ body }) => body)
    expect(bodies).toEqual([entry.body, entry.body])
    expect(service.orders).toHaveLength(1)
  })

  test('a repeated identifier means that the first one was accepted', async () => {
    const { clock, journal, service } = setUp(options)
    service.placeFaults.push('lost-after')
    service.state.lagMs = 60_000
    const entry = await settled(clock, journal.place(order('o1')))
    expect(entry).toMatchObject({ state: 'accepted', source: 'repeated-id' })
    expect(service.orders).toHaveLength(1)
  })

  test('does not send an order that the detail shows', async () => {
    const { clock, journal, service } = setUp(options)
    service.placeFaults.push('lost-after')
    await settled(clock, journal.place(order('o1')))
    expect(placements({ service })).toHaveLength(1)
  })

  test('another rejection of the second sending does not show the outcome of the first', async () => {
    const { clock, journal, service } = setUp(options)
    service.placeFaults.push('lost-after', rejection('NO_TRADING_TIME'))
    service.state.lagMs = 3000
    const entry = await settled(clock, journal.place(order('o1')))
    expect(entry).toMatchObject({ state: 'accepted', source: 'orders.get' })
  })

  test('does not send again after ten seconds', async () => {
    const { clock, journal, service } = setUp(options)
    service.state.delayMs = 10_001
    service.placeFaults.push('lost-before')
    expect(await settled(clock, journal.place(order('o1')))).toMatchObject({ state: 'not-found' })
    expect(placements({ service })).toHaveLength(1)
  })

  test.each([-1, 3_600_000])('does not send again if the clock jumps by %i ms', async (jumpMs) => {
    const { clock, journal, service } = setUp(options)
    service.state.delayMs = 500
    service.placeFaults.push('lost-before')
    const placing = journal.place(order('o1'))
    await clock.settle()
    clock.jumpTo(clock.now() + jumpMs - 500)
    await settled(clock, placing)
    expect(placements({ service })).toHaveLength(1)
  })

  test('the rate limit that the second sending waits for counts', async () => {
    const { clock, service, open } = setUp(options)
    service.placeFaults.push('lost-before')
    const { request } = service.http
    let sendings = 0
    const limited: JournalClient = {
      ...service.http,
      async request(operation, input, given) {
        if (operation.name === 'orders.place') {
          sendings += 1
          if (sendings === 2) clock.jumpTo(clock.now() + 11_000)
        }
        return await request(operation, input, given)
      },
    }
    await settled(clock, open({ http: limited }).place(order('o1')))
    expect(placements({ service })).toHaveLength(1)
  })

  test('recover() never sends', async () => {
    const { clock, journal, service, open } = setUp(options)
    const controller = new AbortController()
    service.placeFaults.push('hang')
    const placing = errorOf(clock, journal.place(order('o1'), { signal: controller.signal }))
    await clock.settle()
    controller.abort()
    await placing
    const { entries } = await settled(clock, open().recover({ waitMs: 30_000 }))
    expect(entries).toMatchObject([{ state: 'not-found' }])
    expect(placements({ service })).toHaveLength(1)
  })
})

describe('nothing is sent', () => {
  const sendsNothing = async (
    code: string,
    change: (parts: ReturnType<typeof setUp>) => Partial<OrderJournalOptions> | undefined,
    options: Partial<OrderJournalOptions> = {},
    more: object = {},
  ) => {
    const parts = setUp(options)
    const journal = parts.open(change(parts) ?? {})
    const error = await errorOf(parts.clock, journal.place(order('o1', more)))
    expect(error).toMatchObject({ code })
    expect(parts.service.requests).toEqual([])
    return { ...parts, error }
  }

  test.each([0, 1, 2])('if write %i of the store fails', async (index) => {
    await sendsNothing('JOURNAL_STORE_FAILED', ({ store }) => {
      let writes = 0
      return {
        store: {
          ...store,
          compareAndSet(...given: Parameters<typeof store.compareAndSet>) {
            writes += 1
            if (writes === index + 1) throw new Error('full')
            return store.compareAndSet(...given)
          },
        },
      }
    })
  })

  test('if reading the store fails, and the message of the store is not shown', async () => {
    const { error } = await sendsNothing('JOURNAL_STORE_FAILED', ({ store }) => {
      store.failures.push('get')
      return undefined
    })
    expect(error).toMatchObject({ details: { operation: 'get', errorCode: 'ENOSPC', mayBeSent: true } })
    expect(String(error)).not.toContain('secret-in-message')
  })

  test('if the store does not respond', async () => {
    await sendsNothing('JOURNAL_STORE_FAILED', ({ store }) => ({
      store: { ...store, get: () => new Promise<never>(() => {}) },
    }))
  })

  test('if the entry is too large', async () => {
    const { error } = await sendsNothing(
      'JOURNAL_ENTRY_TOO_LARGE',
      () => ({ maxEntryBytes: 16_384 }),
      {},
      { extraFields: { note: 'x'.repeat(8000) } },
    )
    expect(error).toMatchObject({ details: { maxEntryBytes: 16_384 } })
  })

  test('if the journal is full of open entries', async () => {
    const { clock, service, open } = setUp({ maxEntries: 2 })
    service.placeFaults.push('lost-before', 'lost-before')
    service.queryFaults.push(...Array.from({ length: 1000 }, () => failure('HTTP_TIMEOUT')))
    for (const id of ['a', 'b'])
      expect(await settled(clock, open().place(order(id)))).toMatchObject({ state: 'unknown' })
    const sent = placements({ service }).length
    const error = await errorOf(clock, open().place(order('c')))
    expect(error).toMatchObject({ code: 'JOURNAL_FULL', details: { maxEntries: 2 } })
    expect(placements({ service })).toHaveLength(sent)
    expect((await open().list()).map(({ clientOrderId }) => clientOrderId)).toEqual(['a', 'b'])
  })

  test('if the journal is full of entries that were just closed, even with the identifier of one of them', async () => {
    const { clock, journal, service } = setUp({ maxEntries: 2 })
    for (const id of ['a', 'b']) await settled(clock, journal.place(order(id)))
    await clock.advance(3_599_999)
    expect(await errorOf(clock, journal.place(order('c')))).toMatchObject({
      code: 'JOURNAL_FULL',
      details: { maxEntries: 2, minRetentionMs: 3_600_000 },
    })
    expect(await settled(clock, journal.place(order('a')))).toMatchObject({ state: 'accepted' })
    expect(placements({ service })).toHaveLength(2)
  })

  test('if a record has a newer version', async () => {
    const { clock, journal, store, service } = setUp()
    await journal.place(order('o1'))
    for (const [key, text] of store.entries) store.entries.set(key, text.replace('"v":1', '"v":2'))
    const calls = [() => journal.place(order('o1')), () => journal.place(order('o2')), () => journal.list()]
    for (const call of calls)
      expect(await errorOf(clock, call())).toMatchObject({
        code: 'JOURNAL_RECORD_INVALID',
        details: { reason: 'newer-format' },
      })
    expect(service.requests).toHaveLength(1)
  })

  test.each([-1, 120_001])('if the clock jumps by %i ms before the order is sent', async (jumpMs) => {
    const { clock } = await sendsNothing('JOURNAL_CLOCK_JUMPED', ({ service, clock: virtual }) => ({
      http: {
        ...service.http,
        request(operation, input, given) {
          virtual.jumpTo(virtual.now() + jumpMs)
          return service.http.request(operation, input, given)
        },
      },
    }))
    expect(clock.pendingTimers).toBe(0)
  })

  test('if the lease is lost', async () => {
    const { journal, error } = await sendsNothing('JOURNAL_LEASE_LOST', ({ store }) => ({
      store: {
        ...store,
        lock: async () => ({ lost: AbortSignal.abort(), release: async () => {} }),
      },
    }))
    expect(error).toMatchObject({ retryable: true, details: { clientOrderId: 'o1' } })
    expect(await journal.get({ clientOrderId: 'o1' })).toMatchObject({ state: 'not-sent' })
  })

  test('if another process closed the entry meanwhile', async () => {
    await sendsNothing('JOURNAL_LEASE_LOST', ({ store, service, open }) => ({
      store: { ...store, lock: async () => ({ release: async () => {} }) },
      http: {
        ...service.http,
        async request(operation, input, given) {
          expect(await open({ store: withoutLock(store) }).recover()).toMatchObject({
            entries: [{ state: 'not-sent', reason: { code: 'NEVER_SENT' } }],
          })
          return await service.http.request(operation, input, given)
        },
      },
    }))
  })

  test('if the journal is closed', async () => {
    const { clock, journal, service } = setUp()
    await journal.close()
    for (const call of [() => journal.place(order('o1')), () => journal.recover(), () => journal.list()])
      expect(await errorOf(clock, call())).toMatchObject({ code: 'JOURNAL_CLOSED' })
    expect(service.requests).toEqual([])
  })

  test('if the journal is closed before the client sends the order', async () => {
    const { clock, service, open } = setUp()
    const http: JournalClient = {
      ...service.http,
      request(operation, input, given) {
        journal.close()
        return service.http.request(operation, input, given)
      },
    }
    const journal = open({ http })
    expect(await errorOf(clock, journal.place(order('o1')))).toMatchObject({ code: 'JOURNAL_CLOSED' })
    expect(service.requests).toEqual([])
  })

  test.each([
    ['an unknown field', { quantitty: '3' }, 'OPERATION_INPUT_INVALID'],
    ['an identifier that is too long', { clientOrderId: 'x'.repeat(33) }, 'OPERATION_INPUT_INVALID'],
    ['an identifier with other characters', { clientOrderId: 'a b' }, 'OPERATION_INPUT_INVALID'],
    ['a value that is not plain JSON', { extraFields: { at: new Date() } }, 'JOURNAL_OPTION_INVALID'],
  ])('for %s', async (_name, more, code) => {
    const { clock, journal, service, store } = setUp()
    expect(await errorOf(clock, journal.place(order('o1', more)))).toMatchObject({ code })
    expect(service.requests).toEqual([])
    expect(store.entries.size).toBe(0)
  })
})

describe('a store that fails after the order was sent', () => {
  test('the error has the outcome, and recover() records it', async () => {
    const { clock, journal, service, store, open } = setUp()
    const failing: JournalClient = {
      ...service.http,
      async request(operation, input, given) {
        const response = await service.http.request(operation, input, given)
        store.failures.push('get', 'get', 'get')
        return response
      },
    }
    const error = await errorOf(clock, open({ http: failing }).place(order('o1')))
    expect(error).toMatchObject({
      code: 'JOURNAL_STORE_FAILED',
      details: { mayBeSent: true, state: 'accepted' },
    })
    expect(await journal.get({ clientOrderId: 'o1' })).toMatchObject({ state: 'sent' })
    const { entries } = await settled(clock, journal.recover())
    expect(entries).toMatchObject([{ state: 'accepted', source: 'orders.get' }])
  })

  test('a failure that ends is not noticed', async () => {
    const { clock, service, store, open } = setUp()
    const failing: JournalClient = {
      ...service.http,
      async request(operation, input, given) {
        const response = await service.http.request(operation, input, given)
        store.failures.push('compareAndSet', 'compareAndSet')
        return response
      },
    }
    const entry = await settled(clock, open({ http: failing }).place(order('o1')))
    expect(entry).toMatchObject({ state: 'accepted', source: 'response' })
  })
})

describe('recover()', () => {
  test('skips an entry that a process works on', async () => {
    const { clock, journal, service, open } = setUp()
    service.state.delayMs = 60_000
    const placing = journal.place(order('o1'))
    await clock.settle()
    const { entries, skipped } = await settled(clock, open().recover())
    expect({ entries, skipped }).toEqual({
      entries: [],
      skipped: [{ accountId: 'A1', clientOrderId: 'o1', reason: 'in-use' }],
    })
    expect(await settled(clock, placing)).toMatchObject({ state: 'accepted' })
  })

  test('an order that queries do not show yet is unknown, and accepted later', async () => {
    const { clock, journal, service, open } = setUp()
    service.state.lagMs = 5000
    service.placeFaults.push('lost-after')
    const controller = new AbortController()
    const placing = errorOf(clock, journal.place(order('o1'), { signal: controller.signal }))
    await clock.settle()
    controller.abort()
    await placing
    expect((await settled(clock, open().recover())).entries).toMatchObject([
      { state: 'unknown', reason: { code: 'QUERIES_MAY_LAG' } },
    ])
    expect((await settled(clock, open().recover({ waitMs: 6000 }))).entries).toMatchObject([
      { state: 'accepted' },
    ])
    expect((await settled(clock, open().recover())).entries).toEqual([])
  })

  test('a clock that went back leaves the entry unknown', async () => {
    const { clock, journal, service, open } = setUp({ settleMs: 0 })
    service.placeFaults.push('hang')
    const controller = new AbortController()
    const placing = errorOf(clock, journal.place(order('o1'), { signal: controller.signal }))
    await clock.settle()
    controller.abort()
    await placing
    clock.jumpTo(clock.now() - 60_000)
    expect((await settled(clock, open().recover())).entries).toMatchObject([
      { state: 'unknown', reason: { code: 'CLOCK_JUMPED' } },
    ])
  })

  test('an item of the index without an entry gets one, which a slow process cannot replace', async () => {
    const { clock, store, service, open } = setUp()
    let isSlow = true
    const slow = {
      ...store,
      lock: async () => ({ release: async () => {} }),
      async compareAndSet(...given: Parameters<typeof store.compareAndSet>) {
        if (isSlow && given[0].startsWith('order-entry')) {
          isSlow = false
          expect((await open().recover()).entries).toMatchObject([{ state: 'not-sent', body: '' }])
        }
        return await store.compareAndSet(...given)
      },
    }
    expect(await errorOf(clock, open({ store: slow }).place(order('o1')))).toMatchObject({
      code: 'JOURNAL_LEASE_LOST',
    })
    expect(service.requests).toEqual([])
    expect(await settled(clock, open().place(order('o1')))).toMatchObject({ state: 'accepted' })
  })

  test('a damaged entry is skipped, and the others are resolved', async () => {
    const { clock, journal, service, store, open } = setUp()
    service.placeFaults.push('lost-before', 'lost-before')
    service.queryFaults.push(...Array.from({ length: 400 }, () => failure('HTTP_TIMEOUT')))
    await settled(clock, journal.place(order('a')))
    await settled(clock, journal.place(order('b')))
    service.queryFaults.length = 0
    const key = [...store.entries.keys()].find((each) => each.endsWith('/a')) ?? ''
    store.entries.set(key, '{"v":1}')
    const { entries, skipped } = await settled(clock, open().recover())
    expect(entries).toMatchObject([{ clientOrderId: 'b', state: 'not-found' }])
    expect(skipped).toMatchObject([{ clientOrderId: 'a', reason: 'JOURNAL_RECORD_INVALID' }])
  })

  test('works with leases in a store without locks', async () => {
    const { clock, store, service, open } = setUp()
    const leased = { store: withoutLock(store) }
    service.placeFaults.push('lost-after')
    expect(await settled(clock, open(leased).place(order('o1')))).toMatchObject({ state: 'accepted' })
    expect([...store.entries.keys()].some((key) => key.endsWith('/lease'))).toBe(false)
  })
})

describe('retention', () => {
  test('recover() deletes closed entries after their retention', async () => {
    const { clock, journal } = setUp({ retentionMs: 1000 })
    await journal.place(order('a'))
    await clock.advance(1001)
    await journal.place(order('b'))
    await settled(clock, journal.recover())
    expect((await journal.list()).map(({ clientOrderId }) => clientOrderId)).toEqual(['b'])
    expect(await journal.get({ clientOrderId: 'a' })).toBeUndefined()
  })

  test('an entry that could not be deleted entirely is not reported as an order that was not sent', async () => {
    const { clock, journal, store } = setUp({ retentionMs: 1000 })
    await journal.place(order('a'))
    await clock.advance(1001)
    const { compareAndSet } = store
    let writes = 0
    store.compareAndSet = async (...given) => {
      writes += 1
      if (writes === 2) throw new Error('the process was killed')
      return await compareAndSet(...given)
    }
    expect(await errorOf(clock, journal.recover())).toMatchObject({ code: 'JOURNAL_STORE_FAILED' })
    store.compareAndSet = compareAndSet
    expect((await settled(clock, journal.recover())).entries).toEqual([])
  })

  test('an entry that another process deletes during recover() is not reported as an order that was not sent', async () => {
    const { clock, journal, store, open } = setUp({ retentionMs: 1000 })
    await journal.place(order('a'))
    await clock.advance(1001)
    // This process keeps the entry longer than the other one.
    const { get } = store
    let isFirst = true
    store.get = async (key) => {
      if (isFirst && key.startsWith('order-entry')) {
        isFirst = false
        await open().recover()
      }
      return await get(key)
    }
    const recovery = await settled(clock, open({ retentionMs: 60_000 }).recover())
    expect(recovery).toEqual({ entries: [], skipped: [] })
    expect(await journal.get({ clientOrderId: 'a' })).toBeUndefined()
  })

  test('a full journal deletes its oldest closed entry, and no open one', async () => {
    const { clock, journal, service } = setUp({ maxEntries: 3 })
    service.placeFaults.push('lost-before')
    service.queryFaults.push(...Array.from({ length: 100 }, () => failure('HTTP_TIMEOUT')))
    await settled(clock, journal.place(order('open')))
    service.queryFaults.length = 0
    for (const id of ['b', 'c']) await settled(clock, journal.place(order(id)))
    await clock.advance(3_600_001)
    await settled(clock, journal.place(order('d')))
    expect((await journal.list()).map(({ clientOrderId }) => clientOrderId)).toEqual(['open', 'c', 'd'])
  })

  test('a full journal deletes entries of orders that were not sent at any age', async () => {
    const { clock, journal, service } = setUp({ maxEntries: 2 })
    await settled(clock, journal.place(order('a')))
    service.placeFaults.push(failure('HTTP_NOT_SENT'))
    await errorOf(clock, journal.place(order('b')))
    await settled(clock, journal.place(order('c')))
    expect((await journal.list()).map(({ clientOrderId }) => clientOrderId)).toEqual(['a', 'c'])
  })

  test.each<[name: string, options: Partial<OrderJournalOptions>]>([
    ['a shorter minRetentionMs', { minRetentionMs: 1000 }],
    ['a shorter retentionMs', { retentionMs: 1000 }],
  ])('%s lets a full journal delete entries earlier', async (_name, options) => {
    const { clock, journal } = setUp({ maxEntries: 1, ...options })
    await settled(clock, journal.place(order('a')))
    await clock.advance(1001)
    await settled(clock, journal.place(order('b')))
    expect((await journal.list()).map(({ clientOrderId }) => clientOrderId)).toEqual(['b'])
  })
})

describe('accounts', () => {
  test('a journal of one account sees no entry of another', async () => {
    const { clock, journal, open } = setUp()
    const all = open({ accountId: undefined })
    await all.place({ ...order('o1'), accountId: 'A2' })
    await journal.place(order('o1'))
    expect((await all.list()).map(({ accountId }) => accountId)).toEqual(['A2', 'A1'])
    expect((await journal.list()).map(({ accountId }) => accountId)).toEqual(['A1'])
    expect(await errorOf(clock, journal.place({ ...order('o2'), accountId: 'A2' }))).toMatchObject({
      code: 'JOURNAL_OPTION_INVALID',
      details: { option: 'order.accountId' },
    })
    expect(await errorOf(clock, all.get({ clientOrderId: 'o1' }))).toMatchObject({
      code: 'JOURNAL_OPTION_INVALID',
    })
  })
})

test('a client that does not await beforeAttempt is reported', async () => {
  const { clock, service, open } = setUp()
  const wrong: JournalClient = {
    ...service.http,
    request: (operation, input, given) =>
      service.http.request(operation, input, { ...given, beforeAttempt: undefined }),
  }
  const journal = open({ http: wrong })
  expect(await errorOf(clock, journal.place(order('o1')))).toMatchObject({
    code: 'JOURNAL_OPTION_INVALID',
    details: { option: 'http' },
  })
  // The order was placed, so the entry must not allow a second one.
  expect(await journal.get({ accountId: 'A1', clientOrderId: 'o1' })).toMatchObject({ state: 'unknown' })
})

describe('options', () => {
  test.each([
    ['store', { store: undefined }],
    ['http', { http: undefined }],
    ['http.origin', { http: { request: () => {}, origin: 'nowhere' } }],
    ['resend', { resend: 'twice' }],
    ['settleMs', { settleMs: -1 }],
    ['maxEntries', { maxEntries: 0 }],
    ['minRetentionMs', { minRetentionMs: -1 }],
    ['maxentries', { maxentries: 5 }],
  ])('%s is checked', (option, change) => {
    const { open } = setUp()
    expect(() => open(change as never)).toThrow(
      expect.objectContaining({
        code: 'JOURNAL_OPTION_INVALID',
        details: expect.objectContaining({ option }),
      }),
    )
  })
})
