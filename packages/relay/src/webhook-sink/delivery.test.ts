/** The attempts of a delivery, in virtual time. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { expect, test } from 'vitest'
import { Delivery, type DeliveryEnd } from './delivery.ts'
import type { ReceiverResponse } from './receiver.ts'
import type { WebhookAttempt } from './webhook-attempt.ts'

const MESSAGE = { id: 'msg_1', contentType: 'text/plain', body: Buffer.from('body') }

type Response = ReceiverResponse | Error

function setUp(responses: readonly (Partial<Response> | Error)[], maxRetryWaitMs = 60_000) {
  const clock = createVirtualClock()
  const startMs = clock.now()
  const sentMs: number[] = []
  const attempts: WebhookAttempt[] = []
  const ids: (string | undefined)[] = []
  const delivery = new Delivery({
    receiver: {
      async post(headers) {
        ids.push(headers['webhook-id'])
        sentMs.push(clock.now() - startMs)
        const response = responses[Math.min(sentMs.length, responses.length) - 1]
        if (response instanceof Error) throw response
        return { status: 500, retryAfterMs: undefined, ...response }
      },
    },
    getKeys: async () => [],
    maxRetryWaitMs,
    clock,
    random: () => 1,
    onAttempt: (attempt) => attempts.push(attempt),
  })
  const abort = new AbortController()
  const run = async (forMs: number, untilMs?: number): Promise<DeliveryEnd | undefined> => {
    let end: DeliveryEnd | undefined
    const limit = untilMs === undefined ? undefined : startMs + untilMs
    delivery.deliver(MESSAGE, limit, abort.signal).then(
      (value) => {
        end = value
      },
      () => {},
    )
    await clock.advance(forMs)
    return end
  }
  return { clock, run, sentMs, attempts, ids, abort }
}

test('ends after a status from 200 to 299', async () => {
  for (const status of [200, 204, 299]) {
    const { run, sentMs } = setUp([{ status }])
    expect(await run(0)).toEqual({ type: 'delivered' })
    expect(sentMs).toEqual([0])
  }
})

test('waits twice as long after each failure, up to the limit, with one id', async () => {
  const { run, sentMs, ids } = setUp([{ status: 500 }], 5000)
  await run(20_000)
  expect(sentMs).toEqual([0, 1000, 3000, 7000, 12_000, 17_000])
  expect(new Set(ids)).toEqual(new Set(['msg_1']))
})

test.each([
  [{ status: 302 }, 'status 302, and redirects are not followed'],
  [{ status: 404 }, 'status 404'],
  [{ status: 503 }, 'status 503'],
  [Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
])('retries after %o', async (response, reason) => {
  const { run, attempts } = setUp([response, { status: 200 }])
  expect(await run(1000)).toEqual({ type: 'delivered' })
  expect(attempts).toMatchObject([
    { attempt: 1, reason: expect.stringContaining(reason) },
    { attempt: 2, status: 200, reason: undefined },
  ])
})

test('waits for Retry-After if it is longer than its own wait, but at most an hour', async () => {
  const { run, sentMs } = setUp([
    { status: 429, retryAfterMs: 30_000 },
    { status: 503, retryAfterMs: 10 },
    { status: 503, retryAfterMs: 86_400_000 },
    { status: 200 },
  ])
  expect(await run(4_000_000)).toEqual({ type: 'delivered' })
  expect(sentMs).toEqual([0, 30_000, 32_000, 3_632_000])
})

test('ends at 410 Gone without a further attempt', async () => {
  const { run, sentMs } = setUp([{ status: 410 }])
  expect(await run(100_000)).toEqual({ type: 'gone' })
  expect(sentMs).toEqual([0])
})

test('expires at its limit, and not before', async () => {
  const { run, sentMs, clock } = setUp([{ status: 500 }])
  expect(await run(9999, 10_000)).toBe(undefined)
  const startMs = clock.now()
  expect(sentMs).toEqual([0, 1000, 3000, 7000])
  const again = setUp([{ status: 500 }])
  expect(await again.run(10_000, 10_000)).toEqual({ type: 'expired', attempts: 4, reason: 'status 500' })
  expect(clock.now()).toBe(startMs)
})

test('does not send before the end of Retry-After, even if the message expires first', async () => {
  const { run, sentMs } = setUp([{ status: 429, retryAfterMs: 20_000 }])
  expect(await run(30_000, 10_000)).toMatchObject({ type: 'expired', attempts: 1 })
  expect(sentMs).toEqual([0])
})

test('sends a message that is too old once', async () => {
  const { run, sentMs } = setUp([{ status: 200 }])
  expect(await run(0, -1000)).toEqual({ type: 'delivered' })
  expect(sentMs).toEqual([0])
})

test('rejects during a wait when its signal aborts', async () => {
  const { run, sentMs, abort, clock } = setUp([{ status: 500 }])
  await run(1500)
  abort.abort()
  await clock.advance(100_000)
  expect(sentMs).toEqual([0, 1000])
  expect(clock.pendingTimers).toBe(0)
})
