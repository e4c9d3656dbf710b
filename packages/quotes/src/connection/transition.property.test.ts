/** Invariants of a connection after any events in any order. */
import * as fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { type Input, testConnection, toSubscriptions } from '../test/connection-machine.ts'
import type { CallOutcome } from './call-outcome.ts'
import type { ConnectionEffect, ConnectionTimer } from './machine-types.ts'

const rejection = { code: 'X', status: 417, message: undefined } as const
const OUTCOMES: readonly CallOutcome[] = [
  { kind: 'done' },
  { kind: 'done' },
  { kind: 'done' },
  { kind: 'session-unknown' },
  { kind: 'too-many' },
  { ...rejection, kind: 'symbols-rejected', symbols: undefined },
  { ...rejection, kind: 'symbols-rejected', symbols: ['A'] },
  { ...rejection, kind: 'rejected' },
  { ...rejection, kind: 'failed', retryAfterMs: undefined },
  { ...rejection, kind: 'unauthorized' },
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
    arbitrary: fc.constantFrom(...OUTCOMES).map((outcome): Input => ({ type: 'response', outcome })),
  },
  { weight: 2, arbitrary: fc.boolean().map((data): Input => ({ type: 'traffic', data })) },
  { weight: 1, arbitrary: fc.constant<Input>({ type: 'closed' }) },
  { weight: 6, arbitrary: fc.constantFrom(...TIMERS).map((timer): Input => ({ type: 'timer', timer })) },
)

/** The timers, connections and calls of a runner. */
interface Resources {
  readonly timers: Set<string>
  connections: number
  calls: number
}

function perform(resources: Resources, effects: readonly ConnectionEffect[]): void {
  for (const effect of effects) {
    if (effect.type === 'start-timer') resources.timers.add(effect.timer)
    if (effect.type === 'clear-timer') resources.timers.delete(effect.timer)
    if (effect.type === 'connect') resources.connections += 1
    if (effect.type === 'close') {
      resources.connections -= 1
      // The end of a connection aborts its calls.
      resources.calls = 0
    }
    if (effect.type === 'call') resources.calls += 1
  }
}

test('has at most one connection and one call, a timer while it waits, and nothing at the end', () => {
  fc.assert(
    fc.property(fc.array(input, { maxLength: 80 }), fc.constantFrom(2, 100), (inputs, maxSymbols) => {
      const machine = testConnection({ resubscribeIntervalMs: 60_000 }, maxSymbols)
      const resources: Resources = { timers: new Set(), connections: 0, calls: 0 }
      let at = 0
      for (const next of inputs) {
        at += 100
        // Only a running timer fires, and only a call in flight gets a response.
        if (next.type === 'timer' && !resources.timers.delete(next.timer)) continue
        if (next.type === 'response' && resources.calls === 0) continue
        if (next.type === 'response') resources.calls -= 1
        perform(resources, machine.send({ ...next, at }))
        const { phase } = machine.state
        expect(resources.connections).toBe(phase === 'opening' || phase === 'live' ? 1 : 0)
        expect(resources.calls).toBeLessThanOrEqual(1)
        if (phase === 'waiting') expect([...resources.timers]).toEqual(['retry'])
        if (phase === 'opening') expect([...resources.timers]).toEqual(['connect'])
        if (phase === 'idle' || phase === 'ended') expect([...resources.timers]).toEqual([])
        // Until all subscriptions are confirmed, a call is in flight or its timer runs.
        if (machine.state.phase === 'live' && !machine.state.subscribedReported)
          expect(resources.calls + Number(resources.timers.has('call'))).toBeGreaterThan(0)
        // A call that runs last waits for its timer, and no other call is in flight.
        if (machine.state.phase === 'live' && machine.state.pending?.runsLast === true)
          expect({ calls: resources.calls, hasTimer: resources.timers.has('call') }).toEqual({
            calls: 0,
            hasTimer: true,
          })
      }
      perform(resources, machine.send({ type: 'stop' }))
      expect(machine.state.phase).toBe('ended')
      expect(resources.connections).toBe(0)
      expect([...resources.timers]).toEqual([])
    }),
    { numRuns: inject('isFullRun') ? 400 : 40 },
  )
})

test('confirms all desired subscriptions that were not rejected once failures stop', () => {
  fc.assert(
    fc.property(fc.array(input, { maxLength: 60 }), (inputs) => {
      const machine = testConnection({}, 2)
      for (const next of inputs) machine.send(next)
      if (machine.state.phase === 'ended') return
      machine.send({ type: 'set-desired', desired: toSubscriptions('A C E F', ['snapshot', 'tick']) })
      machine.send({ type: 'timer', timer: 'retry' })
      machine.send({ type: 'connack', code: 0 })
      for (let round = 0; round < 40; round += 1) {
        machine.send({ type: 'timer', timer: 'call' })
        machine.send({ type: 'response', outcome: { kind: 'done' } })
      }
      expect(machine.state).toMatchObject({ phase: 'live', subscribedReported: true })
      if (machine.state.phase !== 'live') return
      expect(new Map([...machine.state.confirmed].sort())).toEqual(new Map([...machine.state.desired].sort()))
    }),
    { numRuns: inject('isFullRun') ? 300 : 30 },
  )
})
