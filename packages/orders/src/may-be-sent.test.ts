/** Orders that may have been sent when a store, a clock or a lease fails: the errors of the journal, and its entries. */
import { sleep } from '@brokerwire/core/internal'
import { type FailingStore, withoutLock } from '@brokerwire/testing/failing-store'
import { describe, expect, test } from 'vitest'
import type { JournalClient, OrderJournalOptions } from './index.ts'
import { failure, rejection } from './test/service.ts'
import { errorOf, order, settled, setUp } from './test/set-up.ts'

/** Returns the client with a function that is called when a request of the operation begins, or has its response. */
function watched(
  http: JournalClient,
  operation: string,
  { onBegin = () => {}, onResponse = () => {} }: { onBegin?: () => unknown; onResponse?: () => unknown },
): JournalClient {
  return {
    ...http,
    async request(given, input, options) {
      if (given.name !== operation) return await http.request(given, input, options)
      await onBegin()
      const response = await http.request(given, input, options)
      await onResponse()
      return response
    },
  }
}

/** Returns the store with a function that is called when an entry was written in the state `sent`. */
const afterMarking = (store: FailingStore, onMarked: () => void): FailingStore => ({
  ...store,
  async compareAndSet(key, expected, next) {
    const isWritten = await store.compareAndSet(key, expected, next)
    if (next?.includes('"state":"sent"')) onMarked()
    return isWritten
  },
})

/** An entry whose outcome is unknown, because its call was aborted while the order was sent. */
async function setUpUnknown(options: Partial<OrderJournalOptions> = {}) {
  const parts = setUp(options)
  const { clock, journal, service } = parts
  service.placeFaults.push('hang')
  const controller = new AbortController()
  const placing = errorOf(clock, journal.place(order('o1'), { signal: controller.signal }))
  await clock.settle()
  controller.abort(new Error('enough'))
  await placing
  return parts
}

const maySent = (code: string) => ({ code, details: { mayBeSent: true, state: undefined } })

describe('an earlier call may have sent the order', () => {
  test('if the store fails while the open entry is resolved', async () => {
    const { clock, store, service, open } = await setUpUnknown()
    const http = watched(service.http, 'orders.get', { onBegin: () => store.failures.push('get') })
    const error = await errorOf(clock, open({ http }).place(order('o1')))
    expect(error).toMatchObject(maySent('JOURNAL_STORE_FAILED'))
    expect(String(error)).toContain('The order may have been sent')
  })

  test('if the entry cannot be read', async () => {
    const { clock, store, journal } = await setUpUnknown()
    store.failures.push('get')
    expect(await errorOf(clock, journal.place(order('o1')))).toMatchObject(maySent('JOURNAL_STORE_FAILED'))
    const [key = ''] = [...store.entries.keys()].filter((each) => each.endsWith('/o1'))
    store.entries.set(key, '{"v":1}')
    expect(await errorOf(clock, journal.place(order('o1')))).toMatchObject(maySent('JOURNAL_RECORD_INVALID'))
  })

  test('if the entry cannot be locked', async () => {
    const { clock, store, open } = await setUpUnknown()
    const lock = () => Promise.reject(new Error('no connection'))
    const error = await errorOf(clock, open({ store: { ...store, lock } }).place(order('o1')))
    expect(error).toMatchObject({
      ...maySent('JOURNAL_STORE_FAILED'),
      message: expect.stringContaining('locking'),
    })
  })

  test('but not with an identifier that the journal makes, which the error has', async () => {
    const { clock, store, journal } = setUp()
    store.failures.push('get')
    expect(await errorOf(clock, journal.place(order()))).toMatchObject({
      details: { mayBeSent: false, clientOrderId: expect.stringMatching(/^[0-9a-f]{32}$/) },
    })
  })

  test('if createId of the caller may have returned the identifier before', async () => {
    const { clock, store, open } = setUp()
    store.failures.push('get')
    const error = await errorOf(clock, open({ createId: () => 'o1' }).place(order()))
    expect(error).toMatchObject({ details: { mayBeSent: true, clientOrderId: 'o1' } })
  })

  test.each([
    ['accepted', true, 'That order may exist; read it with get()'],
    ['rejected', false, 'Use a new id only for another order'],
  ])('if the identifier is of another order that is %s: %s', async (state, mayBeSent, message) => {
    const { clock, service, journal } = setUp()
    if (state === 'rejected') service.placeFaults.push(rejection('NO_TRADING_TIME'))
    expect(await journal.place(order('o1'))).toMatchObject({ state })
    expect(await errorOf(clock, journal.place(order('o1', { quantity: '4' })))).toMatchObject({
      code: 'JOURNAL_ID_USED',
      message: expect.stringContaining(message),
      details: { clientOrderId: 'o1', state, mayBeSent },
    })
  })

  test.each([
    ['o1', true],
    [undefined, false],
  ])('if another process took over the entry of the order %s: %s', async (id, mayBeSent) => {
    const { clock, store, service, open } = setUp()
    const lock = async () => ({ lost: AbortSignal.abort(), release: async () => {} })
    expect(await errorOf(clock, open({ store: { ...store, lock } }).place(order(id)))).toMatchObject({
      code: 'JOURNAL_LEASE_LOST',
      message: expect.stringContaining('This call sent nothing'),
      details: { mayBeSent },
    })
    expect(service.requests).toEqual([])
  })

  test('if the clock jumped, because another process may have taken over the entry', async () => {
    const { clock, store, open } = setUp()
    const journal = open({ store: afterMarking(store, () => clock.jumpTo(clock.now() + 10_001)) })
    expect(await errorOf(clock, journal.place(order('o1')))).toMatchObject({
      code: 'JOURNAL_CLOCK_JUMPED',
      details: { mayBeSent: true, clientOrderId: 'o1' },
    })
  })

  test('if the journal is closed, and the error has the identifier', async () => {
    const { clock, service, journal } = setUp()
    service.placeFaults.push('lost-before')
    const placing = errorOf(clock, journal.place(order()))
    await clock.settle()
    void journal.close()
    const error = await placing
    const [{ client_order_id: entry }] = JSON.parse(service.requests[0]?.body ?? '').new_orders
    expect(error).toMatchObject({ code: 'JOURNAL_CLOSED', details: { clientOrderId: entry } })
  })
})

