/** The poll of a pending token with clocks that are set back, slow responses and failures: its checks, and its end. */
import { sleep } from '@brokerwire/core/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { failure } from '../test/service.ts'
import { HOUR_MS, outcome, setUp } from '../test/set-up.ts'
import { isTokensError } from '../tokens-error.ts'
import type { AccessTokenEndpoints } from '../types.ts'

test('no check is sent after the poll timeout, except for the last one', async () => {
  const responses = fc.record({
    status: fc.constantFrom('PENDING', 'ON_REVIEW', 'fails'),
    tookMs: fc.integer({ min: 0, max: 20_000 }),
    /** Whether the clock is set back during the wait for the next check. */
    isSetBack: fc.constantFrom(false, false, false, true),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 100, max: 10_000 }),
      fc.integer({ min: 1, max: 100_000 }),
      fc.infiniteStream(responses),
      async (pollIntervalMs, pollTimeoutMs, script) => {
        const { clock, service, open } = setUp()
        await outcome(clock, open().get({ wait: false }))
        // Time goes on while the clock is set back, so the total of all steps back is added.
        let setBackMs = 0
        const elapsedMs = (): number => clock.now() + setBackMs
        const startMs = elapsedMs()
        const checksAtMs: number[] = []
        let setBacks = 0
        const check: AccessTokenEndpoints['check'] = async (token) => {
          checksAtMs.push(elapsedMs() - startMs)
          const { status, tookMs, isSetBack } = script.next().value
          if (tookMs > 0) await sleep(clock, tookMs)
          if (isSetBack) {
            setBacks += 1
            clock.setTimer(() => {
              setBackMs += HOUR_MS
              clock.jumpTo(clock.now() - HOUR_MS)
            }, pollIntervalMs / 2)
          }
          if (status === 'fails') return failure('no-response')
          return { ok: true, value: { token, status, expiresAtMs: undefined } }
        }
        const tokens = open({ endpoints: { ...service.endpoints, check }, pollIntervalMs, pollTimeoutMs })
        const error = await outcome(clock, tokens.get())
        expect(isTokensError(error, 'TOKEN_POLL_TIMEOUT')).toBe(true)
        expect(checksAtMs.length).toBeGreaterThan(0)
        const lastMs = checksAtMs.at(-1) ?? 0
        // If the clock is set back during a wait, that wait does not count. All others do.
        expect(lastMs).toBeLessThanOrEqual(pollTimeoutMs + setBacks * pollIntervalMs)
        if (setBacks === 0)
          expect(checksAtMs.filter((atMs) => atMs >= pollTimeoutMs).length).toBeLessThanOrEqual(1)
        for (const [index, atMs] of checksAtMs.entries()) {
          const beforeMs = checksAtMs[index - 1]
          // The last check is sent at the timeout, so the wait before it may be shorter.
          if (beforeMs !== undefined && index < checksAtMs.length - 1)
            expect(atMs - beforeMs).toBeGreaterThanOrEqual(pollIntervalMs)
        }
        expect(service.count('create')).toBe(1)
        await tokens.close()
      },
    ),
    { numRuns: 100 },
  )
})

test('a failed check is repeated, not before Retry-After, and not after the timeout', async () => {
  for (const [retryAfterMs, expected] of [
    [undefined, [5000, 10_000]],
    [30_000, [5000, 35_000]],
    [400_000, [5000]],
  ] as const) {
    const { clock, service, open } = setUp()
    service.next.check.push(failure('rate-limited', { status: 429, retryAfterMs }))
    const startMs = clock.now()
    const got = outcome(clock, open().get())
    await clock.settle()
    if (expected.length > 1) service.approve()
    const result = await got
    const checks = service.calls.filter(({ call }) => call === 'check')
    expect(checks.map(({ atMs }) => atMs - startMs)).toEqual(expected)
    expect(isTokensError(result, 'TOKEN_POLL_TIMEOUT')).toBe(expected.length === 1)
  }
})
