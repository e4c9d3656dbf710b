/** The state machine of keep-alive on virtual time, alone and with servers that count PINGs. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type PingCounter, pingCounters } from '../test/transport/ping-counters.ts'
import {
  doubleIntervals,
  initialKeepAlive,
  type KeepAliveEffect,
  type KeepAliveEvent,
  keepAliveTransition,
} from './keep-alive.ts'
import type { KeepAlivePolicy } from './options.ts'

const DEFAULTS: KeepAlivePolicy = {
  intervalMs: 30_000,
  idleIntervalMs: 330_000,
  timeoutMs: 15_000,
}
const HOUR_MS = 3_600_000

type Scripted = KeepAliveEvent extends infer E ? (E extends KeepAliveEvent ? E : never) : never

/** The network and the servers of a test. */
interface Environment {
  readonly policy?: KeepAlivePolicy | false
  readonly latencyMs?: number
  /** The instant of a network failure: nothing arrives after it. */
  readonly deadFromMs?: number
  readonly untilMs?: number
  readonly counters?: readonly PingCounter[]
}

/**
 * Runs the machine with the events of a script. The server sends `data` at its instant, and it arrives after the latency.
 *
 * @returns The instants of the PINGs, and of the loss of the connection.
 */
function run(script: readonly Scripted[], environment: Environment = {}) {
  const { policy = DEFAULTS, latencyMs = 20, deadFromMs = Infinity, untilMs = HOUR_MS } = environment
  const counters = environment.counters ?? []
  const pending: { readonly at: number; readonly order: number; readonly what: () => void }[] = []
  let order = 0
  const later = (at: number, what: () => void): unknown => pending.push({ at, order: order++, what })
  const pings: number[] = []
  let nowMs = 0
  let deadMs: number | undefined
  let timer = 0
  let calls = 0
  let state = initialKeepAlive(policy, 0)

  const perform = (effect: KeepAliveEffect): void => {
    timer++
    const started = timer
    switch (effect.type) {
      case 'ping': {
        pings.push(nowMs)
        const sentMs = nowMs
        if (sentMs >= deadFromMs) return
        later(sentMs + latencyMs, () => {
          for (const counter of counters) counter.ping(nowMs, calls)
          later(nowMs + latencyMs, () => {
            if (nowMs < deadFromMs) dispatch({ type: 'acknowledged', at: nowMs })
          })
        })
        return
      }
      case 'start-timer':
        later(nowMs + effect.delayMs, () => {
          if (started === timer) dispatch({ type: 'timer', at: nowMs })
        })
        return
      case 'dead':
        deadMs = nowMs
        return
      default:
    }
  }
  const dispatch = (event: KeepAliveEvent): void => {
    if (deadMs !== undefined) return
    const [next, effects] = keepAliveTransition(state, event)
    state = next
    for (const effect of effects) perform(effect)
  }
  for (const event of script) {
    if (event.type === 'data') {
      later(event.at, () => {
        for (const counter of counters) counter.sent()
      })
      later(event.at + latencyMs, () => {
        if (nowMs < deadFromMs) dispatch({ type: 'data', at: nowMs })
      })
    } else {
      later(event.at, () => dispatch(event))
      // The server gets it after the same latency as a PING of the same turn.
      if (event.type === 'call-began') later(event.at + latencyMs, () => calls++)
      if (event.type === 'call-ended') later(event.at + latencyMs, () => calls--)
    }
  }
  for (;;) {
    const next = pending.reduce<(typeof pending)[number] | undefined>(
      (first, one) =>
        first === undefined || one.at < first.at || (one.at === first.at && one.order < first.order)
          ? one
          : first,
      undefined,
    )
    if (next === undefined || next.at > untilMs || deadMs !== undefined) break
    pending.splice(pending.indexOf(next), 1)
    nowMs = next.at
    next.what()
  }
  return { pings, deadMs, state }
}