describe('an entry that another program changes while its order is sent', () => {
  const changes = {
    deleted: (store: FailingStore) => store.entries.clear(),
    damaged(store: FailingStore) {
      for (const key of store.entries.keys()) store.entries.set(key, '{"v":1}')
    },
    'of a newer version'(store: FailingStore) {
      for (const [key, text] of store.entries) store.entries.set(key, text.replace('"v":1', '"v":2'))
    },
  }
  test.each([
    ['deleted', { reason: 'deleted', field: undefined }],
    ['damaged', { reason: 'malformed', field: 'accountId' }],
    ['of a newer version', { reason: 'newer-format' }],
  ] as const)('%s: the error has the outcome', async (name, details) => {
    const { clock, store, service, open } = setUp()
    const http = watched(service.http, 'orders.place', { onResponse: () => changes[name](store) })
    const error = await errorOf(clock, open({ http }).place(order('o1')))
    expect(error).toMatchObject({
      code: 'JOURNAL_RECORD_INVALID',
      message: expect.stringContaining('The order was sent, and its outcome is "accepted"'),
      details: { record: 'entry', mayBeSent: true, state: 'accepted', ...details },
    })
    expect(service.orders).toHaveLength(1)
  })
})

describe('after the entry was marked as sent, nothing is sent', () => {
  test.each([-1, 10_001])('if the clock moves by %i ms during the write', async (byMs) => {
    const { clock, store, service, open } = setUp()
    const suspended = afterMarking(store, () => clock.jumpTo(clock.now() + byMs))
    const journal = open({ store: suspended })
    expect(await errorOf(clock, journal.place(order('o1')))).toMatchObject({
      code: 'JOURNAL_CLOCK_JUMPED',
      retryable: true,
    })
    expect(service.requests).toEqual([])
    expect(await journal.get({ clientOrderId: 'o1' })).toMatchObject({ state: 'not-sent' })
    expect(clock.pendingTimers).toBe(0)
  })

  test('if the lease is lost during the write', async () => {
    const { clock, store, service, open } = setUp()
    const lost = new AbortController()
    const lock = async () => ({ lost: lost.signal, release: async () => {} })
    const journal = open({ store: { ...afterMarking(store, () => lost.abort()), lock } })
    expect(await errorOf(clock, journal.place(order('o1')))).toMatchObject({ code: 'JOURNAL_LEASE_LOST' })
    expect(service.requests).toEqual([])
  })

  test('if another process works on the entry after the write, and the loss of the lease is not known yet', async () => {
    const { clock, store, service, open } = setUp()
    let isFirst = true
    const taken: FailingStore = {
      ...store,
      async compareAndSet(key, expected, next) {
        const isWritten = await store.compareAndSet(key, expected, next)
        if (isFirst && next?.includes('"state":"sent"')) {
          isFirst = false
          await open({ store: withoutLock(store) }).recover()
        }
        return isWritten
      },
    }
    const journal = open({ store: { ...taken, lock: async () => ({ release: async () => {} }) } })
    expect(await errorOf(clock, journal.place(order('o1')))).toMatchObject({ code: 'JOURNAL_LEASE_LOST' })
    expect(service.requests.map(({ operation }) => operation)).not.toContain('orders.place')
    expect(await journal.get({ clientOrderId: 'o1' })).toMatchObject({ state: 'unknown' })
  })

  test('if the journal is closed during the write', async () => {
    const { clock, store, service, open } = setUp()
    const journal = open({ store: afterMarking(store, () => void journal.close()) })
    expect(await errorOf(clock, journal.place(order('o1')))).toMatchObject({ code: 'JOURNAL_CLOSED' })
    expect(service.requests).toEqual([])
  })
})

