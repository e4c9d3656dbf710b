/** The state machine of the supervisor, event by event. */
import { describe, expect, test } from 'vitest'
import { noticesOf, outcomeOf, type TestMachine, testMachine, timerDelay } from '../test/machine.ts'
import type { SupervisionOptions } from './policy.ts'

function opened(options?: SupervisionOptions): TestMachine {
  const machine = testMachine(options)
  machine.send({ type: 'start', at: 1000 })
  machine.send({ type: 'sent', tokenSent: false, cursorSent: false })
  return machine
}

function live(options?: SupervisionOptions): TestMachine {
  const machine = opened(options)
  machine.send({ type: 'frame', frame: 'subscribed', at: 2000 })
  return machine
}

const reconnecting = (effects: Parameters<typeof noticesOf>[0]) =>
  noticesOf(effects).find((notice) => notice.kind === 'reconnecting')

/** Collects the delays of the attempts until the stream ends. */
function attempts(again: () => ReturnType<TestMachine['send']>) {
  const waitsMs: (number | undefined)[] = []
  const retriesLeft: (number | undefined)[] = []
  for (;;) {
    const effects = again()
    const outcome = outcomeOf(effects)
    if (outcome !== undefined || waitsMs.length > 10) return { waitsMs, retriesLeft, outcome }
    waitsMs.push(timerDelay(effects, 'retry'))
    retriesLeft.push(reconnecting(effects)?.retriesLeft)
  }
}

describe('an attempt', () => {
  test('makes the first attempt, with a timeout, after the event start', () => {
    const machine = testMachine({ subscribeTimeoutMs: 5000 })
    const effects = machine.send({ type: 'start' })
    expect(effects).toContainEqual({ type: 'open', attempt: 1 })
    expect(timerDelay(effects, 'subscribe')).toBe(5000)
    expect(machine.send({ type: 'start' })).toEqual([])
  })

  test('becomes live with SubscribeSuccess: sends the notice subscribed and calls the backfill hook', () => {
    const machine = opened()
    const effects = machine.send({ type: 'frame', frame: 'subscribed', connectionId: 'c1', at: 2000 })
    expect(machine.state.phase).toBe('live')
    expect(noticesOf(effects)).toEqual([
      { type: 'notice', kind: 'subscribed', atMs: 2000, attempt: 1, connectionId: 'c1', implied: false },
    ])
    expect(effects).toContainEqual({ type: 'backfill', cause: 'subscribed' })
    expect(effects).toContainEqual({ type: 'clear-timer', timer: 'subscribe' })
    const live = { hostMs: 2000, serviceMs: undefined, implied: false, cursorRejected: false }
    expect(effects).toContainEqual({ type: 'live', ...live })
  })

  test('becomes live with an event before SubscribeSuccess, and the notice states that it is implied', () => {
    const machine = opened()
    const effects = machine.send({ type: 'frame', frame: 'event' })
    expect(machine.state.phase).toBe('live')
    expect(noticesOf(effects)).toMatchObject([{ kind: 'subscribed', implied: true }])
    expect(noticesOf(machine.send({ type: 'frame', frame: 'subscribed' }))).toEqual([])
  })

  test.each(['ping', 'unknown'] as const)('does not become live with a frame of class %s', (frame) => {
    const machine = opened()
    expect(machine.send({ type: 'frame', frame })).toEqual([])
    expect(machine.state.phase).toBe('opening')
    expect(reconnecting(machine.send({ type: 'timer', timer: 'subscribe' }))).toMatchObject({
      reason: 'subscribe-timeout',
    })
  })

  test('that ends before SubscribeSuccess is followed by a delay, the first time too', () => {
    const machine = opened({ backoffBaseMs: 1000 })
    const effects = machine.send({ type: 'ended', random: 0.5 })
    expect(reconnecting(effects)).toMatchObject({
      reason: 'ended-before-subscribed',
      delayMs: 500,
      attempt: 2,
    })
    expect(effects).toContainEqual({ type: 'close', attempt: 1 })
  })

  test('ignores events of an earlier attempt', () => {
    const machine = live()
    machine.send({ type: 'failed', status: 'unavailable' })
    machine.send({ type: 'timer', timer: 'retry' })
    const before = machine.state
    expect(machine.send({ type: 'frame', frame: 'auth-error', attempt: 1 })).toEqual([])
    expect(machine.send({ type: 'ended', attempt: 1 })).toEqual([])
    expect(machine.state).toBe(before)
  })
})

