/** The feed without a server: its limits, and the positions at which pages continue. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EventFeed, type FeedEvent, type FeedOptions } from './event-feed.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Creates a feed, and records the upstream streams that it opens. */
function setUp(options: Partial<FeedOptions> = {}) {
  const upstreams: { signal: AbortSignal; controller: ReadableStreamDefaultController<FeedEvent> }[] = []
  const errors: unknown[] = []
  const open = (signal: AbortSignal): ReadableStream<FeedEvent> =>
    new ReadableStream<FeedEvent>({
      start: (controller) => {
        upstreams.push({ signal, controller })
      },
    })
  const feed = new EventFeed({ open, onError: (error) => errors.push(error), ...options })
  const emit = async (...events: FeedEvent[]): Promise<void> => {
    for (const event of events) upstreams.at(-1)?.controller.enqueue(event)
    await settle()
  }
  return { feed, upstreams, errors, emit }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const order = (orderId: number, account = 'A', more = ''): FeedEvent => ({
  name: 'order',
  account,
  data: { orderId, more },
})

/** Connects a page that reads immediately, or never. */
function connect(
  feed: EventFeed,
  {
    lastEventId,
    accounts = ['A'],
    reads = true,
  }: { lastEventId?: string; accounts?: string[]; reads?: boolean } = {},
) {
  const page = { text: '', disconnected: 0, isOver: false }
  const gone = new AbortController()
  const body = feed.connect({
    accounts: new Set(accounts),
    lastEventId,
    disconnect: () => {
      page.disconnected += 1
      gone.abort()
    },
  })
  if (body === undefined) throw new Error('the feed accepts no more pages')
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const read = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      page.text += decoder.decode(value)
    }
  }
  gone.signal.addEventListener('abort', () => void reader.cancel())
  if (reads) void read()
  return {
    page,
    leave: () => reader.cancel(),
    orders: () => [...page.text.matchAll(/"orderId":(\d+)/g)].map(([, id]) => Number(id)),
    gaps: () => [...page.text.matchAll(/event: gap\n.*\ndata: (.*)/g)].map(([, data]) => data),
    lastEventId: () => [...page.text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '',
    readOne: async () => {
      page.text += decoder.decode((await reader.read()).value)
    },
  }
}

test('a page gets the events of its accounts, and continues after its last id', async () => {
  const { feed, emit, upstreams } = setUp()
  const first = connect(feed)
  await emit(order(1), order(2, 'B'), { name: 'gap', data: { reason: 'subscribed' } }, order(3))
  expect(first.orders()).toEqual([1, 3])
  expect(first.gaps()).toEqual(['{"reason":"start"}', '{"reason":"subscribed"}'])
  await first.leave()
  await emit(order(4), order(5, 'B'), order(6))
  const again = connect(feed, { lastEventId: first.lastEventId() })
  await settle()
  expect(again.orders()).toEqual([4, 6])
  expect(again.gaps()).toEqual([])
  expect(again.page.text).toMatch(/^retry: 2000\nid: \w+\.4\n\n/)
  expect(upstreams).toHaveLength(1)
})

test('a page that was disconnected before its first event loses none', async () => {
  const { feed, emit } = setUp()
  const first = connect(feed)
  await settle()
  await first.leave()
  await emit(order(1))
  const again = connect(feed, { lastEventId: first.lastEventId() })
  await settle()
  expect([again.orders(), again.gaps()]).toEqual([[1], []])
})

test.each([
  ['of another stream', 'x.1'],
  ['that the feed never sent', undefined],
  ['that is no id', 'A.B'],
])('an id %s begins with a gap', async (_, wrong) => {
  const { feed, emit } = setUp()
  const first = connect(feed)
  await emit(order(1))
  const lastEventId = wrong ?? first.lastEventId().replace(/1$/, '7')
  const again = connect(feed, { lastEventId })
  await emit(order(2))
  expect(again.gaps()).toEqual(['{"reason":"too-old"}'])
  expect(again.orders()).toEqual([2])
})