const began = (at: number): Scripted => ({ type: 'call-began', at })
const ended = (at: number, paused = false): Scripted => ({ type: 'call-ended', paused, at })
const data = (at: number): Scripted => ({ type: 'data', at })
const seconds = (instants: readonly number[]): number[] => instants.map((at) => Math.round(at / 1000))

describe('a stream without data', () => {
  test('gets two PINGs at intervalMs, then one each idleIntervalMs', () => {
    const { pings } = run([began(0)], { untilMs: 1_100_000 })
    expect(seconds(pings)).toEqual([30, 60, 390, 720, 1050])
  })

  test('gets two PINGs at intervalMs again after some data', () => {
    const { pings } = run([began(0), data(400_000), data(410_000)], { untilMs: 520_000 })
    expect(seconds(pings)).toEqual([30, 60, 390, 440, 470])
  })

  test('gets PINGs at intervalMs if that is longer than idleIntervalMs', () => {
    const policy = { ...DEFAULTS, intervalMs: 600_000 }
    expect(seconds(run([began(0)], { policy, untilMs: 2_500_000 }).pings)).toEqual([600, 1200, 1800, 2400])
  })

  test('gets no PING with keepAlive: false, and no timer is started', () => {
    const policy = false
    expect(run([began(0), data(5), ended(10)], { policy }).pings).toEqual([])
    expect(keepAliveTransition(initialKeepAlive(policy, 0), { type: 'call-began', at: 0 })[1]).toEqual([])
  })
})

describe('a PING', () => {
  test('is not sent while data is received', () => {
    const script = [began(0), ...Array.from({ length: 100 }, (_, n) => data(n * 29_000))]
    expect(run(script, { untilMs: 2_890_000 }).pings).toEqual([])
  })

  test('is not sent without a call, and the first call after a long time starts with one', () => {
    expect(run([began(0), data(10), ended(1000)]).pings).toEqual([])
    expect(run([began(0), data(10), ended(1000), began(100_000)], { untilMs: 101_000 }).pings).toEqual([
      100_000,
    ])
  })

  test('is not sent at intervalMs while a slow consumer pauses reading', () => {
    const paused: Scripted[] = [began(0), data(0), { type: 'paused', at: 1000 }]
    expect(seconds(run(paused, { untilMs: 700_000 }).pings)).toEqual([330, 660])
  })

  test('is sent at intervalMs after a slow consumer has resumed reading', () => {
    const script: Scripted[] = [
      began(0),
      data(0),
      { type: 'paused', at: 1000 },
      { type: 'resumed', at: 200_000 },
    ]
    expect(seconds(run(script, { untilMs: 240_000 }).pings)).toEqual([230])
  })

  test('is sent at intervalMs if one of two calls is paused', () => {
    const script: Scripted[] = [began(0), began(0), data(0), { type: 'paused', at: 1000 }]
    expect(seconds(run(script, { untilMs: 100_000 }).pings)).toEqual([30, 60])
  })

  test('is sent at intervalMs after a paused call was cancelled', () => {
    const script: Scripted[] = [
      began(0),
      data(0),
      { type: 'paused', at: 1000 },
      ended(2000, true),
      began(3000),
    ]
    const { pings, state } = run(script, { untilMs: 65_000 })
    expect(seconds(pings)).toEqual([30, 60])
    expect(state).toMatchObject({ paused: 0, calls: 1 })
  })
})