describe('a reconnect', () => {
  test('has no delay the first time, then a random part of a limit that doubles', () => {
    const machine = live({ backoffBaseMs: 1000, backoffMaxMs: 3000 })
    const delaysMs: (number | undefined)[] = []
    for (let n = 0; n < 5; n += 1) {
      const effects = machine.send({ type: 'failed', status: 'unavailable', random: 0.5 })
      delaysMs.push(timerDelay(effects, 'retry'))
      machine.send({ type: 'timer', timer: 'retry' })
    }
    expect(delaysMs).toEqual([0, 500, 1000, 1500, 1500])
  })

  test('has no delay again after a stable period, and not before', () => {
    const machine = live({ backoffBaseMs: 1000 })
    const again = (): number | undefined => {
      const delayMs = timerDelay(machine.send({ type: 'failed', status: 'internal' }), 'retry')
      machine.send({ type: 'timer', timer: 'retry' })
      machine.send({ type: 'frame', frame: 'subscribed' })
      return delayMs
    }
    expect(again()).toBe(0)
    expect(again()).toBe(500)
    machine.send({ type: 'timer', timer: 'stable' })
    expect(again()).toBe(0)
  })

  test.each(['unavailable', 'internal', 'unknown', 'aborted', 'cancelled', 'deadline_exceeded'] as const)(
    'has no delay after the status %s',
    (status) => {
      const effects = opened().send({ type: 'failed', status, serverMessage: 'why' })
      expect(reconnecting(effects)).toMatchObject({ reason: 'status', status, message: 'why', delayMs: 0 })
    },
  )

  test.each(['resource_exhausted', 'data_loss'] as const)(
    'always has a delay after the status %s',
    (status) => {
      expect(reconnecting(live().send({ type: 'failed', status }))).toMatchObject({ delayMs: 500 })
    },
  )

  test.each([
    'invalid_argument',
    'not_found',
    'already_exists',
    'failed_precondition',
    'out_of_range',
    'unimplemented',
  ] as const)(
    'does not follow the status %s before SubscribeSuccess, and follows it after SubscribeSuccess',
    (status) => {
      expect(outcomeOf(opened().send({ type: 'failed', status, serverMessage: 'why' }))).toEqual({
        kind: 'refused',
        status,
        serverMessage: 'why',
      })
      expect(reconnecting(live().send({ type: 'failed', status }))).toMatchObject({ delayMs: 500 })
    },
  )

  describe.each([
    'invalid_argument',
    'not_found',
    'already_exists',
    'failed_precondition',
    'out_of_range',
    'unimplemented',
  ] as const)('the status %s of a stream that was live before', (status) => {
    const dropped = (): TestMachine => {
      const machine = live()
      machine.send({ type: 'failed', status: 'unavailable' })
      return machine
    }
    const refuse = (machine: TestMachine, retryAfterMs?: number) => {
      machine.send({ type: 'timer', timer: 'retry' })
      return machine.send({ type: 'failed', status, serverMessage: 'why', retryAfterMs })
    }

    test('does not end the stream if it occurs once', () => {
      const machine = dropped()
      expect(outcomeOf(refuse(machine))).toBeUndefined()
      machine.send({ type: 'timer', timer: 'retry' })
      machine.send({ type: 'frame', frame: 'subscribed' })
      expect(machine.state.phase).toBe('live')
    })

    test('ends the stream after five more attempts in five minutes, and each attempt is a notice', () => {
      const machine = dropped()
      expect(attempts(() => refuse(machine))).toEqual({
        waitsMs: [5000, 15_000, 40_000, 90_000, 150_000],
        retriesLeft: [4, 3, 2, 1, 0],
        outcome: { kind: 'refused', status, serverMessage: 'why' },
      })
    })

    test('ends the stream if it follows each SubscribeSuccess; a stable period allows five more attempts', () => {
      const machine = live()
      const refuseLive = () => {
        machine.send({ type: 'timer', timer: 'retry' })
        machine.send({ type: 'frame', frame: 'subscribed' })
        return machine.send({ type: 'failed', status })
      }
      for (let times = 0; times < 4; times += 1) expect(outcomeOf(refuseLive())).toBeUndefined()
      machine.send({ type: 'timer', timer: 'retry' })
      machine.send({ type: 'frame', frame: 'subscribed' })
      machine.send({ type: 'timer', timer: 'stable' })
      expect(attempts(refuseLive)).toMatchObject({
        waitsMs: [500, 15_000, 40_000, 90_000, 150_000],
        outcome: { kind: 'refused', status },
      })
    })

    test('is followed by the delay that the service asks for, at most five minutes', () => {
      expect(timerDelay(refuse(dropped(), 60_000), 'retry')).toBe(60_000)
      expect(timerDelay(refuse(dropped(), Number.POSITIVE_INFINITY), 'retry')).toBe(300_000)
    })
  })

  test('has the delay that the service asks for, at most five minutes', () => {
    const wait = (status: 'unavailable' | 'resource_exhausted', retryAfterMs: number) =>
      timerDelay(live().send({ type: 'failed', status, retryAfterMs }), 'retry')
    expect(wait('unavailable', 7000)).toBe(7000)
    expect(wait('resource_exhausted', 7000)).toBe(7000)
    expect(wait('resource_exhausted', 100)).toBe(500)
    expect(wait('unavailable', Number.POSITIVE_INFINITY)).toBe(300_000)
  })

  test.each([
    ['expired', 'expired'],
    ['ended', 'ended'],
  ] as const)(
    'has no delay after %s the first time, and the backoff after the second time',
    (what, reason) => {
      const machine = live()
      const happen = () =>
        what === 'ended' ? machine.send({ type: 'ended' }) : machine.send({ type: 'frame', frame: 'expired' })
      expect(reconnecting(happen())).toMatchObject({ reason, delayMs: 0 })
      machine.send({ type: 'timer', timer: 'retry' })
      machine.send({ type: 'frame', frame: 'subscribed' })
      expect(reconnecting(happen())).toMatchObject({ reason, delayMs: 500 })
    },
  )

  test('sends the notice before the effect live, which has the time of both clocks', () => {
    const machine = live()
    machine.send({ type: 'failed', status: 'unavailable', at: 4000 })
    machine.send({ type: 'timer', timer: 'retry', at: 4000 })
    machine.send({ type: 'failed', status: 'unavailable', at: 5000 })
    machine.send({ type: 'timer', timer: 'retry', at: 6000 })
    const effects = machine.send({ type: 'frame', frame: 'subscribed', serverTimeMs: 9000, at: 7000 })
    const instants = { hostMs: 7000, serviceMs: 9000 }
    expect(effects).toContainEqual({ type: 'live', ...instants, implied: false, cursorRejected: false })
    expect(effects.findIndex((effect) => effect.type === 'notify')).toBeLessThan(
      effects.findIndex((effect) => effect.type === 'live'),
    )
  })

  test('does not follow the last attempt that maxAttempts allows', () => {
    const machine = opened({ maxAttempts: 2 })
    machine.send({ type: 'failed', status: 'unavailable' })
    machine.send({ type: 'timer', timer: 'retry' })
    expect(outcomeOf(machine.send({ type: 'failed', status: 'unavailable' }))).toEqual({
      kind: 'gave-up',
      limit: 'attempts',
      attempts: 2,
      reason: 'status',
    })
  })

  test('does not follow an outage longer than maxElapsedMs, measured from its start', () => {
    const machine = live({ maxElapsedMs: 10_000 })
    expect(timerDelay(machine.send({ type: 'failed', status: 'unavailable' }), 'give-up')).toBe(10_000)
    machine.send({ type: 'timer', timer: 'retry' })
    expect(timerDelay(machine.send({ type: 'failed', status: 'unavailable' }), 'give-up')).toBeUndefined()
    machine.send({ type: 'timer', timer: 'retry' })
    expect(outcomeOf(machine.send({ type: 'timer', timer: 'give-up' }))).toMatchObject({
      kind: 'gave-up',
      limit: 'elapsed',
    })
  })

  test('counts the time of the recovery after an AuthError for maxElapsedMs', () => {
    const machine = live({ maxElapsedMs: 10_000 })
    const effects = machine.send({ type: 'frame', frame: 'auth-error' })
    expect(timerDelay(effects, 'give-up')).toBe(10_000)
    expect(timerDelay(machine.send({ type: 'recovered', retry: true }), 'give-up')).toBeUndefined()
    machine.send({ type: 'timer', timer: 'retry' })
    expect(timerDelay(machine.send({ type: 'frame', frame: 'auth-error' }), 'give-up')).toBeUndefined()
    expect(outcomeOf(machine.send({ type: 'timer', timer: 'give-up' }))).toMatchObject({ limit: 'elapsed' })
  })

  test('is not made if maxElapsedMs passes during the recovery after an AuthError', () => {
    const machine = live({ maxElapsedMs: 10_000 })
    machine.send({ type: 'frame', frame: 'auth-error' })
    const effects = machine.send({ type: 'timer', timer: 'give-up' })
    expect(effects).toContainEqual({ type: 'close', attempt: 1 })
    expect(outcomeOf(effects)).toEqual({
      kind: 'gave-up',
      limit: 'elapsed',
      attempts: 1,
      reason: 'auth-error',
    })
    expect(machine.send({ type: 'recovered', retry: true })).toEqual([])
  })

  test('restarts the time of maxElapsedMs after an outage has ended', () => {
    const machine = live({ maxElapsedMs: 10_000 })
    machine.send({ type: 'failed', status: 'unavailable' })
    machine.send({ type: 'timer', timer: 'retry' })
    expect(machine.send({ type: 'frame', frame: 'subscribed' })).toContainEqual({
      type: 'clear-timer',
      timer: 'give-up',
    })
    expect(machine.send({ type: 'timer', timer: 'give-up' })).toEqual([])
    expect(timerDelay(machine.send({ type: 'failed', status: 'unavailable' }), 'give-up')).toBe(10_000)
  })
})

