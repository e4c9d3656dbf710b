import { expect, test } from 'vitest'
import { createVirtualClock } from '../testing/index.ts'
import { clearTimers, type EventInput, MachineRunner, pick } from './machine-runner.ts'

type Event = { readonly at: number; readonly random: number } & (
  | { readonly type: 'go' | 'twice' | 'seen' }
  | { readonly type: 'timer'; readonly timer: string }
)
type Effect =
  | { readonly type: 'start-timer'; readonly timer: string; readonly delayMs: number }
  | { readonly type: 'clear-timer'; readonly timer: string }
  | { readonly type: 'again' }

/** A machine whose state is the list of its events. */
function run(effectsOf: (event: Event) => readonly Effect[]) {
  const clock = createVirtualClock(1000)
  const steps: (readonly [number, number])[] = []
  const seen: number[] = []
  const runner: MachineRunner<readonly string[], Event, Effect> = new MachineRunner<
    readonly string[],
    Event,
    Effect
  >([], {
    clock,
    random: () => 0.5,
    transition: (events, event) => {
      const name = event.type === 'timer' ? event.timer : event.type
      return [[...events, `${name} ${event.at} ${event.random}`], effectsOf(event)]
    },
    onStep: (before, state) => void steps.push([before.length, state.length]),
    perform: () => runner.dispatch({ type: 'go' }),
    preceding(): EventInput<Event> | undefined {
      const at = seen.shift()
      return at === undefined ? undefined : { type: 'seen', at }
    },
  })
  return { clock, runner, steps, seen }
}

test('an event gets the time and a random number, and onStep is called before the effects', () => {
  const { runner, steps } = run(() => [])
  runner.dispatch({ type: 'go' })
  runner.dispatch({ type: 'go', at: 7 })
  expect(runner.state).toEqual(['go 1000 0.5', 'go 7 0.5'])
  expect(steps).toEqual([
    [0, 1],
    [1, 2],
  ])
})

test('an event that an effect dispatches is handled after all effects of the step', () => {
  const { runner } = run(({ type }) =>
    type === 'twice' ? [{ type: 'again' }, { type: 'start-timer', timer: 'a', delayMs: 5 }] : [],
  )
  runner.dispatch({ type: 'twice' })
  expect(runner.state).toEqual(['twice 1000 0.5', 'go 1000 0.5'])
})

test('a timer fires as an event with its name; starting it again replaces it, and clear-timer clears it', async () => {
  const { clock, runner } = run(({ type, at }) => {
    if (type === 'twice') return [{ type: 'clear-timer', timer: 'b' }]
    if (type !== 'go') return []
    return [
      { type: 'start-timer', timer: 'a', delayMs: at === 1000 ? 5 : 10 },
      { type: 'start-timer', timer: 'b', delayMs: 7 },
    ]
  })
  runner.dispatch({ type: 'go' })
  await clock.advance(3)
  runner.dispatch({ type: 'go' })
  runner.dispatch({ type: 'twice' })
  await clock.advance(100)
  expect(runner.state.at(-1)).toBe('a 1013 0.5')
  expect(runner.state).toHaveLength(4)
})

test('no timer fires after clearAllTimers()', async () => {
  const { clock, runner } = run(() => [{ type: 'start-timer', timer: 'a', delayMs: 5 }])
  runner.dispatch({ type: 'go' })
  runner.clearAllTimers()
  await clock.advance(100)
  expect(runner.state).toHaveLength(1)
})

test('a preceding event is handled once, before the dispatched event, at its own time', () => {
  const { runner, seen } = run(() => [])
  seen.push(900)
  runner.dispatch({ type: 'go' })
  runner.dispatch({ type: 'go' })
  expect(runner.state).toEqual(['seen 900 0.5', 'go 1000 0.5', 'go 1000 0.5'])
})

test('a preceding event is also handled before the event of a timer', async () => {
  const { runner, seen, clock } = run(({ type }) =>
    type === 'go' ? [{ type: 'start-timer', timer: 'a', delayMs: 5 }] : [],
  )
  runner.dispatch({ type: 'go' })
  seen.push(1003)
  await clock.advance(5)
  expect(runner.state).toEqual(['go 1000 0.5', 'seen 1003 0.5', 'a 1005 0.5'])
})

test('clearTimers() keeps the order of the timers, and pick() copies only the named fields', () => {
  expect(clearTimers(['a', 'b'])).toEqual([
    { type: 'clear-timer', timer: 'a' },
    { type: 'clear-timer', timer: 'b' },
  ])
  const live = { calls: 2, lostAtMs: undefined, phase: 'live' }
  expect(Object.entries(pick<{ calls: number; lostAtMs: undefined }>(['calls', 'lostAtMs'])(live))).toEqual([
    ['calls', 2],
    ['lostAtMs', undefined],
  ])
})

test('an event is handled after a step that threw', () => {
  let fails = true
  const { runner } = run(() => {
    if (fails) throw new Error('mine')
    return []
  })
  expect(() => runner.dispatch({ type: 'go' })).toThrow('mine')
  fails = false
  runner.dispatch({ type: 'go' })
  expect(runner.state).toEqual(['go 1000 0.5'])
})
