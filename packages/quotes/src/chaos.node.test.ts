/**
 * Hours of virtual time with all kinds of failures: drops, stalled connections, bytes that are not MQTT, every
 * retryable CONNACK code, failing calls, forgotten sessions, and changed subscriptions. A quiet hour follows. The
 * full run takes a day of virtual time.
 */
import { createSeededRandom } from '@brokerwire/core/testing'
import { expect, inject, test } from 'vitest'
import { readBench } from './test/quotes-bench.ts'
import { snapshot, tick } from './test/virtual-service.ts'

const isFullRun = inject('isFullRun')
const HOUR_MS = 3_600_000
const FAULTY_MS = (isFullRun ? 24 : 6) * HOUR_MS
const SYMBOLS = Array.from({ length: 300 }, (_, at) => `S${at}`)
const CODES = [100, 101, 102, 105, 255]
const CALLS = [
  { status: 417, code: 'INVALID_SESSION' },
  { status: 417, code: 'TOO_MANY_SYMBOLS_SUBSCRIPTION' },
  { status: 429, code: 'TOO_MANY_REQUESTS' },
  { status: 500, code: 'INTERNAL' },
  { status: 503, code: '' },
]

test.each(isFullRun ? [1, 2] : [1])(
  'seed %i: all subscriptions are restored, no slot is used twice, and no timer or session remains',
  async (seed) => {
    const random = createSeededRandom(seed)
    const below = (limit: number): number => Math.floor(random() * limit)
    const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T
    const made = readBench({
      random,
      // More capacity than needed, because a session that reports that it is full is not filled again.
      maxConnections: 5,
      supervision: { resubscribeIntervalMs: 600_000 },
      backfill: ({ symbols }) => symbols.map((symbol) => ({ ...symbol, value: 1 })),
    })
    const { quotes, service, clock } = made
    const { behaviour } = service
    quotes.set({ symbols: SYMBOLS.slice(0, 100), types: ['snapshot'], category: 'US_STOCK' })
    const some = (): string[] => Array.from({ length: 1 + below(20) }, () => pick(SYMBOLS))
    const deeds: readonly (() => void)[] = [
      () => service.sessions[below(5)]?.drop('ECONNRESET'),
      () => service.sessions[below(5)]?.drop(),
      () => service.sessions[below(5)]?.bytes(Uint8Array.from({ length: 1 + below(40) }, () => below(256))),
      () =>
        service.sessions[below(5)]?.push('snapshot', snapshot(pick(SYMBOLS), '1'), { qos: 1, messageId: 1 }),
      () => service.sessions[below(5)]?.push('tick', tick(pick(SYMBOLS), '1')),
      () => {
        behaviour.silent = true
        clock.setTimer(() => (behaviour.silent = false), below(120_000))
      },
      () => {
        behaviour.connack = pick(CODES)
        clock.setTimer(() => (behaviour.connack = 0), below(90_000))
      },
      () => {
        behaviour.registrationMs = below(8000)
      },
      () => void behaviour.failures.push(pick(CALLS)),
      () => quotes.set({ symbols: some(), types: ['snapshot', 'tick'], category: 'US_STOCK' }),
      () => quotes.add({ symbols: some(), types: ['quote'], category: 'US_STOCK', depth: 1 + below(50) }),
      () => quotes.remove({ symbols: some(), category: 'US_STOCK' }),
      () => quotes.set([]),
      () => quotes.set({ symbols: SYMBOLS.slice(0, 100), types: ['snapshot'], category: 'US_STOCK' }),
    ]
    const startMs = clock.now()
    let done = 0
    while (clock.now() < startMs + FAULTY_MS) {
      pick(deeds)()
      done += 1
      await clock.advance(below(120_000))
    }
    Object.assign(behaviour, { silent: false, connack: 0, registrationMs: 0 })
    behaviour.failures.length = 0
    quotes.set({ symbols: SYMBOLS.slice(0, 50), types: ['tick'], category: 'US_STOCK' })
    await clock.advance(HOUR_MS)
    expect(await Promise.race([made.ended, Promise.resolve('goes on')])).toBe('goes on')
    const desired = quotes.desired().map(({ symbol, types }) => `${symbol} ${types}`)
    expect(desired.length).toBeGreaterThan(0)
    expect(
      quotes
        .confirmed()
        .map(({ symbol, types }) => `${symbol} ${types}`)
        .sort(),
    ).toEqual(desired.sort())
    const atService = service.sessions.flatMap(({ symbols }) => [...symbols.keys()])
    expect(atService.sort()).toEqual(
      quotes
        .confirmed()
        .map(({ symbol }) => symbol)
        .sort(),
    )
    expect(new Set(service.sessionIds).size).toBe(service.sessionIds.length)
    expect(service.mostConnected).toBeLessThanOrEqual(5)
    expect(done).toBeGreaterThan(isFullRun ? 1000 : 250)
    for (const { delayMs } of made.notices('reconnecting').filter(({ connackCode }) => connackCode === 105)) {
      expect(delayMs).toBeGreaterThanOrEqual(60_000)
    }
    for (const { fromMs, toMs } of made.notices('gap')) expect(fromMs).toBeLessThanOrEqual(toMs)
    await quotes.close()
    expect(clock.pendingTimers).toBe(0)
    expect(service.sessions).toEqual([])
  },
  60_000,
)