describe('a client that sends the order again', () => {
  const clockRejected = (sentOnce: boolean) =>
    failure('HTTP_UNAUTHORIZED', { serviceCode: 'ILLEGAL_TIMESTAMP', status: 401, sentOnce })

  /** Places an order with a client that retries after this error. Returns the entry, and the number of attempts. */
  async function place(lastError: unknown) {
    const { clock, service, open } = setUp()
    let attempts = 0
    const http: JournalClient = {
      ...service.http,
      async request(operation, input, options) {
        if (operation.name !== 'orders.place') return await service.http.request(operation, input, options)
        await options?.beforeAttempt?.({ signal: undefined })
        attempts += 1
        await options?.beforeAttempt?.({ signal: undefined, lastError })
        attempts += 1
        return await service.http.request(operation, input, { ...options, beforeAttempt: undefined })
      },
    }
    const entry = await settled(clock, open({ http }).place(order('o1')))
    return { entry, attempts }
  }

  test.each([failure('HTTP_NOT_SENT'), failure('HTTP_RATE_LIMITED', { status: 429 }), clockRejected(true)])(
    'may do so after %s',
    async (lastError) => {
      expect(await place(lastError)).toMatchObject({ attempts: 2, entry: { state: 'accepted' } })
    },
  )

  test.each([failure('HTTP_TIMEOUT'), clockRejected(false), undefined])(
    'must not do so after %s, and its entry is resolved by reading',
    async (lastError) => {
      expect(await place(lastError)).toMatchObject({ attempts: 1, entry: { state: 'not-found' } })
    },
  )
})

test.each([
  [34_999, 'unknown'],
  [35_000, 'not-found'],
])(
  'the order of a killed process that never arrived, if recover() waits %i ms, is %s',
  async (waitMs, state) => {
    const { clock, store, service, open } = setUp()
    service.placeFaults.push('hang')
    const lock = async () => ({ release: async () => {} })
    void open({ store: { ...store, lock } }).place(order('o1'), { signal: new AbortController().signal })
    await clock.settle()
    const { entries } = await settled(clock, open().recover({ waitMs }))
    expect(entries).toMatchObject([{ state }])
  },
)

test('an order in flight whose lease is lost is not reported as not-found while it may still arrive', async () => {
  const { clock, store, service, open } = setUp({ timeoutMs: 60_000 })
  const lost = new AbortController()
  const slow: JournalClient = {
    ...service.http,
    async request(operation, input, options) {
      await options?.beforeAttempt?.({ signal: undefined })
      await sleep(clock, 50_000)
      return await service.http.request(operation, input, { ...options, beforeAttempt: undefined })
    },
  }
  const lock = async () => ({ lost: lost.signal, release: async () => {} })
  const placing = open({ store: { ...store, lock }, http: slow }).place(order('o1'))
  await clock.settle()
  lost.abort()
  // The first look is at 0 s, the last one at 45 s. The order arrives at 50 s.
  const { entries } = await settled(clock, open().recover({ waitMs: 45_000 }))
  expect(entries).toMatchObject([{ state: 'unknown', reason: { code: 'QUERIES_MAY_LAG' } }])
  expect(await settled(clock, placing)).toMatchObject({ state: 'accepted' })
})

