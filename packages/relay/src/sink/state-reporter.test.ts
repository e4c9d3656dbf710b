/** Reports of a sink's state, in virtual time. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { expect, test } from 'vitest'
import type { SinkState } from './event-sink.ts'
import { StateReporter } from './state-reporter.ts'

function setUp() {
  const clock = createVirtualClock()
  const states: SinkState[] = []
  const reporter = new StateReporter({ clock, onState: (state) => states.push(state) })
  const wait = (reason: string): void => reporter.report({ state: 'waiting', reason })
  const reasons = () => states.map((state) => (state.state === 'waiting' ? state.reason : state.state))
  return { clock, reporter, wait, reasons }
}

test('reports the first reason, and the end of the wait, once', () => {
  const { reporter, wait, reasons } = setUp()
  reporter.report({ state: 'writing' })
  wait('a')
  wait('a')
  reporter.report({ state: 'writing' })
  reporter.report({ state: 'writing' })
  wait('a')
  expect(reasons()).toEqual(['a', 'writing', 'a'])
})

test('reports a new reason at once, and five reasons of a wait without a limit', async () => {
  const { clock, wait, reasons } = setUp()
  const all = ['a', 'b', 'c', 'd', 'e']
  for (const reason of [...all, 'f']) {
    wait(reason)
    wait(reason)
  }
  expect(reasons()).toEqual(all)
  await clock.advance(60_000)
  wait('f')
  wait('g')
  expect(reasons()).toEqual([...all, 'f'])
})

test('reports each of two alternating reasons once a minute', async () => {
  const { clock, wait, reasons } = setUp()
  for (let second = 0; second < 120; second += 1) {
    wait(second % 2 === 0 ? 'a' : 'b')
    await clock.advance(1000)
  }
  expect(reasons()).toHaveLength(4)
})
