/** Many customers of one app key at once, against the limits of the service. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { isTokensError } from '@brokerwire/tokens'
import { expect, test } from 'vitest'
import { rateLimiter } from './index.ts'
import { startSetUp } from './test/set-up.ts'

const CUSTOMERS = 60
const names = Array.from({ length: CUSTOMERS }, (_, number) => `customer-${number}`)

test('60 customers at once get their tokens, without a wait and without a 429', async () => {
  const setUp = await startSetUp({ rateLimit: { requests: 10 } })
  const waits: unknown[] = []
  const { clientTokens } = setUp.open({
    plugins: [rateLimiter()],
    observer: { onTokenWait: (wait) => waits.push(wait) },
  })
  const tokens = await Promise.all(names.map((name) => clientTokens.get(name)))
  expect(new Set(tokens.map(({ accessToken }) => accessToken.reveal())).size).toBe(CUSTOMERS)
  expect(setUp.paths()).toEqual(Array(CUSTOMERS).fill('/auth/client-tokens/create'))
  expect(setUp.simulator.requests().every(({ status }) => status === 200)).toBe(true)
  expect(waits).toEqual([])
}, 60_000)

test('calls that would have to wait too long fail at once, with the limit and the wait', async () => {
  const setUp = await startSetUp({ rateLimit: false })
  const { clientTokens } = setUp.open({
    clock: createVirtualClock(Date.now()),
    plugins: [rateLimiter({ clientLimit: 40, maxWaitMs: 0 })],
  })
  const found = await Promise.allSettled(names.map((name) => clientTokens.get(name)))
  const reasons = found.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  expect(reasons).toHaveLength(20)
  for (const reason of reasons) {
    expect(isTokensError(reason, 'TOKEN_CALL_FAILED') && reason.details).toMatchObject({
      kind: 'not-sent',
      retryAfterMs: 60_250,
    })
    expect(String(reason)).toMatch(/rate limiter \(40 calls in 1 min for each app key\).* in 1 min/)
  }
}, 60_000)