describe('recover() while the process of the order is only slow', () => {
  /** Places an order whose mark is written directly before or after `recover()` closes its entry. */
  async function placeSlowly(landing: 'before the write' | 'after the write') {
    const parts = setUp()
    const { clock, store, service, open } = parts
    service.state.delayMs = 1000
    let mark = (): void => {}
    const marking = new Promise<void>((resolve) => {
      mark = resolve
    })
    const lock = async () => ({ release: async () => {} })
    const slow: FailingStore = {
      ...store,
      async compareAndSet(key, expected, next) {
        if (next?.includes('"state":"sent"')) await marking
        return await store.compareAndSet(key, expected, next)
      },
    }
    const placing = open({ store: { ...slow, lock } }).place(order('o1'))
    placing.catch(() => {})
    await clock.settle()
    let isFirst = true
    const recovering = open({
      store: {
        ...store,
        lock,
        async compareAndSet(key, expected, next) {
          if (!isFirst || !next?.includes('"state":"not-sent"'))
            return await store.compareAndSet(key, expected, next)
          isFirst = false
          if (landing === 'before the write') {
            mark()
            await clock.settle()
          }
          return await store.compareAndSet(key, expected, next)
        },
      },
    }).recover()
    const { entries } = await settled(clock, recovering)
    mark()
    return { clock, service, placing, entries, open }
  }

  test('an order whose entry was marked between the read and the write is not reported as not-sent', async () => {
    const { clock, service, placing, entries, open } = await placeSlowly('before the write')
    expect(entries).toMatchObject([{ state: 'accepted' }])
    expect(await settled(clock, placing)).toMatchObject({ state: 'accepted' })
    expect(await settled(clock, open().place(order('o1')))).toMatchObject({ state: 'accepted' })
    expect(service.orders).toHaveLength(1)
  })

  test('an order whose entry was closed before the mark is not sent', async () => {
    const { clock, service, placing, entries } = await placeSlowly('after the write')
    expect(entries).toMatchObject([{ state: 'not-sent' }])
    expect(await errorOf(clock, placing)).toMatchObject({ code: 'JOURNAL_LEASE_LOST' })
    expect(service.orders).toEqual([])
  })

  test('an entry whose lease is lost between the read and the write is skipped', async () => {
    const { clock, store, service, open } = setUp()
    const lost = new AbortController()
    const held = new Promise<never>(() => {})
    const http: JournalClient = { ...service.http, request: () => held }
    void open({ store: { ...store, lock: async () => ({ release: async () => {} }) }, http }).place(
      order('o1'),
    )
    await clock.settle()
    const losing: FailingStore = {
      ...store,
      async get(key) {
        const text = await store.get(key)
        if (text?.includes('"state":"prepared"')) lost.abort()
        return text
      },
    }
    const lock = async () => ({ lost: lost.signal, release: async () => {} })
    expect(await settled(clock, open({ store: { ...losing, lock } }).recover())).toEqual({
      entries: [],
      skipped: [{ accountId: 'A1', clientOrderId: 'o1', reason: 'in-use' }],
    })
  })
})

describe('a response with a successful status', () => {
  /** Places an order with a client that changes what the service returned. */
  async function place(change: object) {
    const { clock, service, open } = setUp()
    const http: JournalClient = {
      ...service.http,
      async request(operation, input, options) {
        const response = await service.http.request(operation, input, options)
        if (operation.name === 'orders.place') Object.assign(response.data as object, change)
        return response
      },
    }
    return await settled(clock, open({ http }).place(order('o1')))
  }

  test.each([
    ['has no identifier of the order', { orderId: undefined }],
    ['has an empty identifier', { orderId: '' }],
    ['is of another order', { clientOrderId: 'o2' }],
  ])('that %s counts as lost', async (_name, change) => {
    expect(await place(change)).toMatchObject({ state: 'accepted', source: 'orders.get' })
  })

  test('that has only the identifier of the group is accepted', async () => {
    const change = { clientOrderId: undefined, orderId: undefined, comboOrderId: 'G1' }
    expect(await place(change)).toMatchObject({ state: 'accepted', source: 'response', orderId: 'G1' })
  })
})

test('an order that failed after a partial fill is accepted', async () => {
  const { clock, service, open } = setUp()
  service.placeFaults.push('lost-after')
  const http: JournalClient = {
    ...service.http,
    async request(operation, input, options) {
      const response = await service.http.request(operation, input, options)
      const { orders = [] } = response.data as { orders?: object[] }
      for (const each of orders) Object.assign(each, { status: 'FAILED', filledQuantity: '1' })
      return response
    },
  }
  expect(await settled(clock, open({ http }).place(order('o1')))).toMatchObject({
    state: 'accepted',
    orderStatus: 'FAILED',
  })
})

describe('a client that ignores beforeAttempt', () => {
  test.each(['lost-before', 'lost-after', rejection('NO_TRADING_TIME'), failure('HTTP_TIMEOUT')] as const)(
    'leaves the entry open after %s',
    async (fault) => {
      const { clock, service, open } = setUp()
      service.placeFaults.push(fault)
      const http: JournalClient = {
        ...service.http,
        request: (operation, input, given) =>
          service.http.request(operation, input, { ...given, beforeAttempt: undefined }),
      }
      const journal = open({ http })
      expect(await errorOf(clock, journal.place(order('o1')))).toMatchObject({
        code: 'JOURNAL_OPTION_INVALID',
        details: { option: 'http', clientOrderId: 'o1' },
      })
      expect(await journal.get({ clientOrderId: 'o1' })).toMatchObject({ state: 'unknown' })
    },
  )
})

test('an order that the host may have sent twice is not reported as not-sent', async () => {
  const { clock, service, open } = setUp()
  service.placeFaults.push(failure('HTTP_NOT_SENT', { sentOnce: false }))
  expect(await settled(clock, open().place(order('o1')))).toMatchObject({ state: 'not-found' })
})
