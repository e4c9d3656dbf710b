/** Reports about access tokens. */
import { describe, expect, test } from 'vitest'
import type { TokenSecondFactorReport, TokenStateReport, TokensObserver } from '../observer.ts'
import { outcome, setUp } from '../test/set-up.ts'

describe('onTokenState', () => {
  test('reports each state of a first create once', async () => {
    const { clock, service, open } = setUp()
    const states: TokenStateReport[] = []
    const tokens = open({ clientId: 'main', observer: { onTokenState: (report) => states.push(report) } })
    const got = tokens.get()
    await clock.settle()
    service.approve()
    await outcome(clock, got)
    await tokens.get()
    expect(states.map(({ state }) => state)).toEqual(['none', 'unresolved', 'pending', 'normal'])
    expect(states.at(-1)).toEqual({ clientId: 'main', state: 'normal', expiresAtMs: expect.any(Number) })
    await tokens.close()
  })

  test('reports a change by another process at the next read', async () => {
    const { clock, service, open } = setUp()
    const states: TokenStateReport[] = []
    const watching = open({ observer: { onTokenState: (report) => states.push(report) } })
    expect(await watching.peek()).toBeUndefined()
    const got = open().get()
    await clock.settle()
    service.approve()
    await outcome(clock, got)
    expect(await watching.peek()).toBeDefined()
    expect(states.map(({ state }) => state)).toEqual(['none', 'normal'])
  })

  test('reports a token that has expired by the clock of this host', async () => {
    const { clock, service, open } = setUp()
    const states: TokenStateReport[] = []
    const tokens = open({ observer: { onTokenState: (report) => states.push(report) } })
    const got = tokens.get()
    await clock.settle()
    service.approve()
    await outcome(clock, got)
    const expiresAtMs = states.at(-1)?.expiresAtMs ?? 0
    await clock.advance(expiresAtMs - clock.now() + 1)
    expect(await tokens.peek()).toBeUndefined()
    expect(states.at(-1)).toMatchObject({ state: 'expired', expiresAtMs: undefined })
  })
})

test('onTokenSecondFactor reports the deadline, and that no token is in use meanwhile', async () => {
  const { clock, service, open } = setUp()
  const reports: TokenSecondFactorReport[] = []
  const startMs = clock.now()
  const tokens = open({
    clientId: 'main',
    observer: { onTokenSecondFactor: (report) => reports.push(report) },
  })
  const got = tokens.get()
  await clock.settle()
  service.approve()
  await outcome(clock, got)
  expect(reports).toEqual([{ clientId: 'main', deadlineMs: startMs + 300_000, renewal: false }])
})

test('two parts without a name have different ones in reports', async () => {
  const ids = new Set<string>()
  const observer: TokensObserver = { onTokenState: ({ clientId }) => ids.add(clientId) }
  await setUp().open({ observer }).peek()
  await setUp().open({ observer }).peek()
  expect(ids.size).toBe(2)
  for (const id of ids) expect(id).toMatch(/^tokens-\d+$/)
})

test.each([
  [
    'throws',
    () => {
      throw new Error('a bug in an observer')
    },
  ],
  // An unhandled rejection would fail the run.
  ['rejects', () => Promise.reject(new Error('a bug in an observer'))],
  ['never resolves', () => new Promise<void>(() => {})],
])('an observer that %s changes nothing', async (_name, listener) => {
  const { clock, service, open } = setUp()
  const observer = {
    onTokenCall: listener,
    onTokenResponseIssue: listener,
    onTokenState: listener,
    onTokenSecondFactor: listener,
    onTokenWait: listener,
    onOperationWait: listener,
  } satisfies Required<TokensObserver>
  const got = open({ observer }).get()
  await clock.settle()
  service.approve()
  expect(await outcome(clock, got)).toMatchObject({ expiresAtMs: expect.any(Number) })
})
