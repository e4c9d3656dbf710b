/** The supervisor with scripted attempts, on virtual time. */
import { createSeededRandom } from '@brokerwire/core/testing'
import { describe, expect, test } from 'vitest'
import { type Script, startScript } from '../test/scripted.ts'

const kinds = (script: Script): string[] => script.notices.map((notice) => notice.kind)

async function live(...args: Parameters<typeof startScript>): Promise<Script> {
  const script = startScript(...args)
  await script.clock.settle()
  script.attempt().accept()
  script.attempt().frame('subscribed')
  await script.clock.settle()
  return script
}

test('reports the end of a live subscription to the budget, for other streams of the app key', async () => {
  const script = await live()
  const droppedMs = script.clock.now()
  script.attempt().end()
  await script.clock.advance(5000)
  expect(script.budget.lastReleaseMs).toBe(droppedMs)
})

describe('the supervisor', () => {
  test('cancels an attempt that takes too long, and makes another one', async () => {
    const script = startScript({ subscribeTimeoutMs: 5000 })
    await script.clock.advance(4999)
    expect(script.attempts.length).toBe(1)
    await script.clock.advance(1)
    expect(script.attempts.map((attempt) => attempt.signal.aborted)).toEqual([true, false])
    expect(script.notices).toMatchObject([{ kind: 'reconnecting', reason: 'subscribe-timeout', delayMs: 0 }])
  })

  test('sends heartbeat-late for a connection without frames, then replaces it', async () => {
    const script = await live({ heartbeatTimeoutMs: 100_000 })
    await script.clock.advance(60_000)
    expect(kinds(script)).toEqual(['subscribed', 'heartbeat-late'])
    await script.clock.advance(40_000)
    expect(script.attempts[0]?.signal.aborted).toBe(true)
    expect(script.attempts.length).toBe(2)
  })

  test('detects a lost network within two and a half ping intervals, even if an event followed the last ping', async () => {
    const intervalMs = 60_000
    for (const afterPingMs of [0, 1, 1000, 14_999, 15_000, 30_000, 59_000]) {
      const script = await live()
      for (let ping = 0; ping < 4; ping++) {
        script.attempt().frame('ping', { serverTimeMs: script.clock.now() })
        await script.clock.advance(ping < 3 ? intervalMs : afterPingMs)
      }
      script.attempt().frame('event')
      await script.clock.settle()
      const diedMs = script.clock.now()
      while (script.attempts[0]?.signal.aborted === false) await script.clock.advance(100)
      const intervals = (script.clock.now() - diedMs) / intervalMs
      expect(intervals).toBeLessThanOrEqual(2.5)
      expect(intervals).toBeGreaterThanOrEqual(2.25)
      expect(kinds(script)).toEqual(['subscribed', 'heartbeat-late', 'reconnecting'])
      script.supervisor.stop()
    }
  })

  test.each([
    ['before the notice', 50_000, 0],
    ['after the notice', 100_000, 1],
  ])(
    'uses the timestamp of a frame that was delayed in the network, %s',
    async (_, heartbeatTimeoutMs, warnings) => {
      const script = await live()
      await script.clock.advance(heartbeatTimeoutMs)
      expect(kinds(script).filter((kind) => kind === 'heartbeat-late').length).toBe(warnings)
      const hostMs = script.clock.now()
      script.attempt().frame('event', { serverTimeMs: hostMs - 20_000 })
      await script.clock.settle()
      expect(script.received.at(-1)).toEqual({ hostMs, serviceMs: hostMs - 20_000 })
      script.supervisor.stop()
    },
  )

  test.each([10_000, undefined])(
    'uses the timestamp of an event after a ping, sent %j ms before, in the same batch',
    async (agoMs) => {
      const script = await live()
      await script.clock.advance(20_000)
      const hostMs = script.clock.now()
      script.attempt().frame('ping', { serverTimeMs: agoMs && hostMs - agoMs })
      script.attempt().frame('event', { serverTimeMs: hostMs - 5000 })
      await script.clock.settle()
      expect(script.received.at(-1)).toEqual({ hostMs, serviceMs: hostMs - 5000 })
      script.supervisor.stop()
    },
  )

  test('ignores missing frames while the consumer is slow', async () => {
    const script = await live({ heartbeatTimeoutMs: 100_000 })
    script.setFull(true)
    script.attempt().frame('event', { id: 1 })
    await script.clock.advance(3_600_000)
    expect(kinds(script)).toEqual(['subscribed'])
    expect(script.attempts.length).toBe(1)
    script.setFull(false)
    await script.clock.advance(100_000)
    expect(kinds(script)).toContain('heartbeat-late')
  })

  test('makes no attempt while the consumer is slow', async () => {
    const script = await live()
    script.setFull(true)
    script.attempt().fail('unavailable')
    await script.clock.advance(3_600_000)
    expect(kinds(script)).toEqual(['subscribed', 'reconnecting'])
    expect(script.attempts.length).toBe(1)
    script.setFull(false)
    await script.clock.settle()
    expect(script.attempts.length).toBe(2)
  })

  test('is not affected by a clock that jumps', async () => {
    const script = await live({ heartbeatTimeoutMs: 100_000 })
    script.clock.jumpTo(script.clock.now() + 86_400_000)
    script.attempt().frame('ping')
    await script.clock.settle()
    script.clock.jumpTo(0)
    script.attempt().frame('ping')
    await script.clock.advance(59_999)
    expect(kinds(script)).toEqual(['subscribed'])
    expect(script.attempts.length).toBe(1)
  })

  test('delivers each event once in 24 hours with 200 lost connections, and leaves no timer', async () => {
    const script = startScript()
    const random = createSeededRandom(7)
    const endMs = script.clock.now() + 86_400_000
    let sent = 0
    let drops = 0
    let connected: unknown
    await script.clock.settle()
    while (script.clock.now() < endMs) {
      const attempt = script.attempt()
      if (connected !== attempt && !attempt.signal.aborted) {
        connected = attempt
        attempt.accept()
        attempt.frame('subscribed')
      }
      for (let n = 0; n < 3; n += 1) {
        sent += 1
        attempt.frame('event', { id: sent })
      }
      attempt.frame('ping', { serverTimeMs: script.clock.now() })
      await script.clock.advance(60_000)
      if (random() < 0.14) {
        drops += 1
        if (random() < 0.5) attempt.end()
        else attempt.fail('unavailable')
        while (script.attempt() === attempt) await script.clock.advance(1000)
      }
    }
    expect(drops).toBeGreaterThan(100)
    expect(script.delivered.map((frame) => frame.id)).toEqual(Array.from({ length: sent }, (_, n) => n + 1))
    const reconnects = script.notices.filter((notice) => notice.kind === 'reconnecting').length
    expect(reconnects).toBe(drops)
    expect(Math.abs(script.lives.length - 1 - drops)).toBeLessThanOrEqual(1)
    script.supervisor.stop()
    await script.clock.settle()
    expect(script.clock.pendingTimers).toBe(0)
  })
})

