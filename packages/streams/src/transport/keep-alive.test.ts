/** The machine on virtual time: alone, and against the rules by which servers count PINGs. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type PingCounter, pingCounters } from '../test/transport/ping-counters.ts'
import {
  initialKeepAlive,
  type KeepAliveEffect,
  type KeepAliveEvent,
  keepAliveTransition,
  slowerKeepAlive,
} from './keep-alive.ts'
import type { KeepAlivePolicy } from './options.ts'

const DEFAULTS: KeepAlivePolicy = {
  intervalMs: 30_000,
  idleIntervalMs: 330_000,
  timeoutMs: 15_000,
}
const HOUR_MS = 3_600_000

type Scripted = KeepAliveEvent extends infer E ? (E extends KeepAliveEvent ? E : never) : never

/** What a network and a server do with the PINGs. */
interface World {
  readonly policy?: KeepAlivePolicy | false
  readonly latencyMs?: number
  /** From then on nothing arrives any more. */
  readonly deadFromMs?: number
  readonly untilMs?: number
  readonly counters?: readonly PingCounter[]
}

/**
 * Runs the machine with the events of a script. A `data` of the script is sent then, and arrives after the latency.
 *
 * @returns When PINGs went out, and when the connection was given up.
 */
function run(script: readonly Scripted[], world: World = {}) {
  const { policy = DEFAULTS, latencyMs = 20, deadFromMs = Infinity, untilMs = HOUR_MS } = world
  const counters = world.counters ?? []
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
    const armed = timer
    switch (effect.type) {
      case 'ping': {
        pings.push(nowMs)
        const sentMs = nowMs
        if (sentMs >= deadFromMs) return
        later(sentMs + latencyMs, () => {
          for (const counter of counters) counter.ping(nowMs, calls)
          later(nowMs + latencyMs, () => {
            if (nowMs < deadFromMs) dispatch({ type: 'answered', at: nowMs })
          })
        })
        return
      }
      case 'arm':
        later(nowMs + effect.delayMs, () => {
          if (armed === timer) dispatch({ type: 'timer', at: nowMs })
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
      // The server hears of it after as long as of a PING that left in the same turn.
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
  test('died of its third PING: now there are two at the interval, then one in five and a half minutes', () => {
    const { pings } = run([began(0)], { untilMs: 1_100_000 })
    expect(seconds(pings)).toEqual([30, 60, 390, 720, 1050])
  })

  test('that gets some data has two again', () => {
    const { pings } = run([began(0), data(400_000), data(410_000)], { untilMs: 520_000 })
    expect(seconds(pings)).toEqual([30, 60, 390, 440, 470])
  })

  test('with an interval longer than five and a half minutes keeps to that', () => {
    const policy = { ...DEFAULTS, intervalMs: 600_000 }
    expect(seconds(run([began(0)], { policy, untilMs: 2_500_000 }).pings)).toEqual([600, 1200, 1800, 2400])
  })

  test('and PINGs switched off: there are none, and no timer', () => {
    const policy = false
    expect(run([began(0), data(5), ended(10)], { policy }).pings).toEqual([])
    expect(keepAliveTransition(initialKeepAlive(policy, 0), { type: 'call-began', at: 0 })[1]).toEqual([])
  })
})

describe('no PING', () => {
  test('goes out while data comes', () => {
    const script = [began(0), ...Array.from({ length: 100 }, (_, n) => data(n * 29_000))]
    expect(run(script, { untilMs: 2_890_000 }).pings).toEqual([])
  })

  test('goes out without a call; the first call after a long time begins with one', () => {
    expect(run([began(0), data(10), ended(1000)]).pings).toEqual([])
    expect(run([began(0), data(10), ended(1000), began(100_000)], { untilMs: 101_000 }).pings).toEqual([
      100_000,
    ])
  })

  test('goes out at the interval because a slow consumer holds the reading back', () => {
    const paused: Scripted[] = [began(0), data(0), { type: 'paused', at: 1000 }]
    expect(seconds(run(paused, { untilMs: 700_000 }).pings)).toEqual([330, 660])
  })

  test('goes out at once when a slow consumer goes on: the time of listening begins anew', () => {
    const script: Scripted[] = [
      began(0),
      data(0),
      { type: 'paused', at: 1000 },
      { type: 'resumed', at: 200_000 },
    ]
    expect(seconds(run(script, { untilMs: 240_000 }).pings)).toEqual([230])
  })

  test('is put off by a call that is paused while another one is read', () => {
    const script: Scripted[] = [began(0), began(0), data(0), { type: 'paused', at: 1000 }]
    expect(seconds(run(script, { untilMs: 100_000 }).pings)).toEqual([30, 60])
  })

  test('more goes out because a paused call was left', () => {
    const script: Scripted[] = [
      began(0),
      data(0),
      { type: 'paused', at: 1000 },
      ended(2000, true),
      began(3000),
    ]
    const { pings, state } = run(script, { untilMs: 65_000 })
    expect([seconds(pings), state.paused, state.calls]).toEqual([[30, 60], 0, 1])
  })
})

describe('a dead network', () => {
  test('is noticed within 45 s where data came lately', () => {
    for (let diedMs = 100_000; diedMs <= 130_000; diedMs += 500) {
      const script = [began(0), ...Array.from({ length: 200 }, (_, n) => data(n * 7000))]
      const { deadMs = Infinity } = run(script, { deadFromMs: diedMs })
      expect(deadMs - diedMs).toBeLessThanOrEqual(45_000)
    }
  })

  test('is noticed within 7 minutes otherwise, also where a slow consumer holds the reading back', () => {
    for (let diedMs = 1000; diedMs <= 800_000; diedMs += 3500) {
      const quiet = run([began(0)], { deadFromMs: diedMs })
      const slow = run([began(0), data(0), { type: 'paused', at: 1 }], { deadFromMs: diedMs })
      for (const { deadMs = Infinity } of [quiet, slow]) expect(deadMs - diedMs).toBeLessThan(420_000)
    }
  })

  test('is none while data comes, although a PING has no answer', () => {
    const policy = { ...DEFAULTS, intervalMs: 1000 }
    let state = initialKeepAlive(policy, 0)
    const step = (event: Scripted): readonly KeepAliveEffect[] => {
      const [next, effects] = keepAliveTransition(state, event)
      state = next
      return effects
    }
    step(began(0))
    expect(step({ type: 'timer', at: 1000 })).toEqual([{ type: 'ping' }, { type: 'arm', delayMs: 15_000 }])
    step(data(14_000))
    expect(step({ type: 'timer', at: 16_000 })).toEqual([{ type: 'arm', delayMs: 13_000 }])
    expect(step({ type: 'timer', at: 29_000 })).toEqual([{ type: 'dead' }])
  })

  test('is noticed without a call, too, once a PING went out: the next call has another connection', () => {
    const { deadMs } = run([began(0), ended(30_500)], { deadFromMs: 29_000 })
    expect(deadMs).toBe(45_000)
  })
})

describe('servers with their defaults count no PING too many', () => {
  const tooMany = (script: readonly Scripted[], world: World = {}): string[] => {
    const counters = pingCounters()
    run(script, { ...world, counters })
    return counters.filter((counter) => counter.tooMany).map((counter) => counter.name)
  }

  test('where PINGs keep to the interval, they do: the rules are those that were observed', () => {
    const policy = { ...DEFAULTS, idleIntervalMs: 30_000 }
    const diedOf = (untilMs: number): string[] => tooMany([began(0)], { policy, untilMs })
    expect(diedOf(90_500)).toEqual(['grpc-java'])
    expect(diedOf(120_500)).toEqual(['grpc-core', 'grpc-go', 'grpc-java'])
  })

  test('on a stream that is quiet for a day', () => {
    expect(tooMany([began(0)], { untilMs: 24 * HOUR_MS })).toEqual([])
  })

  test('whatever calls, data and slow consumers do', () => {
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

describe('a server that had too many', () => {
  test('is asked half as often, up to two hours', () => {
    let policy = DEFAULTS
    const seen: (number | undefined)[][] = []
    for (let time = 0; time < 10; time++) {
      policy = slowerKeepAlive(policy)
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
