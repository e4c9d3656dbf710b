/** Properties of the supervisor's state machine for random events. */
import { backoffMs } from '@brokerwire/core/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Input, noticesOf, outcomeOf, type TestMachine, testMachine } from '../test/machine.ts'
import { heartbeatTimeoutMs, lateHeartbeatMs, readPolicy, updatePingInterval } from './policy.ts'

const FRAMES = [
  'subscribed',
  'ping',
  'event',
  'auth-error',
  'connection-limit',
  'expired',
  'unknown',
] as const
const STATUSES = [
  'unavailable',
  'unauthenticated',
  'resource_exhausted',
  'invalid_argument',
  'internal',
] as const
const TIMERS = ['subscribe', 'liveness', 'stable', 'retry', 'give-up', 'recover', 'backfill'] as const

const random = fc.double({ min: 0, max: 0.999_999, noNaN: true })
const at = fc.integer({ min: 0, max: 10_000_000 })
const oldAttempt = fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined, freq: 5 })

const arbitraryEvent: fc.Arbitrary<Input> = fc
  .tuple(
    fc.oneof(
      fc.record({ type: fc.constant('frame' as const), frame: fc.constantFrom(...FRAMES), serverTimeMs: at }),
      fc.record({ type: fc.constant('failed' as const), status: fc.constantFrom(...STATUSES) }),
      fc.record({ type: fc.constant('timer' as const), timer: fc.constantFrom(...TIMERS) }),
      fc.record({ type: fc.constant('recovered' as const), retry: fc.boolean() }),
      fc.record({ type: fc.constant('sent' as const), tokenSent: fc.boolean(), cursorSent: fc.boolean() }),
      fc.constantFrom({ type: 'ended' as const }, { type: 'pause' as const }, { type: 'resume' as const }),
    ),
    at,
    random,
    oldAttempt,
  )
  .map(([event, atMs, drawn, attempt]) => ({
    ...event,
    at: atMs,
    random: drawn,
    ...(attempt === undefined || event.type === 'timer' ? {} : { attempt }),
  }))

const arbitraryRun = fc.array(arbitraryEvent, { maxLength: 120 })

describe('any sequence of events', () => {
  test('leads to at most one end, and no event changes the state after it', () => {
    fc.assert(
      fc.property(arbitraryRun, (events) => {
        const machine = testMachine()
        machine.send({ type: 'start' })
        let ends = 0
        for (const event of events) {
          const wasEnded = machine.state.phase === 'ended'
          const effects = machine.send(event)
          if (outcomeOf(effects) !== undefined) ends += 1
          if (wasEnded) expect(effects).toEqual([])
        }
        expect(ends).toBe(machine.state.phase === 'ended' ? 1 : 0)
      }),
    )
  })

  test('always leaves a timer or an attempt that will cause the next event', () => {
    fc.assert(
      fc.property(arbitraryRun, (events) => {
        const machine = testMachine()
        const timers = new Set<string>()
        let open: number | undefined
        for (const event of [{ type: 'start' } as const, ...events]) {
          if (event.type === 'timer' && !timers.has(event.timer)) continue
          if (event.type === 'timer') timers.delete(event.timer)
          for (const effect of machine.send(event)) {
            if (effect.type === 'start-timer') timers.add(effect.timer)
            if (effect.type === 'clear-timer') timers.delete(effect.timer)
            if (effect.type === 'open') open = effect.attempt
            if (effect.type === 'close' && effect.attempt === open) open = undefined
          }
          const { phase, paused } = machine.state
          const isOpen = phase === 'opening' || phase === 'live'
          expect(open !== undefined).toBe(isOpen)
          if (isOpen && !paused) expect(timers).toContain(phase === 'live' ? 'liveness' : 'subscribe')
          if (phase === 'waiting') expect(timers).toContain('retry')
          if (phase === 'recovering') expect(timers).toContain('recover')
          if (phase === 'ended') expect(timers).toEqual(new Set())
        }
      }),
    )
  })

  test('never makes two attempts at once, and never uses the number of an attempt twice', () => {
    fc.assert(
      fc.property(arbitraryRun, (events) => {
        const machine = testMachine()
        const seen = new Set<number>()
        let open: number | undefined
        for (const event of [{ type: 'start' } as const, ...events]) {
          for (const effect of machine.send(event)) {
            if (effect.type === 'close') open = undefined
            if (effect.type !== 'open') continue
            expect(open).toBeUndefined()
            expect(seen.has(effect.attempt)).toBe(false)
            seen.add(effect.attempt)
            open = effect.attempt
          }
        }
      }),
    )
  })

  test('reports each subscription once, with its notice', () => {
    fc.assert(
      fc.property(arbitraryRun, (events) => {
        const machine = testMachine()
        for (const event of [{ type: 'start' } as const, ...events]) {
          const wasLive = isLivePhase(machine)
          const effects = machine.send(event)
          const isLive = !wasLive && isLivePhase(machine)
          expect(effects.filter((effect) => effect.type === 'live')).toHaveLength(isLive ? 1 : 0)
          expect(noticesOf(effects).some((notice) => notice.kind === 'subscribed')).toBe(isLive)
        }
      }),
    )
  })
})

const isLivePhase = ({ state }: TestMachine): boolean => state.phase === 'live'

describe('the computed delays', () => {
  const policy = readPolicy(undefined)
  test('of the backoff stay within their limits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.boolean(), random, (failures, hold, drawn) => {
        const delayMs = backoffMs(policy, failures, hold, drawn)
        expect(delayMs).toBeGreaterThanOrEqual(0)
        expect(delayMs).toBeLessThan(policy.backoffMaxMs)
        expect(Number.isInteger(delayMs)).toBe(true)
      }),
    )
  })

  test('of the liveness check stay within their limits for any intervals of pings', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.integer(), fc.double())), (observed) => {
        let known: number | undefined
        for (const ms of observed) known = updatePingInterval(policy, known, ms)
        const timeoutMs = heartbeatTimeoutMs(policy, known)
        expect(timeoutMs).toBeGreaterThanOrEqual(policy.minHeartbeatTimeoutMs)
        expect(timeoutMs).toBeLessThanOrEqual(policy.maxHeartbeatTimeoutMs)
        expect(lateHeartbeatMs(policy, known)).toBeLessThan(timeoutMs)
      }),
    )
  })
})
