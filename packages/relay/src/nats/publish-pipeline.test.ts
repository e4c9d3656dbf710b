/** The publish pipeline against a model of a server with faults: connections, leaders, responses, other writers. */
import { createSeededRandom } from '@brokerwire/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RelayError } from '../relay-error.ts'
import {
  type Expected,
  type Loss,
  type PipelineEntry,
  PublishPipeline,
  type Ticket,
} from './publish-pipeline.ts'

interface InFlight {
  readonly entry: PipelineEntry
  readonly expected: Expected
  readonly ticket: Ticket
}

/** A model of JetStream: acknowledges a known id again, and stores a message only if it expects the end of the stream. */
function createServer() {
  const stored: string[] = []
  return {
    stored,
    take(entry: PipelineEntry, expected: Expected): { readonly sequence: number } | undefined {
      const known = stored.indexOf(entry.id)
      if (known !== -1) return { sequence: known + 1 }
      if (stored.length !== expected.sequence) return undefined
      if (expected.id !== undefined && stored.at(-1) !== expected.id) return undefined
      stored.push(entry.id)
      return { sequence: stored.length }
    },
  }
}

function createBench(bounds = { maxMessages: 8, maxBytes: 1_000_000, maxStaleReads: 2 }) {
  const server = createServer()
  /** The messages in flight, in the order in which they were sent. */
  const wire: InFlight[] = []
  const responses: (() => void)[] = []
  const confirmed: string[] = []
  const losses: Loss[] = []
  let reads = 0
  const pipeline = new PublishPipeline<PipelineEntry>(
    {
      send: (entry, expected, ticket) => wire.push({ entry, expected, ticket }),
      readTail: () => {
        reads += 1
      },
      onStored: (entries) => confirmed.push(...entries.map(({ id }) => id)),
      onLost: (loss) => losses.push(loss),
    },
    bounds,
    { sequence: 0, id: undefined },
  )
  const arrive = (index = 0): void => {
    const [sent] = wire.splice(index, 1)
    if (sent === undefined) return
    const response = server.take(sent.entry, sent.expected)
    responses.push(() => {
      if (response === undefined) pipeline.ambiguous(sent.ticket)
      else pipeline.acknowledged(sent.ticket, response.sequence)
    })
  }
  return {
    server,
    wire,
    responses,
    confirmed,
    losses,
    pipeline,
    arrive,
    get reads() {
      return reads
    },
    add(...ids: string[]) {
      for (const id of ids) pipeline.add({ id, bytes: 10 })
      pipeline.send()
    },
    arriveAll() {
      while (wire.length > 0) arrive()
    },
    respondAll() {
      for (const response of responses.splice(0)) response()
    },
    tail() {
      pipeline.tailRead({ sequence: server.stored.length, id: server.stored.at(-1) })
    },
  }
}