describe('NumOfConnExceed', () => {
  test('is followed by a wait of 60 s, which doubles up to 10 min', () => {
    const machine = opened()
    const delaysMs: (number | undefined)[] = []
    for (let n = 0; n < 6; n += 1) {
      delaysMs.push(reconnecting(machine.send({ type: 'frame', frame: 'connection-limit' }))?.delayMs)
      machine.send({ type: 'timer', timer: 'retry' })
    }
    expect(delaysMs).toEqual([60_000, 120_000, 240_000, 480_000, 600_000, 600_000])
  })

  test('less than a minute after the own subscription was lost is reported with slotStillHeld', () => {
    const machine = live()
    machine.send({ type: 'failed', status: 'unavailable', at: 10_000 })
    machine.send({ type: 'timer', timer: 'retry' })
    const effects = machine.send({ type: 'frame', frame: 'connection-limit', at: 69_999 })
    expect(reconnecting(effects)).toMatchObject({ reason: 'connection-limit', slotStillHeld: true })
    machine.send({ type: 'timer', timer: 'retry' })
    expect(
      reconnecting(machine.send({ type: 'frame', frame: 'connection-limit', at: 130_000 })),
    ).toMatchObject({ slotStillHeld: false })
  })

  test('less than a minute after another subscription of the app key was lost is reported with slotStillHeld', () => {
    const machine = opened()
    const effects = machine.send({ type: 'frame', frame: 'connection-limit', recentDropMs: 900, at: 1000 })
    expect(reconnecting(effects)).toMatchObject({ slotStillHeld: true })
  })
})

