/** Reports to observers of market data, with a model of the service in virtual time. */
import { generate } from 'mqtt-packet'
import { afterEach, describe, expect, test } from 'vitest'
import type { QuotesBatchReport, QuotesObserver } from './observer.ts'
import { type QuotesBench, quotesBench, readBench } from './test/quotes-bench.ts'
import { snapshot, tick } from './test/virtual-service.ts'

const STOCKS = { types: ['snapshot', 'tick'], category: 'US_STOCK' } as const
const open: { quotes: QuotesBench['quotes'] }[] = []
afterEach(async () => {
  for (const { quotes } of open.splice(0)) await quotes.close()
})

async function live(
  symbols: readonly string[],
  more: Parameters<typeof readBench>[0] = {},
): Promise<QuotesBench> {
  const made = readBench(more)
  open.push(made)
  made.quotes.set({ ...STOCKS, symbols })
  await made.clock.advance(1000)
  return made
}

const packet = (topic: string, payload: Uint8Array): Uint8Array =>
  generate({ cmd: 'publish', topic, payload: Buffer.from(payload), qos: 0, dup: false, retain: false })

describe('onQuotesBatch', () => {
  test('is called once for the messages that arrived together', async () => {
    const reports: QuotesBatchReport[] = []
    const made = await live(['A', 'B'], {
      clientId: 'main',
      observer: { onQuotesBatch: (report) => reports.push(report) },
    })
    const payloads = [snapshot('A', '1'), snapshot('B', '2'), tick('A', '3')]
    made.service.sessions[0]?.bytes(
      Buffer.concat(payloads.map((payload, at) => packet(at === 2 ? 'tick' : 'snapshot', payload))),
    )
    expect(reports).toEqual([
      {
        clientId: 'main',
        connection: 1,
        messages: 3,
        bytes: payloads.reduce((sum, { length }) => sum + length, 0),
        replaced: 0,
        dropped: 0,
        // The messages have the timestamp 1.
        newestLagMs: made.clock.now() - 1,
        queueDepth: expect.any(Number),
      },
    ])
  })

  test('reports the connection that received the messages', async () => {
    const reports: QuotesBatchReport[] = []
    const made = await live(['A', 'B'], {
      symbolsPerConnection: 1,
      observer: { onQuotesBatch: (report) => reports.push(report) },
    })
    made.service.sessions[1]?.push('snapshot', snapshot('B', '1'))
    made.service.sessions[0]?.push('snapshot', snapshot('A', '1'))
    expect(reports.map(({ connection }) => connection)).toEqual([2, 1])
  })

  test('counts replaced states and dropped trades of a slow consumer as the notice does', async () => {
    const reports: QuotesBatchReport[] = []
    const { read: _, ...made } = quotesBench({
      buffer: { maxTickBytes: 4000 },
      observer: { onQuotesBatch: (report) => reports.push(report) },
    })
    open.push(made)
    made.quotes.set({ ...STOCKS, symbols: ['A'] })
    const batches = made.quotes.batches({ maxItems: 1000 })
    const first = batches.next()
    await made.clock.advance(1000)
    await first
    for (let round = 1; round <= 100; round += 1) {
      made.service.sessions[0]?.push('snapshot', snapshot('A', `${round}`))
      made.service.sessions[0]?.push('tick', tick('A', `${round}`))
    }
    const { value = [] } = await batches.next()
    const notice = value.find((item) => item.type === 'notice' && item.kind === 'overflow')
    const sum = (of: (report: QuotesBatchReport) => number) => reports.reduce((all, one) => all + of(one), 0)
    expect(sum(({ messages }) => messages)).toBe(200)
    expect(sum(({ replaced }) => replaced)).toBe(99)
    expect(notice).toMatchObject({ messages: sum(({ dropped }) => dropped) })
  })

  test('has no lag if the message cannot be decoded', async () => {
    const reports: QuotesBatchReport[] = []
    const made = await live(['A'], { observer: { onQuotesBatch: (report) => reports.push(report) } })
    made.service.sessions[0]?.push('snapshot', Uint8Array.of(0xff))
    made.service.sessions[0]?.push('new-topic', Uint8Array.of(1))
    expect(reports).toMatchObject([
      { messages: 1, newestLagMs: undefined },
      { messages: 1, newestLagMs: undefined },
    ])
  })

  test('is not called for the heartbeat of the service', async () => {
    const reports: QuotesBatchReport[] = []
    const made = await live(['A'], { observer: { onQuotesBatch: (report) => reports.push(report) } })
    made.service.sessions[0]?.push('echo', Uint8Array.of(1))
    expect(reports).toEqual([])
  })
})

test('two clients without a name have different ones in reports', async () => {
  const ids = new Set<string>()
  const observer: QuotesObserver = { onQuotesState: ({ clientId }) => ids.add(clientId) }
  await live(['A'], { observer })
  await live(['A'], { observer })
  expect(ids.size).toBe(2)
  for (const id of ids) expect(id).toMatch(/^quotes-\d+$/)
})

test.each([
  [
    'throws',
    () => {
      throw new Error('a bug in an observer')
    },
  ],
  // An unhandled rejection would fail the run.
  ['rejects', () => Promise.reject(new Error('a bug in an observer'))],
  ['never resolves', () => new Promise<void>(() => {})],
])('an observer that %s changes nothing', async (_name, listener) => {
  const observer = {
    onQuotesState: listener,
    onQuotesBatch: listener,
    onQuotesNotice: listener,
  } satisfies Required<QuotesObserver>
  const made = await live(['A'], { observer })
  made.service.sessions[0]?.push('snapshot', snapshot('A', '1'))
  await made.clock.settle()
  expect(made.messages()).toEqual(['snapshot A 1'])
  await made.quotes.close()
  expect(await made.ended).toBe('left')
})