describe('a publish pipeline', () => {
  test('sends up to the limit with expected sequence and id, and stores in order', () => {
    const bench = createBench({ maxMessages: 3, maxBytes: 1000, maxStaleReads: 0 })
    bench.add('a', 'b', 'c', 'd')
    expect(bench.wire.map(({ expected }) => expected)).toEqual([
      { sequence: 0, id: undefined },
      { sequence: 1, id: 'a' },
      { sequence: 2, id: 'b' },
    ])
    bench.arriveAll()
    bench.respondAll()
    expect(bench.confirmed).toEqual(['a', 'b', 'c'])
    expect(bench.wire.map(({ entry }) => entry.id)).toEqual(['d'])
    expect(bench.wire[0]?.expected).toEqual({ sequence: 3, id: 'c' })
    bench.arriveAll()
    bench.respondAll()
    bench.add('e')
    expect(bench.wire[0]?.expected).toEqual({ sequence: 4, id: undefined })
  })

  test('limits the bytes in flight, and sends one message of any length', () => {
    const bench = createBench({ maxMessages: 100, maxBytes: 25, maxStaleReads: 0 })
    bench.pipeline.add({ id: 'long', bytes: 1000 })
    bench.add('a', 'b', 'c')
    expect(bench.wire.map(({ entry }) => entry.id)).toEqual(['long'])
    bench.arriveAll()
    bench.respondAll()
    expect(bench.wire.map(({ entry }) => entry.id)).toEqual(['a', 'b'])
  })

  test('settles all messages before an acknowledged one', () => {
    const bench = createBench()
    bench.add('a', 'b', 'c')
    bench.arriveAll()
    bench.responses.splice(0, 2)
    bench.respondAll()
    expect(bench.confirmed).toEqual(['a', 'b', 'c'])
    expect(bench.pipeline.size).toBe(0)
  })

  test('sends all messages again in order after one was lost and those after it were rejected', () => {
    const bench = createBench()
    bench.add('a', 'b', 'c')
    bench.wire.splice(0, 1)
    bench.arriveAll()
    expect(bench.server.stored).toEqual([])
    bench.respondAll()
    expect(bench.reads).toBe(1)
    bench.tail()
    bench.arriveAll()
    bench.respondAll()
    expect(bench.server.stored).toEqual(['a', 'b', 'c'])
    expect(bench.confirmed).toEqual(['a', 'b', 'c'])
  })

  test('ends if another writer stores a message in the middle, although the next sequence matches', () => {
    const bench = createBench()
    bench.add('a', 'b', 'c')
    bench.server.stored.push('another')
    bench.arriveAll()
    expect(bench.server.stored).toEqual(['another'])
    bench.respondAll()
    bench.tail()
    expect(bench.losses).toEqual([{ why: 'fenced', sequence: 1 }])
    bench.add('d')
    expect(bench.wire).toEqual([])
    expect(bench.pipeline.end().map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  })

  test("needs expected ids: with sequences only, it would store a message after another writer's", () => {
    const server = createServer()
    server.stored.push('another')
    expect(server.take({ id: 'b', bytes: 1 }, { sequence: 1, id: undefined })).toEqual({ sequence: 2 })
  })

  test("treats a last message without an id as another writer's, but not a last message that was deleted", () => {
    for (const [id, losses] of [
      ['', [{ why: 'fenced', sequence: 1 }]],
      [undefined, []],
    ] as const) {
      const bench = createBench()
      bench.add('a')
      bench.pipeline.ambiguous()
      bench.pipeline.tailRead({ sequence: 1, id })
      expect(bench.losses).toEqual(losses)
    }
  })

  test('reads a tail before the last acknowledged message again, and then reports a truncated stream', () => {
    const bench = createBench()
    bench.add('a', 'b')
    bench.arriveAll()
    bench.respondAll()
    bench.pipeline.ambiguous()
    for (let read = 1; read <= 3; read += 1) {
      expect(bench.reads).toBe(read)
      bench.pipeline.tailRead({ sequence: 1, id: 'a' })
    }
    expect(bench.losses).toEqual([{ why: 'truncated', acknowledged: 2, sequence: 1 }])
  })

  test('reports a recreated stream as truncated at once', () => {
    const bench = createBench()
    bench.add('a', 'b')
    bench.arriveAll()
    bench.respondAll()
    bench.pipeline.ambiguous()
    bench.pipeline.tailRead({ sequence: 1, id: 'x', isRecreated: true })
    expect(bench.losses).toEqual([{ why: 'truncated', acknowledged: 2, sequence: 1 }])
  })

  test('distinguishes a recreated stream with the same number of messages', () => {
    const bench = createBench()
    bench.add('a', 'b')
    bench.arriveAll()
    bench.respondAll()
    bench.pipeline.ambiguous()
    bench.pipeline.tailRead({ sequence: 2, id: 'of others' })
    expect(bench.losses).toEqual([{ why: 'fenced', sequence: 2 }])
  })

  test('ends when the stream rejects messages permanently', () => {
    const bench = createBench()
    bench.add('a')
    const details = { stream: 's', messageBytes: 2, maxBytes: 1, configuration: 'max_payload: 2' }
    const error = new RelayError('RELAY_EVENT_OVERSIZED', 'too long', { details })
    bench.pipeline.refused(error)
    bench.pipeline.ambiguous()
    expect(bench.losses).toEqual([{ why: 'refused', error }])
    expect(bench.reads).toBe(0)
  })
})

/** Runs a pipeline with random faults, then without. @returns The bench, and the sequence of another writer's message. */
function play(seed: number, events: number, withOther: boolean) {
  const random = createSeededRandom(seed)
  const upTo = (count: number): number => Math.floor(random() * count)
  const bench = createBench({ maxMessages: 1 + upTo(12), maxBytes: 200, maxStaleReads: 1000 })
  const { server, wire, responses, pipeline } = bench
  let added = 0
  const more = (count: number): string[] =>
    Array.from({ length: Math.min(count, events - added) }, () => {
      added += 1
      return `e${added}`
    })
  let foreignAt: number | undefined
  const steps: (() => void)[] = [
    () => bench.add(...more(upTo(5))),
    () => bench.arrive(),
    () => bench.arrive(),
    () => responses.shift()?.(),
    () => responses.shift()?.(),
    // Out of order: an old connection delivers late.
    () => bench.arrive(upTo(wire.length)),
    () => void wire.splice(upTo(wire.length), 1),
    () => void responses.splice(upTo(responses.length), 1),
    // The connection breaks: some messages and all responses are lost.
    () => {
      const kept = upTo(wire.length + 1)
      wire.splice(kept)
      responses.length = 0
    },
    () => pipeline.ambiguous(),
    () => bench.tail(),
    // A replica that lags behind.
    () => {
      const behind = upTo(server.stored.length + 1)
      pipeline.tailRead({ sequence: behind, id: behind === 0 ? undefined : server.stored[behind - 1] })
    },
    () => pipeline.tailFailed(),
    () => {
      if (!withOther || foreignAt !== undefined || random() > 0.05) return
      server.stored.push('another')
      foreignAt = server.stored.length
    },
  ]
  for (let step = 0; step < events * 30; step += 1) steps[upTo(steps.length)]?.()
  for (let round = 0; round < 500 && bench.losses.length === 0; round += 1) {
    if (added < events) bench.add(...more(events))
    bench.arriveAll()
    bench.respondAll()
    if (pipeline.size === 0) break
    pipeline.ambiguous()
    bench.tail()
  }
  // All messages in flight arrive in the end.
  bench.arriveAll()
  return { bench, foreignAt, all: Array.from({ length: events }, (_, index) => `e${index + 1}`) }
}

describe('a publish pipeline with random faults', () => {
  test('stores each message once and in order if messages, responses and tails are lost, late or stale', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 60 }), (seed, events) => {
        const { bench, all } = play(seed, events, false)
        expect(bench.losses).toEqual([])
        expect(bench.server.stored).toEqual(all)
        expect(bench.confirmed).toEqual(all)
      }),
      { numRuns: 400 },
    )
  })

  test('stores no message after another writer has stored one, and reports that', () => {
    let fenced = 0
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 60 }), (seed, events) => {
        const { bench, foreignAt, all } = play(seed, events, true)
        const { stored } = bench.server
        if (foreignAt === undefined) return
        expect(stored.slice(foreignAt)).toEqual([])
        expect(stored.slice(0, -1)).toEqual(all.slice(0, foreignAt - 1))
        // Confirmed messages are stored, and the loss was reported if there were more to send.
        expect(bench.confirmed).toEqual(all.slice(0, bench.confirmed.length))
        expect(bench.confirmed.length).toBeLessThan(foreignAt)
        if (bench.confirmed.length < events) {
          expect(bench.losses).toEqual([{ why: 'fenced', sequence: foreignAt }])
          fenced += 1
        }
      }),
      { numRuns: 400 },
    )
    expect(fenced).toBeGreaterThan(50)
  })
})