describe('stop()', () => {
  const points: Record<string, (script: Script) => Promise<void>> = {
    'while an attempt is made': async () => {},
    'before SubscribeSuccess': async (script) => script.attempt().accept(),
    'while the stream waits for a frame': async (script) => {
      script.attempt().accept()
      script.attempt().frame('subscribed')
    },
    'while the consumer is slow': async (script) => {
      script.attempt().accept()
      script.attempt().frame('subscribed')
      await script.clock.settle()
      script.setFull(true)
      script.attempt().frame('event')
      script.attempt().frame('event')
    },
    'during the delay before an attempt': async (script) => {
      script.attempt().accept()
      script.attempt().frame('connection-limit')
    },
    'while an attempt waits for a slow consumer': async (script) => {
      script.setFull(true)
      script.attempt().fail('unavailable')
      await script.clock.advance(0)
    },
    'during the recovery from an AuthError': async (script) => {
      script.attempt().accept()
      script.attempt().frame('auth-error')
    },
  }
  test.each(Object.keys(points))(
    '%s cancels attempts and timers, and nothing happens afterwards',
    async (point) => {
      const script = startScript({}, () => new Promise(() => {}))
      await script.clock.settle()
      await points[point]?.(script)
      await script.clock.settle()
      script.supervisor.stop()
      script.supervisor.stop()
      const counts = () => ({
        attempts: script.attempts.length,
        notices: script.notices.length,
        delivered: script.delivered.length,
      })
      const before = counts()
      await script.clock.advance(3_600_000)
      expect(script.outcomes).toEqual([{ kind: 'stopped' }])
      expect(script.attempts.every((attempt) => attempt.signal.aborted)).toBe(true)
      expect(counts()).toEqual(before)
      expect(script.clock.pendingTimers).toBe(0)
    },
  )
})