describe('AuthError', () => {
  test('without a token leads to one more attempt after the clock was corrected, then ends the stream', () => {
    const machine = opened()
    const first = machine.send({ type: 'frame', frame: 'auth-error', serverTimeMs: 77 })
    expect(first).toContainEqual({ type: 'recover', attempt: 1, mode: 'clock', serverTimeMs: 77 })
    expect(reconnecting(machine.send({ type: 'recovered', retry: true }))).toMatchObject({
      reason: 'auth-error',
      delayMs: 0,
    })
    machine.send({ type: 'timer', timer: 'retry' })
    machine.send({ type: 'sent', tokenSent: false, cursorSent: false })
    expect(outcomeOf(machine.send({ type: 'frame', frame: 'auth-error' }))).toEqual({
      kind: 'auth-rejected',
      signal: 'auth-error',
      status: undefined,
      tokenSent: false,
    })
  })

  test('of a stream that was live corrects the clock and leads to five more attempts in five minutes, then ends the stream', () => {
    const machine = live()
    machine.send({ type: 'frame', frame: 'auth-error' })
    machine.send({ type: 'recovered', retry: true })
    const again = () => {
      machine.send({ type: 'timer', timer: 'retry' })
      machine.send({ type: 'sent', tokenSent: false, cursorSent: false })
      // The clock may have jumped again since the last attempt.
      expect(machine.send({ type: 'frame', frame: 'auth-error' })).toContainEqual(
        expect.objectContaining({ type: 'recover', mode: 'clock' }),
      )
      return machine.send({ type: 'recovered', retry: true })
    }
    expect(attempts(again)).toEqual({
      waitsMs: [5000, 15_000, 40_000, 90_000, 150_000],
      retriesLeft: [4, 3, 2, 1, 0],
      outcome: { kind: 'auth-rejected', signal: 'auth-error', status: undefined, tokenSent: false },
    })
  })

  test('of a stream that was live with a token asks for another token before each attempt', () => {
    const machine = live()
    const again = () => {
      if (machine.state.phase === 'waiting') machine.send({ type: 'timer', timer: 'retry' })
      machine.send({ type: 'sent', tokenSent: true, cursorSent: false })
      const effects = machine.send({ type: 'frame', frame: 'auth-error' })
      if (machine.state.phase !== 'recovering') return effects
      expect(effects).toContainEqual(expect.objectContaining({ type: 'recover', mode: 'token' }))
      return machine.send({ type: 'recovered', retry: false })
    }
    machine.send({ type: 'ended' })
    const { waitsMs, outcome } = attempts(again)
    expect(waitsMs).toEqual([5000, 15_000, 40_000, 90_000, 150_000])
    expect(outcome).toMatchObject({ kind: 'auth-rejected', tokenSent: true })
  })

  test('allows five more attempts after a stable period, but not after SubscribeSuccess alone', () => {
    const machine = live()
    const fail = () => {
      machine.send({ type: 'frame', frame: 'auth-error' })
      return machine.send({ type: 'recovered', retry: true })
    }
    const again = () => {
      machine.send({ type: 'timer', timer: 'retry' })
      machine.send({ type: 'frame', frame: 'subscribed' })
      return fail()
    }
    fail()
    for (let times = 0; times < 3; times += 1) again()
    machine.send({ type: 'timer', timer: 'retry' })
    machine.send({ type: 'frame', frame: 'subscribed' })
    machine.send({ type: 'timer', timer: 'stable' })
    fail()
    const { waitsMs, outcome } = attempts(again)
    expect(waitsMs).toHaveLength(5)
    expect(outcome).toMatchObject({ kind: 'auth-rejected' })
  })

  test('with a token leads to another attempt only if there is another token', () => {
    for (const retry of [true, false]) {
      const machine = testMachine()
      machine.send({ type: 'start' })
      machine.send({ type: 'sent', tokenSent: true, cursorSent: false })
      const effects = machine.send({ type: 'frame', frame: 'auth-error' })
      expect(effects).toContainEqual({ type: 'recover', attempt: 1, mode: 'token', serverTimeMs: undefined })
      const outcome = outcomeOf(machine.send({ type: 'recovered', retry }))
      if (retry) expect(machine.state.phase).toBe('waiting')
      else expect(outcome).toMatchObject({ kind: 'auth-rejected', tokenSent: true })
    }
  })

  test('leads to another attempt after the backoff if the token provider fails with a retryable error', () => {
    const machine = testMachine()
    machine.send({ type: 'start' })
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      machine.send({ type: 'sent', tokenSent: true, cursorSent: false })
      machine.send({ type: 'frame', frame: 'auth-error' })
      const effects = machine.send({ type: 'recovered', retry: false, retryLater: true })
      const notice = reconnecting(effects)
      expect(notice).toMatchObject({ reason: 'access-token' })
      expect(notice?.delayMs).toBeGreaterThan(0)
      machine.send({ type: 'timer', timer: 'retry' })
    }
  })

  test('leads to the next attempt if the recovery does not end in time', () => {
    const machine = opened({ subscribeTimeoutMs: 5000 })
    expect(timerDelay(machine.send({ type: 'frame', frame: 'auth-error' }), 'recover')).toBe(5000)
    machine.send({ type: 'timer', timer: 'recover' })
    expect(machine.state.phase).toBe('waiting')
  })

  test.each(['unauthenticated', 'permission_denied'] as const)(
    'has the same meaning as the status %s',
    (status) => {
      const machine = opened()
      machine.send({ type: 'failed', status })
      expect(machine.state).toMatchObject({ phase: 'recovering', signal: 'status', failure: { status } })
    },
  )

  test('of a status keeps Retry-After, the message and the host of the service', () => {
    const machine = opened()
    const failure = { serverMessage: 'wrong signature', host: 'events.test:443', retryAfterMs: 20_000 }
    machine.send({ type: 'failed', status: 'unauthenticated', ...failure })
    expect(reconnecting(machine.send({ type: 'recovered', retry: true }))).toMatchObject({
      reason: 'auth-error',
      status: 'unauthenticated',
      message: 'wrong signature',
      host: 'events.test:443',
      delayMs: 20_000,
    })
  })
})

