/** The transitions of one connection, one rule in each test. */
import { describe, expect, test } from 'vitest'
import type { QuotesNotice } from '../notices.ts'
import {
  callsOf,
  live,
  manySymbols,
  noticesOf,
  outcomeOf,
  type TestConnection,
  testConnection,
  timerDelay,
  toSubscriptions,
} from '../test/connection-machine.ts'
import type { CallOutcome } from './call-outcome.ts'
import { parsePolicy } from './policy.ts'

const done = { type: 'response', outcome: { kind: 'done' } } as const
const rejection = { code: 'X', status: 417, message: undefined } as const
const failed = {
  type: 'response',
  outcome: {
    kind: 'failed',
    code: 'HTTP_CLIENT_ERROR',
    status: 503,
    message: undefined,
    retryAfterMs: undefined,
  },
} as const
const reconnecting = (effects: Parameters<typeof noticesOf>[0]) =>
  noticesOf(effects).find((notice) => notice.kind === 'reconnecting')

/** A machine whose subscriptions are confirmed. */
function settled(symbols = 'A B', options?: Parameters<typeof live>[1]): TestConnection {
  const machine = live(toSubscriptions(symbols), options)
  machine.send({ ...done, at: 2100 })
  return machine
}

describe('opening', () => {
  test('opens no connection without desired subscriptions', () => {
    const machine = testConnection({ connectTimeoutMs: 7000 })
    expect(machine.send({ type: 'set-desired', desired: toSubscriptions('') })).toEqual([])
    const effects = machine.send({ type: 'set-desired', desired: toSubscriptions('A') })
    expect(effects).toContainEqual({ type: 'connect', attempt: 1 })
    expect(timerDelay(effects, 'connect')).toBe(7000)
  })

  test('subscribes after CONNACK 0, and reports subscribed when all is confirmed', () => {
    const machine = testConnection()
    machine.send({ type: 'set-desired', desired: toSubscriptions('A B', ['snapshot', 'tick']) })
    expect(callsOf(machine.send({ type: 'connack', code: 0 }))).toEqual(['subscribe US_STOCK 6: A B'])
    const effects = machine.send({ ...done, at: 5 })
    expect(noticesOf(effects)).toEqual([
      { type: 'notice', kind: 'subscribed', atMs: 5, connection: 1, symbols: 2 },
    ])
    expect(callsOf(effects)).toEqual([])
  })

  test('reconnects after a delay if there is no CONNACK in time', () => {
    const machine = testConnection()
    machine.send({ type: 'set-desired', desired: toSubscriptions('A') })
    const effects = machine.send({ type: 'timer', timer: 'connect' })
    expect(reconnecting(effects)).toMatchObject({ reason: 'connect-timeout', delayMs: 500, attempt: 2 })
    expect(effects).toContainEqual({ type: 'close', attempt: 1, graceful: false })
    expect(machine.send({ type: 'timer', timer: 'retry' })).toContainEqual({ type: 'connect', attempt: 2 })
  })
})

describe('CONNACK', () => {
  const connackWith = (code: number, options?: Parameters<typeof testConnection>[0]) => {
    const machine = testConnection(options)
    machine.send({ type: 'set-desired', desired: toSubscriptions('A'), at: 1000 })
    return machine.send({ type: 'connack', code, at: 2000 })
  }

  test.each([
    [1, 'refused', 'protocol-version'],
    [2, 'refused', 'client-id'],
    [3, 'auth-rejected', 'app-key-empty'],
    [103, 'auth-rejected', 'authentication-failed'],
    [104, 'auth-rejected', 'app-key-invalid'],
  ])('%i ends it', (code, kind, name) => {
    const outcome = outcomeOf(connackWith(code))
    expect(outcome).toMatchObject({ kind })
    expect(JSON.stringify(outcome)).toContain(name)
  })

  test.each([
    [100, 'unknown-error'],
    [101, 'internal-error'],
    [102, 'already-authenticated'],
    [7, 'unknown'],
    [16, 'unknown'],
    [255, 'unknown'],
  ])('%i is retried, never at once', (connackCode, connackName) => {
    const effects = connackWith(connackCode)
    expect(outcomeOf(effects)).toBeUndefined()
    expect(reconnecting(effects)).toMatchObject({ reason: 'refused', connackCode, connackName, delayMs: 500 })
  })

  test('5 is retried, never at once', () => {
    expect(reconnecting(connackWith(5))).toMatchObject({ connackCode: 5, delayMs: 500 })
  })

  test('retries code 3 if retryCodes has it', () => {
    expect(reconnecting(connackWith(3, { retryCodes: [3] }))).toMatchObject({ connackCode: 3 })
  })

  test('5 is retried a few times, then it ends the connection', () => {
    const machine = testConnection({ unauthorizedAttempts: 3 })
    machine.send({ type: 'set-desired', desired: toSubscriptions('A') })
    for (let attempt = 1; attempt < 3; attempt += 1) {
      expect(outcomeOf(machine.send({ type: 'connack', code: 5 }))).toBeUndefined()
      machine.send({ type: 'timer', timer: 'retry' })
    }
    expect(outcomeOf(machine.send({ type: 'connack', code: 5 }))).toMatchObject({
      kind: 'auth-rejected',
      signal: 'connack',
      status: 5,
    })
  })

  test('waits one minute after 105, then two, up to ten, and reports a slot that is still counted', () => {
    const machine = testConnection()
    machine.send({ type: 'set-desired', desired: toSubscriptions('A'), at: 0 })
    const waits = Array.from({ length: 6 }, () => {
      const notice = reconnecting(machine.send({ type: 'connack', code: 105 }))
      machine.send({ type: 'timer', timer: 'retry' })
      return notice?.delayMs
    })
    expect(waits).toEqual([60_000, 120_000, 240_000, 480_000, 600_000, 600_000])
    const notice = reconnecting(
      machine.send({ type: 'connack', code: 105, at: 100_000, recentDropMs: 50_000 }),
    )
    expect(notice).toMatchObject({
      reason: 'connection-limit',
      connackName: 'connection-limit',
      slotStillHeld: true,
    })
  })

  test('does not shorten a wait if no subscription is desired for a moment', () => {
    const machine = testConnection()
    machine.send({ type: 'set-desired', desired: toSubscriptions('A'), at: 0 })
    machine.send({ type: 'connack', code: 105, at: 1000 })
    expect(machine.send({ type: 'set-desired', desired: toSubscriptions(''), at: 2000 })).toEqual([])
    expect(machine.send({ type: 'set-desired', desired: toSubscriptions('B'), at: 3000 })).toEqual([])
    expect(machine.state.phase).toBe('waiting')
    expect(machine.send({ type: 'timer', timer: 'retry', at: 61_000 })).toContainEqual({
      type: 'connect',
      attempt: 2,
    })
  })

  test('is idle after a wait if nothing is desired', () => {
    const machine = testConnection()
    machine.send({ type: 'set-desired', desired: toSubscriptions('A'), at: 0 })
    machine.send({ type: 'connack', code: 105, at: 1000 })
    machine.send({ type: 'set-desired', desired: toSubscriptions(''), at: 2000 })
    machine.send({ type: 'timer', timer: 'retry', at: 61_000 })
    expect(machine.state.phase).toBe('idle')
  })

  test('ignores a second CONNACK', () => {
    const machine = settled()
    expect(machine.send({ type: 'connack', code: 105 })).toEqual([])
    expect(machine.state.phase).toBe('live')
  })
})

