/** Invariants of a connection after any events in any order. */
import * as fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { type Input, testConnection, toSubscriptions } from '../test/connection-machine.ts'
import type { CallOutcome } from './call-outcome.ts'
import type { ConnectionEffect, ConnectionTimer } from './machine-types.ts'

const refusal = { code: 'X', status: 417, message: undefined } as const
const OUTCOMES: readonly CallOutcome[] = [
  { kind: 'done' },
  { kind: 'done' },
  { kind: 'done' },
  { kind: 'session-unknown' },
  { kind: 'too-many' },
  { ...refusal, kind: 'symbols-refused', symbols: undefined },
  { ...refusal, kind: 'symbols-refused', symbols: ['A'] },
  { ...refusal, kind: 'refused' },
  { ...refusal, kind: 'failed', retryAfterMs: undefined },
  { ...refusal, kind: 'unauthorized' },
]
const TIMERS: readonly ConnectionTimer[] = [
  'connect',
  'liveness',
  'call',
  'stall',
  'resubscribe',
  'stable',
  'retry',
]

const input: fc.Arbitrary<Input> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .subarray(['A', 'B', 'C', 'D', 'E'])
      .map((symbols): Input => ({ type: 'set-desired', desired: toSubscriptions(symbols.join(' ')) })),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(0, 0, 0, 5, 100, 102, 105).map((code): Input => ({ type: 'connack', code })),
  },
  {
    weight: 8,
    arbitrary: fc.constantFrom(...OUTCOMES).map((outcome): Input => ({ type: 'answered', outcome })),
  },
  { weight: 2, arbitrary: fc.boolean().map((data): Input => ({ type: 'traffic', data })) },
  { weight: 1, arbitrary: fc.constant<Input>({ type: 'closed' }) },
  { weight: 6, arbitrary: fc.constantFrom(...TIMERS).map((timer): Input => ({ type: 'timer', timer })) },
)

/** The timers and calls that a runner would have. */
interface Held {
  readonly timers: Set<string>
  connections: number
  calls: number
}

function perform(held: Held, effects: readonly ConnectionEffect[]): void {
  for (const effect of effects) {
    if (effect.type === 'start-timer') held.timers.add(effect.timer)
    if (effect.type === 'clear-timer') held.timers.delete(effect.timer)
    if (effect.type === 'connect') held.connections += 1
    if (effect.type === 'leave') {
      held.connections -= 1
      // Its calls are aborted with it.
      held.calls = 0
    }
    if (effect.type === 'call') held.calls += 1
  }
}

test('has at most one connection and one call, a timer while it waits, and nothing at the end', () => {
  fc.assert(
    fc.property(fc.array(input, { maxLength: 80 }), fc.constantFrom(2, 100), (inputs, maxSymbols) => {
      const machine = testConnection({ resubscribeIntervalMs: 60_000 }, maxSymbols)
      const held: Held = { timers: new Set(), connections: 0, calls: 0 }
      let at = 0
      for (const next of inputs) {
        at += 100
        // Only a running timer fires, and only a call that was made gets a response.
        if (next.type === 'timer' && !held.timers.delete(next.timer)) continue
        if (next.type === 'answered' && held.calls === 0) continue
        if (next.type === 'answered') held.calls -= 1
        perform(held, machine.send({ ...next, at }))
        const { phase } = machine.state
        expect(held.connections).toBe(phase === 'opening' || phase === 'live' ? 1 : 0)
        expect(held.calls).toBeLessThanOrEqual(1)
        if (phase === 'waiting') expect([...held.timers]).toEqual(['retry'])
        if (phase === 'opening') expect([...held.timers]).toEqual(['connect'])
        if (phase === 'idle' || phase === 'ended') expect([...held.timers]).toEqual([])
        // Whatever was asked for is either under way, waits for its time, or is settled.
        if (machine.state.phase === 'live' && !machine.state.subscribedReported)
          expect(held.calls + Number(held.timers.has('call'))).toBeGreaterThan(0)
        // A call that runs last has its timer, and no call is running.
        if (machine.state.phase === 'live' && machine.state.pending?.runsLast === true)
          expect([held.calls, held.timers.has('call')]).toEqual([0, true])
      }
      perform(held, machine.send({ type: 'stop' }))
      expect([machine.state.phase, held.connections, [...held.timers]]).toEqual(['ended', 0, []])
    }),
    { numRuns: inject('isFullRun') ? 400 : 40 },
  )
})

test('confirms all desired subscriptions that were not refused once failures stop', () => {
  fc.assert(
    fc.property(fc.array(input, { maxLength: 60 }), (inputs) => {
      const machine = testConnection({}, 2)
      for (const next of inputs) machine.send(next)
      if (machine.state.phase === 'ended') return
      machine.send({ type: 'set-desired', desired: toSubscriptions('A C E F', ['snapshot', 'tick']) })
      machine.send({ type: 'timer', timer: 'retry' })
      machine.send({ type: 'connack', code: 0 })
      for (let answer = 0; answer < 40; answer += 1) {
        machine.send({ type: 'timer', timer: 'call' })
        machine.send({ type: 'answered', outcome: { kind: 'done' } })
      }
      expect(machine.state).toMatchObject({ phase: 'live', subscribedReported: true })
      if (machine.state.phase !== 'live') return
      expect(new Map([...machine.state.confirmed].sort())).toEqual(new Map([...machine.state.desired].sort()))
    }),
    { numRuns: inject('isFullRun') ? 300 : 30 },
  )
})
