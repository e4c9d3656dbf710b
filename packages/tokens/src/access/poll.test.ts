/** The poll under clocks that are set back, slow answers and failures: when it asks, and when it ends. */
import { sleep } from '@brokerwire/core/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { failure } from '../test/service.ts'
import { HOUR_MS, outcome, setUp } from '../test/set-up.ts'
import { isTokensError } from '../tokens-error.ts'
import type { AccessTokenEndpoints } from '../types.ts'

test('no check is sent after the poll timeout, except for the last one', async () => {
  const answers = fc.record({
    status: fc.constantFrom('PENDING', 'ON_REVIEW', 'fails'),
    tookMs: fc.integer({ min: 0, max: 20_000 }),
    /** While it waits for the check after this one. */
    isSetBack: fc.constantFrom(false, false, false, true),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 100, max: 10_000 }),
      fc.integer({ min: 1, max: 100_000 }),
      fc.infiniteStream(answers),
      async (pollIntervalMs, pollTimeoutMs, script) => {
        const { clock, service, open } = setUp()
        await outcome(clock, open().get({ wait: false }))
        // Virtual time that is passed while the clock is set back is time all the same.
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
        // The wait into which a setting back falls is not counted, and no more than that.
        expect(lastMs).toBeLessThanOrEqual(pollTimeoutMs + setBacks * pollIntervalMs)
        if (setBacks === 0)
          expect(checksAtMs.filter((atMs) => atMs >= pollTimeoutMs).length).toBeLessThanOrEqual(1)
        for (const [index, atMs] of checksAtMs.entries()) {
          const beforeMs = checksAtMs[index - 1]
          // The closing one comes when the time is over, however short the wait before it is.
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
