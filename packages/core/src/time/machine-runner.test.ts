import { expect, test } from 'vitest'
import { createVirtualClock } from '../testing/index.ts'
import { disarm, MachineRunner, pick, type Unstamped } from './machine-runner.ts'

type Event = { readonly at: number; readonly draw: number } & (
  | { readonly type: 'go' | 'twice' | 'seen' }
  | { readonly type: 'timer'; readonly timer: string }
)
type Effect =
  | { readonly type: 'arm'; readonly timer: string; readonly delayMs: number }
  | { readonly type: 'disarm'; readonly timer: string }
  | { readonly type: 'again' }

/** A machine that writes down what it hears. */
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
    transition: (heard, event) => {
      const name = event.type === 'timer' ? event.timer : event.type
      return [[...heard, `${name} ${event.at} ${event.draw}`], effectsOf(event)]
    },
    onStep: (before, state) => void steps.push([before.length, state.length]),
    perform: () => runner.dispatch({ type: 'go' }),
    preceding(): Unstamped<Event> | undefined {
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
    type === 'twice' ? [{ type: 'again' }, { type: 'arm', timer: 'a', delayMs: 5 }] : [],
  )
  runner.dispatch({ type: 'twice' })
  expect(runner.state).toEqual(['twice 1000 0.5', 'go 1000 0.5'])
})

test('a timer fires as an event with its name; arming it again replaces it, disarming clears it', async () => {
  const { clock, runner } = run(({ type, at }) => {
    if (type === 'twice') return [{ type: 'disarm', timer: 'b' }]
    if (type !== 'go') return []
    return [
      { type: 'arm', timer: 'a', delayMs: at === 1000 ? 5 : 10 },
      { type: 'arm', timer: 'b', delayMs: 7 },
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

test('no timer fires after disarmAll()', async () => {
  const { clock, runner } = run(() => [{ type: 'arm', timer: 'a', delayMs: 5 }])
  runner.dispatch({ type: 'go' })
  runner.disarmAll()
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
    type === 'go' ? [{ type: 'arm', timer: 'a', delayMs: 5 }] : [],
  )
  runner.dispatch({ type: 'go' })
  seen.push(1003)
  await clock.advance(5)
  expect(runner.state).toEqual(['go 1000 0.5', 'seen 1003 0.5', 'a 1005 0.5'])
})

test('disarm() keeps the order of the timers, and pick() copies only the named fields', () => {
  expect(disarm(['a', 'b'])).toEqual([
    { type: 'disarm', timer: 'a' },
    { type: 'disarm', timer: 'b' },
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