describe('a batch', () => {
  test('is reported once, and its frames are delivered in their order', async () => {
    const script = await live()
    for (const [id, frame] of (['event', 'unknown', 'event'] as const).entries()) {
      script.attempt().frame(frame, { id })
      if (id === 1) script.attempt().frame('ping')
    }
    await script.clock.settle()
    expect(script.delivered.map(({ id }) => id)).toEqual([0, 1, 2])
    expect(script.settled).toHaveLength(2)
  })

  test('is delivered up to a frame that ends the subscription', async () => {
    const script = await live()
    script.attempt().frame('event', { id: 1 })
    script.attempt().frame('expired')
    script.attempt().frame('event', { id: 2 })
    await script.clock.settle()
    expect(script.delivered.map(({ id }) => id)).toEqual([1])
    expect(kinds(script)).toEqual(['subscribed', 'reconnecting'])
  })

  test('with the first frames leads to the notice subscribed before its first event', async () => {
    const script = startScript()
    await script.clock.settle()
    script.attempt().accept()
    script.attempt().frame('ping')
    script.attempt().frame('event', { id: 1 })
    script.attempt().frame('subscribed')
    script.attempt().frame('event', { id: 2 })
    await script.clock.settle()
    expect(script.notices).toMatchObject([{ kind: 'subscribed', implied: true }])
    expect(script.delivered.map(({ id }) => id)).toEqual([1, 2])
  })

  test('of several pings leads to the same ping interval as single pings', async () => {
    const script = await live({ heartbeatTimeoutMs: 300_000 })
    script.attempt().frame('ping', { serverTimeMs: 1_000_000 })
    await script.clock.settle()
    for (let n = 1; n <= 3; n += 1) script.attempt().frame('ping', { serverTimeMs: 1_000_000 + n * 20_000 })
    await script.clock.settle()
    // With pings every 20 s, the notice is due after 30 s and the timeout after 50 s.
    await script.clock.advance(29_999)
    expect(kinds(script)).toEqual(['subscribed'])
    await script.clock.advance(1)
    expect(script.notices.at(-1)).toMatchObject({ kind: 'heartbeat-late', idleMs: 30_000, timeoutMs: 50_000 })
  })
})

describe('a recovery', () => {
  test('that rejects ends the stream with its error', async () => {
    const failures: unknown[] = []
    const unexpected = new Error('unexpected')
    const script = startScript(
      {},
      () => Promise.reject(unexpected),
      (error) => failures.push(error),
    )
    await script.clock.settle()
    script.attempt().accept()
    script.attempt().frame('auth-error')
    await script.clock.settle()
    expect(failures).toEqual([unexpected])
    script.supervisor.stop()
  })

  test('is followed by one attempt, and the next AuthError ends the stream', async () => {
    const script = startScript()
    await script.clock.settle()
    script.attempt().accept()
    script.attempt().frame('auth-error')
    await script.clock.advance(0)
    expect(script.attempts.length).toBe(2)
    script.attempt().accept()
    script.attempt().frame('auth-error')
    await script.clock.settle()
    expect(script.outcomes).toMatchObject([{ kind: 'auth-rejected' }])
  })
})