describe('a cursor that the service rejects', () => {
  const withCursor = (options?: SupervisionOptions) => {
    const machine = testMachine(options)
    machine.send({ type: 'start' })
    machine.send({ type: 'sent', tokenSent: false, cursorSent: true })
    return machine
  }

  test('ends the stream by default', () => {
    expect(outcomeOf(withCursor().send({ type: 'failed', status: 'out_of_range' }))).toMatchObject({
      kind: 'cursor-rejected',
      status: 'out_of_range',
    })
  })

  test("is discarded with 'from-now', and the effect live reports it", () => {
    const machine = withCursor({ onCursorRejected: 'from-now' })
    const effects = machine.send({ type: 'failed', status: 'out_of_range' })
    expect(effects[0]).toEqual({ type: 'reset-cursors' })
    expect(reconnecting(effects)).toMatchObject({ reason: 'cursor-rejected', delayMs: 0 })
    machine.send({ type: 'timer', timer: 'retry' })
    machine.send({ type: 'sent', tokenSent: false, cursorSent: false })
    expect(machine.send({ type: 'frame', frame: 'subscribed', at: 9000 })).toContainEqual({
      type: 'live',
      hostMs: 9000,
      serviceMs: undefined,
      implied: false,
      cursorRejected: true,
    })
  })

  /** A module stream that was live, lost its connection, and will send its cursor. */
  const liveBefore = (options?: SupervisionOptions) => {
    const machine = live(options)
    machine.send({ type: 'failed', status: 'unavailable' })
    return machine
  }
  const refuse = (machine: TestMachine, status: 'invalid_argument' | 'not_found' | 'out_of_range') => {
    machine.send({ type: 'timer', timer: 'retry' })
    machine.send({ type: 'sent', tokenSent: false, cursorSent: true })
    return machine.send({ type: 'failed', status })
  }

  test.each(['invalid_argument', 'not_found'] as const)(
    'is kept for five more attempts after the status %s of a stream that was live, because a proxy may have sent it',
    (status) => {
      const failing = liveBefore()
      expect(attempts(() => refuse(failing, status))).toMatchObject({
        waitsMs: [5000, 15_000, 40_000, 90_000, 150_000],
        outcome: { kind: 'cursor-rejected', status },
      })
      const machine = liveBefore({ onCursorRejected: 'from-now' })
      for (let times = 0; times < 5; times += 1)
        expect(refuse(machine, status)).not.toContainEqual({ type: 'reset-cursors' })
      expect(refuse(machine, status)).toContainEqual({ type: 'reset-cursors' })
    },
  )

  test('is discarded at once after a status that only a service sends', () => {
    expect(outcomeOf(refuse(liveBefore(), 'out_of_range'))).toMatchObject({ kind: 'cursor-rejected' })
    const machine = liveBefore({ onCursorRejected: 'from-now' })
    expect(refuse(machine, 'out_of_range')).toContainEqual({ type: 'reset-cursors' })
  })

  test('does not explain a second refusal without a cursor, so the stream ends with refused', () => {
    const machine = withCursor({ onCursorRejected: 'from-now' })
    machine.send({ type: 'failed', status: 'invalid_argument' })
    machine.send({ type: 'timer', timer: 'retry' })
    machine.send({ type: 'sent', tokenSent: false, cursorSent: false })
    expect(outcomeOf(machine.send({ type: 'failed', status: 'invalid_argument' }))).toMatchObject({
      kind: 'refused',
    })
  })
})