test('the log has a limit in bytes, and a page with an older id first gets a gap', async () => {
  const { feed, emit } = setUp({ logBytes: 10_000 })
  const first = connect(feed)
  await emit(order(1))
  const old = first.lastEventId()
  for (let id = 2; id <= 30; id += 1) await emit(order(id, 'A', 'x'.repeat(300)))
  const kept = connect(feed, { lastEventId: first.lastEventId().replace(/30$/, '25') })
  const again = connect(feed, { lastEventId: old })
  await settle()
  expect([kept.gaps(), kept.orders()]).toEqual([[], [26, 27, 28, 29, 30]])
  expect([again.gaps(), again.orders()]).toEqual([['{"reason":"too-old"}'], []])
})

test('a page that does not read is disconnected, and continues after its last id without a gap', async () => {
  const { feed, emit } = setUp({ logBytes: 10_000 })
  const slow = connect(feed, { reads: false })
  const fast = connect(feed)
  await emit(order(1))
  await slow.readOne()
  await slow.readOne()
  expect(slow.orders()).toEqual([1])
  let sent = 1
  while (slow.page.disconnected === 0 && sent < 100) {
    sent += 1
    await emit(order(sent, 'A', 'x'.repeat(300)))
  }
  expect(sent).toBeLessThan(15)
  expect(feed.pages).toBe(1)
  const again = connect(feed, { lastEventId: slow.lastEventId() })
  await settle()
  expect([again.gaps(), again.orders()]).toEqual([[], fast.orders().slice(1)])
  expect(fast.page.disconnected).toBe(0)
})

test('the stream closes some time after the last page has disconnected, and the next page first gets a gap', async () => {
  const { feed, emit, upstreams } = setUp({ lingerMs: 30_000 })
  const first = connect(feed)
  const second = connect(feed)
  await emit(order(1))
  await first.leave()
  vi.advanceTimersByTime(60_000)
  expect(upstreams[0]?.signal.aborted).toBe(false)
  await second.leave()
  vi.advanceTimersByTime(29_999)
  expect(upstreams[0]?.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(upstreams[0]?.signal.aborted).toBe(true)
  const again = connect(feed, { lastEventId: second.lastEventId() })
  await emit(order(2))
  expect(upstreams).toHaveLength(2)
  expect([again.gaps(), again.orders()]).toEqual([['{"reason":"too-old"}'], [2]])
})

test('heartbeats keep the id of a page without events current', async () => {
  const { feed, emit } = setUp({ heartbeatMs: 15_000 })
  const page = connect(feed, { accounts: ['B'] })
  await emit(order(1), order(2))
  vi.advanceTimersByTime(15_000)
  await settle()
  expect(page.page.text).toMatch(/: heartbeat\nid: \w+\.2\n\n$/)
  expect(page.orders()).toEqual([])
})

test('the number of pages and the time of each connection are limited', async () => {
  const { feed } = setUp({ maxPages: 2, maxConnectionMs: 600_000 })
  const pages = [connect(feed), connect(feed)]
  const refused = feed.connect({ accounts: new Set(), lastEventId: undefined, disconnect: () => {} })
  expect(refused).toBeUndefined()
  vi.advanceTimersByTime(600_000)
  await settle()
  expect(pages.map(({ page }) => page.disconnected)).toEqual([1, 1])
  expect(feed.pages).toBe(0)
})

test('a failed stream is reported, and opened again when a page reconnects', async () => {
  const { feed, upstreams, errors } = setUp()
  const page = connect(feed)
  await settle()
  upstreams[0]?.controller.error('failed')
  await settle()
  expect(errors).toEqual(['failed'])
  expect([page.page.disconnected, feed.pages]).toEqual([1, 0])
  connect(feed)
  expect(upstreams).toHaveLength(2)
})
