/**
 * Counts delivered events and compares them with the service's log. The log is independent of the counts of
 * the demo.
 */

import type { EmittedModuleEvent, EmittedTradeEvent } from '@brokerwire/simulator'
import type { StreamNotice } from '../stream-item.ts'

/** Streams of the demo. */
export const DEMO_STREAMS = ['trade', 'position', 'module'] as const

/** A stream of the demo. */
export type DemoStream = (typeof DEMO_STREAMS)[number]

/** Counters of one stream. */
export interface StreamCounters {
  /** Number of delivered events by kind, in order of first appearance. */
  readonly kinds: ReadonlyMap<string, number>
  /** Identifiers of delivered events, in order. */
  readonly delivered: readonly string[]
  readonly undecodable: number
  readonly subscribed: number
  readonly reconnects: number
  readonly resumed: number
  readonly gaps: number
  readonly duplicatesDropped: number
}

/** Counters of all streams. */
export interface Counters {
  event(stream: DemoStream, id: string, kind: string, decoded: boolean): void
  notice(stream: DemoStream, notice: StreamNotice): void
  duplicates(stream: DemoStream, count: number): void
  of(stream: DemoStream): StreamCounters
}

/** Creates empty counters. */
export function createCounters(): Counters {
  const streams = new Map(
    DEMO_STREAMS.map((stream) => [
      stream,
      {
        kinds: new Map<string, number>(),
        delivered: [] as string[],
        undecodable: 0,
        subscribed: 0,
        reconnects: 0,
        resumed: 0,
        gaps: 0,
        duplicatesDropped: 0,
      },
    ]),
  )
  const of = (stream: DemoStream) => {
    const found = streams.get(stream)
    if (found === undefined) throw new TypeError('a stream that the demo does not have')
    return found
  }
  return {
    of,
    event(stream, id, kind, decoded) {
      const tally = of(stream)
      tally.delivered.push(id)
      tally.kinds.set(kind, (tally.kinds.get(kind) ?? 0) + 1)
      if (!decoded) tally.undecodable += 1
    },
    notice(stream, notice) {
      const { kind } = notice
      const tally = of(stream)
      if (kind === 'subscribed') tally.subscribed += 1
      if (kind === 'subscribed' && tally.subscribed > 1) tally.reconnects += 1
      if (kind === 'resumed') tally.resumed += 1
      // The first gap of each stream is the time before its first subscription.
      if (kind === 'gap' && notice.cause !== 'before-subscription') tally.gaps += 1
    },
    duplicates(stream, count) {
      of(stream).duplicatesDropped += count
    },
  }
}

/** Events that the service sent. */
export interface SentEvents {
  readonly trade: readonly EmittedTradeEvent[]
  readonly module: readonly EmittedModuleEvent[]
}

/** Returns the expected results that were not observed. The list is empty if all checks passed. */
export function failedExpectations(tally: Counters, sent: SentEvents): readonly string[] {
  const failed: string[] = []
  const expect = (holds: boolean, expectation: string): void => {
    if (!holds) failed.push(expectation)
  }
  const module = tally.of('module')
  const sentIds = sent.module.map((event) => event.id)
  expect(new Set(module.delivered).size === module.delivered.length, 'no duplicate module event')
  expect(
    sentIds.length === module.delivered.length && sentIds.every((id) => module.delivered.includes(id)),
    'every module event',
  )
  expect(module.kinds.size >= 8, 'events of at least eight modules')
  expect(module.resumed >= 1 && module.gaps === 0, 'a resume of the module stream from its cursor')
  for (const stream of ['trade', 'position'] as const) {
    const { delivered, gaps } = tally.of(stream)
    const kind = stream === 'trade' ? 'order' : 'position'
    const ids = new Set(sent.trade.filter((event) => event.kind === kind).map((event) => event.requestId))
    expect(delivered.length > 0, `events on the ${stream} stream`)
    expect(new Set(delivered).size === delivered.length, `no duplicate event of the ${stream} stream`)
    expect(
      delivered.every((id) => ids.has(id)),
      `only sent events on the ${stream} stream`,
    )
    expect(gaps === 1, `a reported gap of the ${stream} stream`)
  }
  for (const stream of DEMO_STREAMS) {
    expect(tally.of(stream).reconnects === 1, `one reconnect of the ${stream} stream`)
    expect(tally.of(stream).undecodable === 0, `every event of the ${stream} stream decoded`)
  }
  for (const scene of ['placed', 'partly filled', 'filled', 'failed', 'changed', 'cancelled']) {
    expect(tally.of('trade').kinds.has(scene), `an order that is ${scene}`)
  }
  return failed
}