describe('the liveness check', () => {
  const options = {
    heartbeatTimeoutMs: 100_000,
    minHeartbeatTimeoutMs: 10_000,
    maxHeartbeatTimeoutMs: 200_000,
  }

  /** The notices and the next delay of several checks in a row. */
  const checks = (machine: TestMachine, count: number) =>
    Array.from({ length: count }, () => {
      const effects = machine.send({ type: 'timer', timer: 'liveness' })
      return [...noticesOf(effects).map(({ kind }) => kind), timerDelay(effects, 'liveness')]
    })

  const checksUntilLost = (machine: TestMachine) => {
    for (;;) {
      const effects = machine.send({ type: 'timer', timer: 'liveness' })
      if (machine.state.phase !== 'live') return effects
    }
  }

  test('sends heartbeat-late after 60 % of the timeout and reconnects at its end, in ten checks', () => {
    const machine = live(options)
    const late = ['heartbeat-late', 10_000]
    expect(checks(machine, 9)).toEqual([...Array(5).fill([10_000]), late, ...Array(3).fill([10_000])])
    expect(reconnecting(machine.send({ type: 'timer', timer: 'liveness' }))).toMatchObject({
      reason: 'heartbeat-lost',
    })
  })

  test('sends a notice with the time without a frame and with the timeout', () => {
    const machine = live({ ...options, heartbeatTimeoutMs: 99_999 })
    expect(checks(machine, 5).at(-1)).toEqual([9999])
    const late = machine.send({ type: 'timer', timer: 'liveness' })
    expect(noticesOf(late)).toMatchObject([{ kind: 'heartbeat-late', idleMs: 59_999, timeoutMs: 99_999 }])
  })

  test('starts again after any frame, also after the notice', () => {
    const machine = live(options)
    checks(machine, 5)
    machine.send({ type: 'frame', frame: 'event' })
    expect(checks(machine, 6).flat()).toEqual([...Array(5).fill(10_000), 'heartbeat-late', 10_000])
    expect(timerDelay(machine.send({ type: 'frame', frame: 'event' }), 'liveness')).toBe(10_000)
    expect(checks(machine, 6).flat()).toContain('heartbeat-late')
  })

  test('has a timeout that follows the ping interval, measured by the timestamps of the pings', () => {
    const machine = live(options)
    machine.send({ type: 'frame', frame: 'ping', serverTimeMs: 1_000_000 })
    const effects = machine.send({ type: 'frame', frame: 'ping', serverTimeMs: 1_020_000 })
    expect(machine.state.pingIntervalMs).toBe(20_000)
    expect(timerDelay(effects, 'liveness')).toBe(5000)
  })

  test.each([20_000, undefined])(
    'uses the timestamp of the last ping, %j, or the time of its receipt',
    (lastPingMs) => {
      const machine = live(options)
      machine.send({ type: 'frames', pings: 1, lastPingMs, at: 80_000 })
      expect(machine.state).toMatchObject({ lastPingMs: lastPingMs ?? 80_000 })
      machine.send({ type: 'frame', frame: 'ping', serverTimeMs: 75_000 })
      expect(machine.state).toMatchObject({ lastPingMs: 75_000 })
    },
  )

  test('measures the ping interval again after a timeout, so that a wrong interval does not end every later connection', () => {
    const machine = live(options)
    machine.send({ type: 'frame', frame: 'ping', serverTimeMs: 1_000_000 })
    machine.send({ type: 'frame', frame: 'ping', serverTimeMs: 1_020_000 })
    expect(reconnecting(checksUntilLost(machine))).toMatchObject({ reason: 'heartbeat-lost' })
    machine.send({ type: 'timer', timer: 'retry' })
    expect(timerDelay(machine.send({ type: 'frame', frame: 'subscribed' }), 'liveness')).toBe(10_000)
  })

  test.each([
    ['a clock that jumps forward', 1_000_000_000, 10_000],
    ['a clock that jumps back', 1, 10_000],
    ['very frequent pings', 1_000_001, 1000],
  ])('keeps the timeout within its limits after %s', (_, serverTimeMs, stepMs) => {
    const machine = live(options)
    machine.send({ type: 'frame', frame: 'ping', serverTimeMs: 1_000_000 })
    expect(timerDelay(machine.send({ type: 'frame', frame: 'ping', serverTimeMs }), 'liveness')).toBe(stepMs)
  })

  test('is stopped while the consumer is slow', () => {
    const machine = live(options)
    expect(machine.send({ type: 'pause' })).toEqual([{ type: 'clear-timer', timer: 'liveness' }])
    expect(machine.send({ type: 'timer', timer: 'liveness' })).toEqual([])
    expect(machine.send({ type: 'frame', frame: 'ping' })).toEqual([])
    expect(timerDelay(machine.send({ type: 'resume' }), 'liveness')).toBe(10_000)
  })

  test('stops the timeout of an attempt while the consumer is slow', () => {
    const machine = opened()
    expect(machine.send({ type: 'pause' })).toEqual([{ type: 'clear-timer', timer: 'subscribe' }])
    expect(timerDelay(machine.send({ type: 'resume' }), 'subscribe')).toBe(30_000)
  })

  test('calls the backfill hook at each interval while the stream is live', () => {
    const machine = live({ backfillIntervalMs: 5000 })
    const effects = machine.send({ type: 'timer', timer: 'backfill' })
    expect(effects).toContainEqual({ type: 'backfill', cause: 'timer' })
    expect(timerDelay(effects, 'backfill')).toBe(5000)
  })
})