describe('a lost network', () => {
  test('is detected within 45 s after recent data', () => {
    for (let diedMs = 100_000; diedMs <= 130_000; diedMs += 500) {
      const script = [began(0), ...Array.from({ length: 200 }, (_, n) => data(n * 7000))]
      const { deadMs = Infinity } = run(script, { deadFromMs: diedMs })
      expect(deadMs - diedMs).toBeLessThanOrEqual(45_000)
    }
  })

  test('is detected within 7 minutes otherwise, also while a slow consumer pauses reading', () => {
    for (let diedMs = 1000; diedMs <= 800_000; diedMs += 3500) {
      const quiet = run([began(0)], { deadFromMs: diedMs })
      const slow = run([began(0), data(0), { type: 'paused', at: 1 }], { deadFromMs: diedMs })
      for (const { deadMs = Infinity } of [quiet, slow]) expect(deadMs - diedMs).toBeLessThan(420_000)
    }
  })

  test('is not assumed while data is received, although a PING is not acknowledged', () => {
    const policy = { ...DEFAULTS, intervalMs: 1000 }
    let state = initialKeepAlive(policy, 0)
    const step = (event: Scripted): readonly KeepAliveEffect[] => {
      const [next, effects] = keepAliveTransition(state, event)
      state = next
      return effects
    }
    step(began(0))
    expect(step({ type: 'timer', at: 1000 })).toEqual([
      { type: 'ping' },
      { type: 'start-timer', delayMs: 15_000 },
    ])
    step(data(14_000))
    expect(step({ type: 'timer', at: 16_000 })).toEqual([{ type: 'start-timer', delayMs: 13_000 }])
    expect(step({ type: 'timer', at: 29_000 })).toEqual([{ type: 'dead' }])
  })

  test('is detected without a call after a PING was sent', () => {
    const { deadMs } = run([began(0), ended(30_500)], { deadFromMs: 29_000 })
    expect(deadMs).toBe(45_000)
  })
})

describe('servers with default settings', () => {
  const tooMany = (script: readonly Scripted[], environment: Environment = {}): string[] => {
    const counters = pingCounters()
    run(script, { ...environment, counters })
    return counters.filter((counter) => counter.tooMany).map((counter) => counter.name)
  }

  test('reject PINGs that always have the interval of 30 s, which proves the rules of this test', () => {
    const policy = { ...DEFAULTS, idleIntervalMs: 30_000 }
    const diedOf = (untilMs: number): string[] => tooMany([began(0)], { policy, untilMs })
    expect(diedOf(90_500)).toEqual(['grpc-java'])
    expect(diedOf(120_500)).toEqual(['grpc-core', 'grpc-go', 'grpc-java'])
  })

  test('accept the PINGs of a stream without data for a day', () => {
    expect(tooMany([began(0)], { untilMs: 24 * HOUR_MS })).toEqual([])
  })

  test('accept the PINGs after any sequence of calls, data and pauses', () => {
    const step = fc.record({
      afterMs: fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 400_000 })),
      what: fc.constantFrom('call', 'end', 'data', 'hold', 'release'),
    })
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 800 }),
        fc.integer({ min: 100, max: 60_000 }),
        (steps, latencyMs, intervalMs) => {
          const script: Scripted[] = []
          let [at, calls, paused] = [0, 0, 0]
          for (const { afterMs, what } of steps) {
            at += afterMs
            if (what === 'call') {
              calls++
              script.push(began(at))
            } else if (what === 'end' && calls > 0) {
              const wasPaused = paused === calls
              calls--
              if (wasPaused) paused--
              script.push(ended(at, wasPaused))
            } else if (what === 'data' && calls > paused) script.push(data(at))
            else if (what === 'hold' && paused < calls) {
              paused++
              script.push({ type: 'paused', at })
            } else if (what === 'release' && paused > 0) {
              paused--
              script.push({ type: 'resumed', at })
            }
          }
          const policy = { ...DEFAULTS, intervalMs, timeoutMs: 60_000 }
          expect(tooMany(script, { policy, latencyMs, untilMs: at + HOUR_MS })).toEqual([])
        },
      ),
      { numRuns: 400 },
    )
  })
})

describe('a server that received too many PINGs', () => {
  test('gets PINGs half as often each time, at most every two hours', () => {
    let policy = DEFAULTS
    const seen: (number | undefined)[][] = []
    for (let time = 0; time < 10; time++) {
      policy = doubleIntervals(policy)
      seen.push([policy.intervalMs, policy.idleIntervalMs])
    }
    expect(seen.slice(0, 2)).toEqual([
      [60_000, 660_000],
      [120_000, 1_320_000],
    ])
    expect(seen.at(-1)).toEqual([7_200_000, 7_200_000])
    expect(policy.timeoutMs).toBe(15_000)
  })
})