describe('changes of the desired subscriptions', () => {
  test('sends only the difference, and unsubscribes first', () => {
    const machine = settled('A B')
    const effects = machine.send({ type: 'set-desired', desired: toSubscriptions('B C D') })
    expect(callsOf(effects)).toEqual(['unsubscribe US_STOCK 2: A'])
    expect(callsOf(machine.send(done))).toEqual(['subscribe US_STOCK 2: C D'])
    expect(noticesOf(machine.send(done))).toMatchObject([{ kind: 'subscribed', symbols: 3 }])
  })

  test('sends one call at a time, each with one category and one set of types', () => {
    const desired = new Map([
      ...toSubscriptions('A B', ['snapshot']),
      ...toSubscriptions('C', ['tick']),
      ...toSubscriptions('BTCUSD', ['snapshot'], 'US_CRYPTO'),
    ])
    const machine = testConnection()
    machine.send({ type: 'set-desired', desired })
    const calls = [...callsOf(machine.send({ type: 'connack', code: 0 }))]
    for (let answer = 0; answer < 3; answer += 1) calls.push(...callsOf(machine.send(done)))
    expect(calls).toEqual([
      'subscribe US_STOCK 2: A B',
      'subscribe US_STOCK 4: C',
      'subscribe US_CRYPTO 2: BTCUSD',
    ])
  })

  test('sends one more call for an added type of a symbol, with that type only', () => {
    const machine = settled('A')
    expect(
      callsOf(machine.send({ type: 'set-desired', desired: toSubscriptions('A', ['snapshot', 'quote']) })),
    ).toEqual(['subscribe US_STOCK 1: A'])
  })

  test('unsubscribes first if the depth changes', () => {
    const machine = settled('A')
    const deeper = new Map(
      [...toSubscriptions('A')].map(([key, want]) => [key, { ...want, depth: 50 }] as const),
    )
    expect(callsOf(machine.send({ type: 'set-desired', desired: deeper }))).toEqual([
      'unsubscribe US_STOCK 2: A',
    ])
    expect(callsOf(machine.send(done))).toEqual(['subscribe US_STOCK 2: A'])
    expect(callsOf(machine.send(done))).toEqual([])
  })

  test('sends a change after the response of the call in flight', () => {
    const machine = live(toSubscriptions('A'))
    expect(callsOf(machine.send({ type: 'set-desired', desired: toSubscriptions('B') }))).toEqual([])
    expect(callsOf(machine.send(done))).toEqual(['unsubscribe US_STOCK 2: A'])
  })

  test('sends and reports nothing if the subscriptions do not change', () => {
    const machine = settled('A B')
    expect(machine.send({ type: 'set-desired', desired: toSubscriptions('B A') })).toEqual([])
    expect(machine.state).toMatchObject({ subscribedReported: true })
  })

  test('closes with DISCONNECT if nothing is desired, and connects again later', () => {
    const machine = settled()
    const effects = machine.send({ type: 'set-desired', desired: toSubscriptions('') })
    expect(effects).toContainEqual({ type: 'close', attempt: 1, graceful: true })
    expect(machine.state.phase).toBe('idle')
    expect(machine.send({ type: 'set-desired', desired: toSubscriptions('A') })).toContainEqual({
      type: 'connect',
      attempt: 2,
    })
    machine.send({ type: 'connack', code: 0 })
    // Nothing was lost, so there is no gap to report.
    expect(noticesOf(machine.send(done)).map(({ kind }) => kind)).toEqual(['subscribed'])
  })

  test('sends two calls for 150 symbols', () => {
    const machine = live(toSubscriptions(manySymbols(150)), {}, 100)
    expect(callsOf(machine.send(done))[0]?.split(' ')).toHaveLength(3 + 50)
  })
})

