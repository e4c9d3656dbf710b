import { createVirtualClock } from '@brokerwire/core/testing'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import { expect, test } from 'vitest'
import { createTestService } from '../test/service.ts'
import { createAccessTokens } from './access-tokens.ts'
import type { ExpiringNotice, TokenLifecycle } from './types.ts'

const HOUR_MS = 3_600_000
const identity = { environment: 'production', region: 'us', appKey: 'app-1', baseUrl: 'https://api.test' }

function setUp() {
  const clock = createVirtualClock()
  const store = createFailingStore()
  const service = createTestService(clock)
  const open = (onExpiring?: (notice: ExpiringNotice) => void) =>
    createAccessTokens({ endpoints: service.endpoints, store, identity, clock, onExpiring })
  return { clock, store, service, open }
}

function collect(changes: AsyncIterable<TokenLifecycle>) {
  const seen: TokenLifecycle[] = []
  const done = (async () => {
    for await (const change of changes) seen.push(change)
  })()
  return { seen, done }
}

test.each(['its signal', 'close()'])(
  'a store that never responds does not delay the end of watch() by %s',
  async (way) => {
    const clock = createVirtualClock()
    const { store, service } = setUp()
    const silent = { ...store, get: () => new Promise<never>(() => {}) }
    const tokens = createAccessTokens({ endpoints: service.endpoints, store: silent, identity, clock })
    const controller = new AbortController()
    const next = tokens.watch({ signal: controller.signal })[Symbol.asyncIterator]().next()
    await clock.settle()
    if (way === 'close()') void tokens.close()
    else controller.abort()
    expect(await next).toEqual({ done: true, value: undefined })
  },
)

test('the expiry warning is sent once if two calls at the same time race for the store', async () => {
  const { clock, store, service, open } = setUp()
  const notices: ExpiringNotice[] = []
  let openGate = (): void => {}
  const gate = new Promise<void>((resolve) => {
    openGate = resolve
  })
  let isArmed = false
  const slow = {
    ...store,
    compareAndSet: async (...args: Parameters<typeof store.compareAndSet>) => {
      if (isArmed) {
        isArmed = false
        await gate
      }
      return store.compareAndSet(...args)
    },
  }
  const got = open().get()
  await clock.settle()
  service.approve()
  await clock.advance(6000)
  await got
  clock.jumpTo(clock.now() + 300 * HOUR_MS)
  const onExpiring = (notice: ExpiringNotice) => void notices.push(notice)
  const tokens = createAccessTokens({
    endpoints: service.endpoints,
    store: slow,
    identity,
    clock,
    onExpiring,
  })
  isArmed = true
  const first = tokens.get()
  await clock.settle()
  const second = tokens.get()
  await clock.settle()
  openGate()
  await Promise.all([first, second])
  expect(notices).toMatchObject([{ type: 'expiring', thresholdMs: 72 * HOUR_MS }])
})

test('it yields the whole lifecycle, as another process sees it', async () => {
  const { clock, service, open } = setUp()
  const controller = new AbortController()
  const { seen, done } = collect(open().watch({ signal: controller.signal }))
  await clock.advance(3000)
  const tokens = open()
  const got = tokens.get()
  await clock.advance(2000)
  service.approve()
  await clock.advance(5000)
  await got
  await clock.advance(1000)
  expect(seen).toMatchObject([{ type: 'none' }, { type: 'pending', renewal: false }, { type: 'normal' }])
  const [, pending] = seen
  expect(pending?.type === 'pending' && pending.remainingMs).toBeGreaterThan(298_000)

  const renewToken = tokens.renew().catch((error: unknown) => error)
  await clock.settle()
  await renewToken
  clock.jumpTo(clock.now() + 300 * HOUR_MS)
  await clock.advance(1000)
  const again = tokens.renew()
  await clock.advance(1000)
  expect(seen.slice(3)).toMatchObject([
    { type: 'expiring', thresholdMs: 72 * HOUR_MS },
    { type: 'pending', renewal: true },
  ])
  service.approve()
  await clock.advance(6000)
  await again
  expect(seen.at(-1)).toMatchObject({ type: 'normal' })

  const token = (await tokens.get())?.token as never
  service.last().status = 'INVALID'
  await tokens.reportRejected(token, { status: 401, code: 'INVALID_TOKEN' }).catch(() => {})
  await clock.advance(1000)
  expect(seen.at(-1)).toEqual({ type: 'ended', status: 'INVALID' })
  controller.abort()
  await done
  expect(clock.pendingTimers).toBe(0)
})

test('each expiry warning is yielded at its time, and the end after it', async () => {
  const { clock, service, open } = setUp()
  const tokens = open()
  const got = tokens.get()
  await clock.settle()
  service.approve()
  await clock.advance(5000)
  await got
  const end = service.last().expiresAtMs ?? 0
  clock.jumpTo(end - 72 * HOUR_MS - 500)
  const { seen, done } = collect(tokens.watch())
  await clock.advance(500)
  clock.jumpTo(end - 2 * HOUR_MS)
  await clock.advance(1000)
  clock.jumpTo(end - 1500)
  await clock.advance(1000)
  await clock.advance(1000)
  expect(
    seen.map((change) => (change.type === 'expiring' ? change.thresholdMs / HOUR_MS : change.type)),
  ).toEqual(['normal', 72, 24, 1, 'ended'])
  await tokens.close()
  await done
  expect(clock.pendingTimers).toBe(0)
})

test('leaving the loop stops reading the store', async () => {
  const { clock, open } = setUp()
  for await (const change of open().watch()) {
    expect(change).toEqual({ type: 'none' })
    break
  }
  expect(clock.pendingTimers).toBe(0)
})

test('a store that fails now and then is read again', async () => {
  const { clock, store, service, open } = setUp()
  const controller = new AbortController()
  const { seen, done } = collect(open().watch({ signal: controller.signal }))
  await clock.advance(1000)
  store.failures.push('get', 'get', 'get')
  await clock.advance(5000)
  expect(store.failures).toEqual([])
  const got = open()
    .get({ wait: false })
    .catch(() => {})
  await clock.advance(2000)
  await got
  expect(seen.map(({ type }) => type)).toEqual(['none', 'pending'])
  expect(service.count('create')).toBe(1)
  controller.abort()
  await clock.advance(2000)
  await done
})

test('a warning that the store cannot record is not repeated', async () => {
  const { clock, store, service, open } = setUp()
  const notices: ExpiringNotice[] = []
  const tokens = open((notice) => notices.push(notice))
  const got = tokens.get()
  await clock.settle()
  service.approve()
  await clock.advance(5000)
  await got
  const end = service.last().expiresAtMs ?? 0
  clock.jumpTo(end - 72 * HOUR_MS)
  store.failures.push(...Array.from({ length: 1000 }, () => 'compareAndSet' as const))
  const { done } = collect(tokens.watch())
  await clock.advance(60_000)
  await tokens.get()
  expect(notices).toMatchObject([{ type: 'expiring', thresholdMs: 72 * HOUR_MS }])
  // As soon as the warning is recorded, other processes do not send it.
  store.failures.length = 0
  await clock.advance(1000)
  await open((notice) => notices.push(notice)).get()
  expect(notices).toHaveLength(1)
  clock.jumpTo(end - 24 * HOUR_MS)
  await clock.advance(1000)
  expect(notices).toHaveLength(2)
  await tokens.close()
  await done
})