describe('the end of a stream', () => {
  test.each(['opening', 'live', 'waiting', 'recovering'] as const)(
    'follows stop() in the phase %s',
    (phase) => {
      const machine = phase === 'live' ? live() : opened()
      if (phase === 'waiting') machine.send({ type: 'ended' })
      if (phase === 'recovering') machine.send({ type: 'frame', frame: 'auth-error' })
      expect(machine.state.phase).toBe(phase)
      const effects = machine.send({ type: 'stop' })
      expect(outcomeOf(effects)).toEqual({ kind: 'stopped' })
      expect(effects).toContainEqual({ type: 'close', attempt: 1 })
      expect(machine.send({ type: 'timer', timer: 'retry' })).toEqual([])
    },
  )

  test('follows an error of the signer, and not a retryable error of the token provider', () => {
    expect(outcomeOf(opened().send({ type: 'not-sent', step: 'signature', retryable: false }))).toEqual({
      kind: 'not-sent',
      step: 'signature',
    })
    expect(
      reconnecting(opened().send({ type: 'not-sent', step: 'access-token', retryable: true })),
    ).toMatchObject({ reason: 'access-token', delayMs: 500 })
  })

  test('follows five more attempts if the token provider fails for a stream that was live', () => {
    const machine = live()
    machine.send({ type: 'ended' })
    const fail = (step: 'access-token' | 'signature') => {
      machine.send({ type: 'timer', timer: 'retry' })
      return machine.send({ type: 'not-sent', step, retryable: false })
    }
    const { waitsMs, outcome } = attempts(() => fail('access-token'))
    expect(waitsMs).toEqual([5000, 15_000, 40_000, 90_000, 150_000])
    expect(outcome).toEqual({ kind: 'not-sent', step: 'access-token' })
  })
})