describe('responses of the service', () => {
  test('retries an unknown session just after CONNACK, then reconnects', () => {
    const machine = live(toSubscriptions('A'))
    const unknown = { type: 'response', outcome: { kind: 'session-unknown' } } as const
    const delays: (number | undefined)[] = []
    let at = 2000
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const effects = machine.send({ ...unknown, at })
      delays.push(timerDelay(effects, 'call'))
      at += delays.at(-1) ?? 0
      expect(callsOf(machine.send({ type: 'timer', timer: 'call', at }))).toEqual(['subscribe US_STOCK 2: A'])
    }
    expect(delays).toEqual([250, 500, 1000, 2000])
    const effects = machine.send({ ...unknown, at })
    expect(reconnecting(effects)).toMatchObject({ reason: 'session-unknown' })
    expect(effects).toContainEqual({ type: 'close', attempt: 1, graceful: true })
  })

  test('reconnects at once if the session is unknown later', () => {
    const machine = settled()
    machine.send({ type: 'set-desired', desired: toSubscriptions('A B C'), at: 60_000 })
    const effects = machine.send({ type: 'response', outcome: { kind: 'session-unknown' }, at: 60_100 })
    expect(reconnecting(effects)).toMatchObject({ reason: 'session-unknown' })
  })

  test('rejects the symbols that the service names, and sends the rest again', () => {
    const machine = live(toSubscriptions('A BAD C WORSE'))
    const effects = machine.send({
      type: 'response',
      outcome: { ...rejection, kind: 'symbols-rejected', code: 'INVALID_SYMBOL', symbols: ['BAD', 'WORSE'] },
    })
    expect(noticesOf(effects)).toMatchObject([
      {
        kind: 'rejected',
        code: 'INVALID_SYMBOL',
        symbols: [{ symbol: 'BAD' }, { symbol: 'WORSE' }],
        types: ['snapshot'],
      },
    ])
    expect(effects).toContainEqual({ type: 'reject', keys: ['US_STOCK BAD', 'US_STOCK WORSE'], types: 2 })
    expect(callsOf(effects)).toEqual(['subscribe US_STOCK 2: A C'])
    expect(noticesOf(machine.send(done))).toMatchObject([{ kind: 'subscribed', symbols: 2 }])
  })

  test('finds a rejected symbol that the service does not name by bisection', () => {
    const machine = testConnection()
    machine.send({ type: 'set-desired', desired: toSubscriptions('A B C BAD E F G H') })
    let effects = machine.send({ type: 'connack', code: 0 })
    const rejected: string[] = []
    let calls = 0
    for (let [call] = callsOf(effects); call !== undefined; [call] = callsOf(effects)) {
      calls += 1
      effects = call.includes('BAD')
        ? machine.send({
            type: 'response',
            outcome: { ...rejection, kind: 'symbols-rejected', symbols: undefined },
          })
        : machine.send(done)
      for (const notice of noticesOf(effects)) {
        if (notice.kind === 'rejected') rejected.push(...notice.symbols.map(({ symbol }) => symbol))
      }
    }
    expect(rejected).toEqual(['BAD'])
    expect(calls).toBe(7)
    expect(machine.state).toMatchObject({ phase: 'live', subscribedReported: true })
    expect([...(machine.state.phase === 'live' ? machine.state.confirmed.keys() : [])]).toHaveLength(7)
  })

  test('bisects a call with too many symbols until none fits, and moves the others', () => {
    const machine = testConnection()
    machine.send({ type: 'set-desired', desired: toSubscriptions(manySymbols(10)) })
    let effects = machine.send({ type: 'connack', code: 0 })
    let room = 6
    for (let [call] = callsOf(effects); call !== undefined; [call] = callsOf(effects)) {
      const symbols = call.split(': ')[1]?.split(' ').length ?? 0
      const fits = symbols <= room
      if (fits) room -= symbols
      effects = fits ? machine.send(done) : machine.send({ type: 'response', outcome: { kind: 'too-many' } })
    }
    expect(effects).toContainEqual({
      type: 'overflow',
      keys: ['US_STOCK S7', 'US_STOCK S8', 'US_STOCK S9', 'US_STOCK S10'],
      capacity: 6,
      lost: new Map(),
    })
    expect(noticesOf(effects)).toMatchObject([{ kind: 'subscribed', symbols: 6 }])
  })

  test('moves a symbol if there is no capacity for one more of its types', () => {
    const machine = settled('A B')
    machine.send({
      type: 'set-desired',
      desired: new Map([...toSubscriptions('A', ['snapshot', 'tick']), ...toSubscriptions('B')]),
    })
    const effects = machine.send({ type: 'response', outcome: { kind: 'too-many' } })
    // The symbol was confirmed on this connection, so moving it causes a gap.
    const lost = new Map([['US_STOCK A', 2000]])
    expect(effects).toContainEqual({ type: 'overflow', keys: ['US_STOCK A'], capacity: 1, lost })
    expect(callsOf(effects)).toEqual(['unsubscribe US_STOCK 2: A'])
    expect(callsOf(machine.send(done))).toEqual([])
  })

  test('rejects a whole category that is not subscribed, and continues with the others', () => {
    const machine = testConnection()
    machine.send({
      type: 'set-desired',
      desired: new Map([...toSubscriptions('700', ['quote'], 'HK_STOCK'), ...toSubscriptions('A')]),
    })
    machine.send({ type: 'connack', code: 0 })
    const outcome = {
      kind: 'rejected',
      code: 'MARKET_DATA_NOT_SUBSCRIBED',
      status: 403,
      message: 'no',
    } as const
    const effects = machine.send({ type: 'response', outcome })
    expect(noticesOf(effects)).toMatchObject([
      { kind: 'rejected', code: 'MARKET_DATA_NOT_SUBSCRIBED', message: 'no' },
    ])
    expect(callsOf(effects)).toEqual(['subscribe US_STOCK 2: A'])
  })

  test('reports a call without response, and retries it with backoff; honours Retry-After', () => {
    const machine = live(toSubscriptions('A'))
    const failed = {
      kind: 'failed',
      code: 'HTTP_NO_RESPONSE',
      status: undefined,
      message: undefined,
    } as const
    const delays = [undefined, undefined, 7000].map((retryAfterMs) => {
      const effects = machine.send({ type: 'response', outcome: { ...failed, retryAfterMs } })
      expect(noticesOf(effects)).toMatchObject([{ kind: 'subscribe-failed', code: 'HTTP_NO_RESPONSE' }])
      machine.send({ type: 'timer', timer: 'call' })
      return timerDelay(effects, 'call')
    })
    expect(delays).toEqual([500, 1000, 7000])
  })

  test('sends other calls before one that keeps failing, and retries it after each success', () => {
    const failed = {
      type: 'response',
      outcome: {
        kind: 'failed',
        code: 'HTTP_CLIENT_ERROR',
        status: 500,
        message: undefined,
        retryAfterMs: undefined,
      },
    } as const
    const machine = live(
      new Map([...toSubscriptions('BAD', ['snapshot'], 'US_EVENT'), ...toSubscriptions('A B')]),
    )
    expect(timerDelay(machine.send(failed), 'call')).toBeGreaterThan(0)
    machine.send({ type: 'timer', timer: 'call' })
    // After the second failure the call of the stocks is sent first.
    expect(callsOf(machine.send(failed))).toEqual(['subscribe US_STOCK 2: A B'])
    expect(callsOf(machine.send(done))).toEqual(['subscribe US_EVENT 2: BAD'])
    // No other call remains. The failed one waits longer after each failure, and a success confirms all.
    for (let times = 0; times < 5; times += 1) {
      expect(timerDelay(machine.send(failed), 'call')).toBeGreaterThan(0)
      expect(callsOf(machine.send({ type: 'timer', timer: 'call' }))).toEqual(['subscribe US_EVENT 2: BAD'])
    }
    expect(noticesOf(machine.send(done))).toMatchObject([{ kind: 'subscribed', symbols: 3 }])
  })

  describe('a call that failed twice and waits as the last one', () => {
    const bad = toSubscriptions('BAD', ['snapshot'], 'US_EVENT')
    const cleared = { type: 'clear-timer', timer: 'call' }
    const waiting = (): TestConnection => {
      const machine = live(bad)
      machine.send(failed)
      machine.send({ type: 'timer', timer: 'call' })
      expect(timerDelay(machine.send(failed), 'call')).toBeGreaterThan(0)
      return machine
    }

    test('lets new calls go first, and is sent after their success', () => {
      const machine = waiting()
      const effects = machine.send({
        type: 'set-desired',
        desired: new Map([...bad, ...toSubscriptions('A B')]),
      })
      expect(callsOf(effects)).toEqual(['subscribe US_STOCK 2: A B'])
      expect(effects[0]).toEqual(cleared)
      expect(callsOf(machine.send(done))).toEqual(['subscribe US_EVENT 2: BAD'])
      expect(noticesOf(machine.send(done))).toMatchObject([{ kind: 'subscribed', symbols: 3 }])
    })

    test('waits again if the new call fails too', () => {
      const machine = waiting()
      machine.send({ type: 'set-desired', desired: new Map([...bad, ...toSubscriptions('A')]) })
      machine.send(failed)
      machine.send({ type: 'timer', timer: 'call' })
      expect(timerDelay(machine.send(failed), 'call')).toBeGreaterThan(0)
      expect(callsOf(machine.send({ type: 'timer', timer: 'call' }))).toEqual(['subscribe US_EVENT 2: BAD'])
    })

    test('continues to wait if the same subscriptions are set again', () => {
      const machine = waiting()
      expect(machine.send({ type: 'set-desired', desired: bad })).toEqual([])
      expect(callsOf(machine.send({ type: 'timer', timer: 'call' }))).toEqual(['subscribe US_EVENT 2: BAD'])
    })

    test('is removed with its timer if it is no longer desired', () => {
      const machine = waiting()
      const effects = machine.send({ type: 'set-desired', desired: toSubscriptions('A') })
      expect(effects[0]).toEqual(cleared)
      expect(callsOf(effects)).toEqual(['subscribe US_STOCK 2: A'])
      expect(noticesOf(machine.send(done))).toMatchObject([{ kind: 'subscribed', symbols: 1 }])
    })

    test('as an unsubscribe call, goes after new calls, and is removed if its symbol is desired again', () => {
      const machine = settled('A B')
      machine.send({ type: 'set-desired', desired: toSubscriptions('B') })
      machine.send(failed)
      machine.send({ type: 'timer', timer: 'call' })
      machine.send(failed)
      expect(machine.send({ type: 'set-desired', desired: toSubscriptions('B') })).toEqual([])
      expect(callsOf(machine.send({ type: 'set-desired', desired: toSubscriptions('B C') }))).toEqual([
        'subscribe US_STOCK 2: C',
      ])
      expect(callsOf(machine.send({ type: 'set-desired', desired: toSubscriptions('A B C') }))).toEqual([])
      expect(noticesOf(machine.send(done))).toMatchObject([{ kind: 'subscribed', symbols: 3 }])
    })

    test('is sent again at its time, and its response counts', () => {
      const machine = waiting()
      machine.send({ type: 'timer', timer: 'call' })
      expect(
        machine.send({ type: 'set-desired', desired: new Map([...bad, ...toSubscriptions('A')]) }),
      ).toEqual([])
      expect(callsOf(machine.send(done))).toEqual(['subscribe US_STOCK 2: A'])
    })
  })

  test('does not retry a failed call that is no longer desired', () => {
    const machine = live(
      new Map([...toSubscriptions('BAD', ['snapshot'], 'US_EVENT'), ...toSubscriptions('A')]),
    )
    machine.send(failed)
    machine.send({ type: 'timer', timer: 'call' })
    machine.send(failed)
    machine.send({ type: 'set-desired', desired: toSubscriptions('A') })
    expect(noticesOf(machine.send(done))).toMatchObject([{ kind: 'subscribed', symbols: 1 }])
  })

  test('does not request symbols again that are no longer desired', () => {
    const machine = live(toSubscriptions('A B'))
    const outcome = {
      kind: 'failed',
      code: 'X',
      status: 500,
      message: undefined,
      retryAfterMs: undefined,
    } as const
    machine.send({ type: 'response', outcome })
    machine.send({ type: 'set-desired', desired: toSubscriptions('B') })
    expect(callsOf(machine.send({ type: 'timer', timer: 'call' }))).toEqual(['subscribe US_STOCK 2: B'])
  })

  test('ends if the credentials are rejected twice in a row', () => {
    const machine = live(toSubscriptions('A'))
    const outcome = { kind: 'unauthorized', code: 'INVALID_TOKEN', status: 401, message: undefined } as const
    expect(outcomeOf(machine.send({ type: 'response', outcome }))).toBeUndefined()
    machine.send({ type: 'timer', timer: 'call' })
    const effects = machine.send({ type: 'response', outcome })
    expect(outcomeOf(effects)).toEqual({
      kind: 'auth-rejected',
      signal: 'call',
      status: 401,
      code: 'INVALID_TOKEN',
    })
    expect(effects).toContainEqual({ type: 'close', attempt: 1, graceful: true })
  })

  test('ends if the path does not exist, and rejects no symbol', () => {
    const machine = live(toSubscriptions('A'))
    const outcome = { kind: 'unusable', code: 'HTTP_CLIENT_ERROR', status: 404, message: undefined } as const
    const effects = machine.send({ type: 'response', outcome })
    expect(outcomeOf(effects)).toMatchObject({
      kind: 'call-unusable',
      code: 'HTTP_CLIENT_ERROR',
      status: 404,
    })
    expect(noticesOf(effects)).toEqual([])
  })

  describe('a failure that may be transient', () => {
    /** Repeats a failing call until nothing is sent any more. Returns the notices, and the sum of the waits. */
    const failUntilEnd = (machine: TestConnection, outcome: CallOutcome) => {
      const found: QuotesNotice[] = []
      let waitedMs = 0
      for (let times = 0; times < 10; times += 1) {
        const effects = machine.send({ type: 'response', outcome })
        found.push(...noticesOf(effects).filter(({ kind }) => kind !== 'subscribed'))
        const delayMs = timerDelay(effects, 'call')
        if (delayMs === undefined) return { found, waitedMs, effects }
        waitedMs += delayMs
        machine.send({ type: 'timer', timer: 'call' })
      }
      throw new Error('it is repeated without end')
    }
    const tries = [4, 3, 2, 1, 0].map((retriesLeft) => ({ kind: 'subscribe-failed', retriesLeft }))
    const failure = { message: undefined, retryAfterMs: undefined }
    const unknown = { ...failure, kind: 'unknown', code: 'SOMETHING_NEW', status: 417 } as const
    const rejected = { ...failure, kind: 'rejected', code: 'HTTP_CLIENT_ERROR', status: 400 } as const
    const forbidden = { ...failure, kind: 'unauthorized', code: 'UNAUTHORIZED', status: 401 } as const
    const missing = { ...failure, kind: 'unusable', code: 'HTTP_CLIENT_ERROR', status: 404 } as const

    test('rejects the symbols of an unknown 417 only after five more calls in five minutes', () => {
      const { found, waitedMs } = failUntilEnd(live(toSubscriptions('A B')), unknown)
      expect(found).toMatchObject([...tries, { kind: 'rejected', code: 'SOMETHING_NEW' }])
      expect(waitedMs).toBe(300_000)
    })

    test('rejects nothing after one unknown response', () => {
      const machine = live(toSubscriptions('A B'))
      machine.send({ type: 'response', outcome: { ...unknown, status: 409 } })
      expect(callsOf(machine.send({ type: 'timer', timer: 'call' }))).toEqual(['subscribe US_STOCK 2: A B'])
      expect(noticesOf(machine.send(done))).toMatchObject([{ kind: 'subscribed', symbols: 2 }])
    })

    test('does not reject symbols at once that were confirmed before their connection was lost', () => {
      const machine = settled('A B')
      machine.send({ type: 'closed', systemCode: 'ECONNRESET', at: 10_000 })
      machine.send({ type: 'timer', timer: 'retry', at: 10_000 })
      machine.send({ type: 'connack', code: 0, at: 10_500 })
      const { found, waitedMs } = failUntilEnd(machine, rejected)
      expect(found).toMatchObject([...tries, { kind: 'rejected', code: 'HTTP_CLIENT_ERROR' }])
      expect(waitedMs).toBe(300_000)
      // For symbols that were never confirmed, the rejection is final.
      expect(failUntilEnd(live(toSubscriptions('A')), rejected).found).toMatchObject([{ kind: 'rejected' }])
    })

    test.each([
      ['401', forbidden, { kind: 'auth-rejected', signal: 'call', status: 401 }],
      ['404', missing, { kind: 'call-unusable', status: 404 }],
    ] as const)('status %s ends it after five more calls if calls succeeded before', (_, outcome, end) => {
      const { found, waitedMs, effects } = failUntilEnd(live(toSubscriptions('A')), {
        ...outcome,
        workedBefore: true,
      })
      expect(found).toMatchObject(tries)
      expect(waitedMs).toBe(300_000)
      expect(outcomeOf(effects)).toMatchObject(end)
    })

    test('allows five more retries after a success', () => {
      const machine = settled('A')
      const outcome = { ...missing, workedBefore: true }
      for (const symbols of ['A B', 'A B C', 'A B C D']) {
        machine.send({ type: 'set-desired', desired: toSubscriptions(symbols) })
        for (let call = 0; call < 4; call += 1) {
          expect(timerDelay(machine.send({ type: 'response', outcome }), 'call')).toBeGreaterThan(0)
          machine.send({ type: 'timer', timer: 'call' })
        }
        expect(noticesOf(machine.send(done))).toMatchObject([{ kind: 'subscribed' }])
      }
      expect(machine.state.phase).toBe('live')
    })

    test('waits longer for Retry-After, at most five minutes', () => {
      const waitOf = (outcome: CallOutcome) =>
        timerDelay(live(toSubscriptions('A')).send({ type: 'response', outcome }), 'call')
      expect(waitOf({ ...unknown, retryAfterMs: 60_000 })).toBe(60_000)
      expect(waitOf({ ...unknown, retryAfterMs: 86_400_000 })).toBe(300_000)
      expect(waitOf({ ...unknown, kind: 'failed', status: 503, retryAfterMs: 86_400_000 })).toBe(300_000)
    })

    test.each([
      [5, 'auth-rejected'],
      [103, 'auth-rejected'],
      [2, 'refused'],
    ])('CONNACK %i of a connection that was accepted before is tried five times more', (code, kind) => {
      const machine = settled('A')
      machine.send({ type: 'closed' })
      let waitedMs = 0
      for (const retriesLeft of [4, 3, 2, 1, 0]) {
        machine.send({ type: 'timer', timer: 'retry' })
        const effects = machine.send({ type: 'connack', code })
        expect(reconnecting(effects)).toMatchObject({ reason: 'refused', connackCode: code, retriesLeft })
        waitedMs += timerDelay(effects, 'retry') ?? 0
      }
      machine.send({ type: 'timer', timer: 'retry' })
      expect(outcomeOf(machine.send({ type: 'connack', code }))).toMatchObject({ kind })
      expect(waitedMs).toBe(300_000)
    })
  })

  test('treats a rejected unsubscribe call as successful', () => {
    const machine = settled('A B')
    machine.send({ type: 'set-desired', desired: toSubscriptions('B') })
    const effects = machine.send({ type: 'response', outcome: { ...rejection, kind: 'rejected' } })
    expect(noticesOf(effects)).toMatchObject([{ kind: 'subscribed', symbols: 1 }])
  })

  test('ignores the response of an earlier call or attempt', () => {
    const machine = live(toSubscriptions('A'))
    expect(machine.send({ ...done, call: 0 })).toEqual([])
    expect(machine.send({ ...done, attempt: 0 })).toEqual([])
    machine.send({ type: 'closed' })
    expect(machine.send(done)).toEqual([])
  })
})

