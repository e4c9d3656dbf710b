import type { EmittedModuleEvent, EmittedTradeEvent } from '@brokerwire/simulator'
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamNotice } from '../stream-item.ts'
import { type Counters, createCounters, type DemoStream, failedExpectations } from './counters.ts'

const SCENES = ['placed', 'partly filled', 'filled', 'failed', 'changed', 'cancelled']
const MODULES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const sent = {
  trade: [
    ...SCENES.map((requestId) => ({ kind: 'order', requestId })),
    { kind: 'order', requestId: 'lost' },
    { kind: 'position', requestId: 'p1' },
  ] as EmittedTradeEvent[],
  module: MODULES.map((id) => ({ id })) as EmittedModuleEvent[],
}
const notice = (kind: StreamNotice['kind']): StreamNotice =>
  ({ type: 'notice', kind, atMs: 0 }) as StreamNotice

/** Records a complete demo; `skip` omits one observation. */
function perform(tally: Counters, skip: (what: string) => boolean): void {
  for (const stream of ['trade', 'position', 'module'] as DemoStream[]) {
    const last = stream === 'module' ? 'resumed' : 'gap'
    for (const kind of ['subscribed', 'subscribed', last] as const) {
      if (!skip(`${stream} ${kind}`)) tally.notice(stream, notice(kind))
    }
  }
  for (const scene of SCENES) if (!skip(scene)) tally.event('trade', scene, scene, true)
  tally.event('position', 'p1', 'settled', true)
  for (const id of MODULES) if (!skip(id)) tally.event('module', id, id, true)
}

describe('the expectations of the demo', () => {
  let tally: Counters

  beforeEach(() => {
    tally = createCounters()
  })

  test('are met by a complete run, with the expected loss of trade events', () => {
    perform(tally, () => false)
    expect(failedExpectations(tally, sent)).toEqual([])
  })

  test.each([
    ['a', 'every module event'],
    ['module resumed', 'a resume of the module stream from its cursor'],
    ['trade gap', 'a reported gap of the trade stream'],
    ['position gap', 'a reported gap of the position stream'],
    ['module subscribed', 'one reconnect of the module stream'],
    ['changed', 'an order that is changed'],
  ])('are not met without %s', (missing, promise) => {
    perform(tally, (what) => what === missing)
    expect(failedExpectations(tally, sent)).toContain(promise)
  })

  test('are not met after a duplicate module event', () => {
    perform(tally, () => false)
    tally.event('module', 'a', 'a', true)
    expect(failedExpectations(tally, sent)).toContain('no duplicate module event')
  })

  test('are not met after an event that was never sent', () => {
    perform(tally, () => false)
    tally.event('trade', 'invented', 'placed', true)
    expect(failedExpectations(tally, sent)).toContain('only sent events on the trade stream')
  })

  test('are not met after an event that could not be decoded', () => {
    perform(tally, () => false)
    tally.event('trade', 'lost', 'placed', false)
    expect(failedExpectations(tally, sent)).toContain('every event of the trade stream decoded')
  })
})