describe('reconnecting', () => {
  test('reports a gap from the last activity to the confirmed set, with the confirmed symbols', () => {
    const machine = settled('A B')
    machine.send({ type: 'traffic', data: true, at: 9000 })
    const dropped = machine.send({ type: 'closed', systemCode: 'ECONNRESET', at: 10_000 })
    expect(reconnecting(dropped)).toMatchObject({
      reason: 'disconnected',
      systemCode: 'ECONNRESET',
      delayMs: 0,
    })
    machine.send({ type: 'set-desired', desired: toSubscriptions('B C') })
    machine.send({ type: 'timer', timer: 'retry', at: 10_000 })
    expect(callsOf(machine.send({ type: 'connack', code: 0, at: 10_500 }))).toEqual([
      'subscribe US_STOCK 2: B C',
    ])
    const effects = machine.send({ ...done, at: 11_000 })
    expect(noticesOf(effects)).toMatchObject([
      { kind: 'subscribed', symbols: 2 },
      { kind: 'gap', fromMs: 9000, toMs: 11_000, symbols: [{ category: 'US_STOCK', symbol: 'B' }] },
    ])
  })

  test('reports one gap over several attempts, from its start', () => {
    const machine = settled('A')
    machine.send({ type: 'traffic', data: true, at: 9000 })
    machine.send({ type: 'closed', at: 10_000 })
    for (let at = 11_000; at < 15_000; at += 1000) {
      machine.send({ type: 'timer', timer: 'retry', at })
      machine.send({ type: 'connack', code: 0, at })
      machine.send({ type: 'closed', at: at + 500 })
    }
    machine.send({ type: 'timer', timer: 'retry', at: 20_000 })
    machine.send({ type: 'connack', code: 0 })
    expect(noticesOf(machine.send({ ...done, at: 21_000 }))).toMatchObject([
      { kind: 'subscribed' },
      { kind: 'gap', fromMs: 9000, toMs: 21_000 },
    ])
  })

  /** A machine whose connection was dropped at 10 s, and accepted again at 11 s. */
  function droppedOnce(desired: Parameters<typeof live>[0], calls: number): TestConnection {
    const machine = live(desired)
    for (let call = 0; call < calls; call += 1) machine.send({ ...done, at: 2100 })
    machine.send({ type: 'traffic', data: true, at: 9000 })
    machine.send({ type: 'closed', at: 10_000 })
    machine.send({ type: 'timer', timer: 'retry', at: 10_500 })
    machine.send({ type: 'connack', code: 0, at: 11_000 })
    return machine
  }
  const stock = { category: 'US_STOCK', symbol: 'A' }
  const coin = { category: 'US_CRYPTO', symbol: 'B' }

  test('reports the gap of one category while the call of another one keeps failing', () => {
    const machine = droppedOnce(
      new Map([...toSubscriptions('A'), ...toSubscriptions('B', ['snapshot'], 'US_CRYPTO')]),
      2,
    )
    const effects = machine.send({ ...done, at: 12_000 })
    expect(noticesOf(effects)).toMatchObject([{ kind: 'gap', fromMs: 9000, toMs: 12_000, symbols: [stock] }])
    machine.send({ ...failed, at: 13_000 })
    machine.send({ type: 'timer', timer: 'call', at: 14_000 })
    expect(noticesOf(machine.send({ ...failed, at: 15_000 }))).toMatchObject([{ kind: 'subscribe-failed' }])
    machine.send({ type: 'timer', timer: 'call', at: 16_000 })
    expect(noticesOf(machine.send({ ...done, at: 17_000 }))).toMatchObject([
      { kind: 'subscribed' },
      { kind: 'gap', fromMs: 9000, toMs: 17_000, symbols: [coin] },
    ])
  })

  test('reports each gap from its own last activity if symbols are lost at different times', () => {
    const machine = live(toSubscriptions('A'))
    machine.send({ ...done, at: 2100 })
    machine.send({ type: 'traffic', data: true, at: 9000 })
    machine.send({ type: 'closed', at: 10_000 })
    machine.send({
      type: 'set-desired',
      desired: new Map([...toSubscriptions('B', ['snapshot'], 'US_CRYPTO'), ...toSubscriptions('A')]),
    })
    machine.send({ type: 'timer', timer: 'retry', at: 10_500 })
    machine.send({ type: 'connack', code: 0, at: 11_000 })
    // B is new, so it has no gap.
    expect(noticesOf(machine.send({ ...done, at: 12_000 }))).toEqual([])
    machine.send({ type: 'traffic', data: true, at: 13_000 })
    machine.send({ type: 'closed', at: 14_000 })
    machine.send({ type: 'timer', timer: 'retry', at: 14_500 })
    machine.send({ type: 'connack', code: 0, at: 15_000 })
    expect(noticesOf(machine.send({ ...done, at: 16_000 }))).toMatchObject([
      { kind: 'gap', fromMs: 13_000, toMs: 16_000, symbols: [coin] },
    ])
    expect(noticesOf(machine.send({ ...done, at: 17_000 }))).toMatchObject([
      { kind: 'subscribed' },
      { kind: 'gap', fromMs: 9000, toMs: 17_000, symbols: [stock] },
    ])
  })

  test('reports two gaps if one call restores symbols that were lost at two times', () => {
    const machine = droppedOnce(toSubscriptions('A'), 1)
    const lost = new Map([
      ['US_STOCK B', 4000],
      ['US_STOCK ELSEWHERE', 4000],
    ])
    machine.send({ type: 'closed', at: 11_500 })
    machine.send({ type: 'set-desired', desired: toSubscriptions('A B'), lost })
    machine.send({ type: 'timer', timer: 'retry', at: 11_600 })
    machine.send({ type: 'connack', code: 0, at: 11_700 })
    const effects = machine.send({ ...done, at: 12_000 })
    expect(noticesOf(effects)).toMatchObject([
      { kind: 'subscribed' },
      { kind: 'gap', fromMs: 9000, symbols: [stock] },
      { kind: 'gap', fromMs: 4000, symbols: [{ category: 'US_STOCK', symbol: 'B' }] },
    ])
    expect(machine.state.lost.size).toBe(0)
  })

  test('moves lost symbols without capacity to another connection, with the start of their gap', () => {
    const machine = droppedOnce(toSubscriptions('A B'), 1)
    const tooMany = { type: 'response', outcome: { kind: 'too-many' } } as const
    machine.send({ ...tooMany, at: 11_100 })
    expect(noticesOf(machine.send({ ...done, at: 11_200 }))).toMatchObject([
      { kind: 'gap', symbols: [stock] },
    ])
    const overflow = machine.send({ ...tooMany, at: 11_300 }).find(({ type }) => type === 'overflow')
    expect(overflow).toEqual({
      type: 'overflow',
      keys: ['US_STOCK B'],
      capacity: 1,
      lost: new Map([['US_STOCK B', 9000]]),
    })
  })

  test('reports no gap of symbols that are no longer desired, or that were rejected', () => {
    const machine = droppedOnce(toSubscriptions('A BAD C'), 1)
    machine.send({ type: 'set-desired', desired: toSubscriptions('A BAD') })
    const rejected = { ...rejection, kind: 'symbols-rejected', symbols: ['BAD'] } as const
    machine.send({ type: 'response', outcome: rejected, at: 12_000 })
    machine.send({ ...done, at: 12_100 })
    machine.send({ type: 'set-desired', desired: toSubscriptions('A BAD C'), at: 13_000 })
    expect(noticesOf(machine.send({ ...done, at: 14_000 }))).toMatchObject([{ kind: 'subscribed' }])
  })

  test('reports malformed bytes with their reason', () => {
    const machine = settled()
    expect(reconnecting(machine.send({ type: 'closed', fault: 'length' }))).toMatchObject({
      reason: 'malformed',
      fault: 'length',
    })
  })

  test('delays the next attempt if the broker closes before CONNACK', () => {
    const machine = testConnection()
    machine.send({ type: 'set-desired', desired: toSubscriptions('A') })
    expect(reconnecting(machine.send({ type: 'closed' }))).toMatchObject({ delayMs: 500 })
  })

  test('resets the backoff after a stable period', () => {
    const machine = settled('A')
    for (let drop = 0; drop < 4; drop += 1) {
      machine.send({ type: 'closed' })
      machine.send({ type: 'timer', timer: 'retry' })
      machine.send({ type: 'connack', code: 0 })
    }
    machine.send({ type: 'timer', timer: 'stable' })
    expect(reconnecting(machine.send({ type: 'closed' }))).toMatchObject({ delayMs: 0 })
    machine.send({ type: 'timer', timer: 'retry' })
    expect(reconnecting(machine.send({ type: 'closed', systemCode: 'ECONNREFUSED' }))).toMatchObject({
      delayMs: 500,
    })
  })

  test('ends after maxAttempts', () => {
    const machine = testConnection({ maxAttempts: 2 })
    machine.send({ type: 'set-desired', desired: toSubscriptions('A') })
    machine.send({ type: 'closed' })
    machine.send({ type: 'timer', timer: 'retry' })
    const effects = machine.send({ type: 'closed' })
    expect(outcomeOf(effects)).toEqual({ kind: 'gave-up', attempts: 2, reason: 'disconnected' })
    expect(machine.send({ type: 'set-desired', desired: toSubscriptions('B') })).toEqual([])
  })
})

describe('supervision', () => {
  test('sends a PING at each interval, and accepts any packet as the response', () => {
    const machine = settled('A', { pingIntervalMs: 30_000, pongTimeoutMs: 10_000 })
    const effects = machine.send({ type: 'timer', timer: 'liveness' })
    expect(effects).toContainEqual({ type: 'ping', attempt: 1 })
    expect(timerDelay(effects, 'liveness')).toBe(10_000)
    machine.send({ type: 'traffic', data: false })
    expect(timerDelay(machine.send({ type: 'timer', timer: 'liveness' }), 'liveness')).toBe(20_000)
    expect(machine.send({ type: 'timer', timer: 'liveness' })).toContainEqual({ type: 'ping', attempt: 1 })
  })

  test('closes the connection with DISCONNECT if there is no packet after a PING', () => {
    const machine = settled()
    // Traffic before the PING is not a response to it.
    machine.send({ type: 'traffic', data: true })
    machine.send({ type: 'timer', timer: 'liveness' })
    const effects = machine.send({ type: 'timer', timer: 'liveness' })
    expect(reconnecting(effects)).toMatchObject({ reason: 'heartbeat-lost', delayMs: 0 })
    expect(effects).toContainEqual({ type: 'close', attempt: 1, graceful: true })
  })

  test('reports a live connection without messages once, until the next message', () => {
    const machine = settled('A B', { stallTimeoutMs: 60_000 })
    const quiet = () => noticesOf(machine.send({ type: 'timer', timer: 'stall' }))
    machine.send({ type: 'traffic', data: true })
    expect(quiet()).toEqual([])
    expect(quiet()).toMatchObject([{ kind: 'stalled', idleMs: 60_000, symbols: 2 }])
    expect(quiet()).toEqual([])
    machine.send({ type: 'traffic', data: false })
    expect(quiet()).toEqual([])
    machine.send({ type: 'traffic', data: true })
    expect(quiet()).toEqual([])
    expect(quiet()).toMatchObject([{ kind: 'stalled' }])
  })

  test('sends all subscriptions again at each resubscribeIntervalMs, without a notice', () => {
    expect(
      timerDelay(live(toSubscriptions('A')).send({ type: 'timer', timer: 'resubscribe' }), 'resubscribe'),
    ).toBe(60_000)
    const machine = live(toSubscriptions('A B'), { resubscribeIntervalMs: 45_000 })
    machine.send(done)
    const effects = machine.send({ type: 'timer', timer: 'resubscribe' })
    expect(callsOf(effects)).toEqual(['subscribe US_STOCK 2: A B'])
    expect(timerDelay(effects, 'resubscribe')).toBe(45_000)
    expect(machine.send(done)).toEqual([])
  })

  test('closes with DISCONNECT on stop, and stays closed', () => {
    const machine = settled()
    const effects = machine.send({ type: 'stop' })
    expect(effects).toContainEqual({ type: 'close', attempt: 1, graceful: true })
    expect(outcomeOf(effects)).toEqual({ kind: 'stopped' })
    expect(machine.send({ type: 'set-desired', desired: toSubscriptions('A') })).toEqual([])
    expect(machine.send({ type: 'timer', timer: 'retry' })).toEqual([])
  })
})

test('names every invalid option of supervision', () => {
  for (const [option, value] of [
    ['connectTimeoutMs', 0],
    ['keepAliveMs', 999],
    ['retryCodes', [0]],
    ['retryCodes', 3],
    ['maxAttempts', 0],
    ['pingIntervalMs', 90_000],
    ['pongTimeoutMs', 90_000],
    ['pingTimeoutMs', 1],
  ] as const) {
    expect(() => parsePolicy({ [option]: value })).toThrow(`supervision.${option}`)
  }
})
