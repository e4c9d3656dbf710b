import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBoundedList, textBytes } from './bounded-list.ts'
import { createEventLog } from './events/event-log.ts'
import { createRequestLog, type LoggedRequest } from './request-log.ts'

describe('a bounded list', () => {
  it('keeps the newest entries within both bounds, and their indexes', () => {
    const bounds = { maxEntries: fc.integer({ min: 1, max: 20 }), maxBytes: fc.nat(60) }
    fc.assert(
      fc.property(fc.record(bounds), fc.array(fc.nat(30), { maxLength: 3000 }), (limits, sizes) => {
        const list = createBoundedList<{ size: number }>({ ...limits, getSize: ({ size }) => size })
        const all = sizes.map((size) => ({ size }))
        for (const [index, entry] of all.entries()) expect(list.append(entry)).toBe(index)
        const kept: { size: number }[] = []
        for (const entry of [...all].reverse()) {
          const bytes = kept.reduce((sum, { size }) => sum + size, entry.size)
          if (kept.length > 0 && (kept.length === limits.maxEntries || bytes > limits.maxBytes)) break
          kept.unshift(entry)
        }
        expect(list.entries()).toEqual(kept)
        expect({ start: list.start, end: list.end }).toEqual({
          start: all.length - kept.length,
          end: all.length,
        })
        expect([list.at(list.start - 1), list.at(list.end)]).toEqual([undefined, undefined])
        for (let index = list.start; index < list.end; index += 1) expect(list.at(index)).toBe(all[index])
      }),
      { numRuns: 50 },
    )
  })

  it('counts the memory of a string', () => {
    expect(textBytes('é'.repeat(100)) - textBytes('')).toBe(100)
    expect(textBytes('騰a')).toBe(textBytes('') + 4)
  })
})

describe('the logs are bounded in bytes, because one entry may be a megabyte', () => {
  it('of events', () => {
    const log = createEventLog<{ payload: string }>({ retainedEvents: 1000, retainedBytes: 10_000_000 })
    for (let index = 0; index < 50; index += 1) log.append({ payload: 'x'.repeat(1_000_000) })
    expect(log.entries().length).toBe(9)
    expect(log.end).toBe(50)
  })

  it('of requests, with subscriptions that clients choose', () => {
    const log = createRequestLog(() => undefined)
    const request: LoggedRequest = {
      atMs: 0,
      respondedAtMs: 0,
      protocol: 'grpc',
      method: 'POST',
      path: '/grpc.trade.event.EventService/Subscribe',
      headerNames: ['te'],
      apiVersion: undefined,
      appKey: undefined,
      status: 200,
      errorCode: 'UNAUTHORIZED',
      requestId: 'id',
      subscription: undefined,
    }
    const accounts = Array.from({ length: 1000 }, (_, index) => `${index}`.padStart(1000, '0'))
    for (let index = 0; index < 40; index += 1) {
      log.add({ ...request, subscription: { service: 'trade', subscribeType: 1, accounts, timestamp: '0' } })
    }
    expect(log.entries().length).toBeLessThanOrEqual(16)
    const events = Array.from({ length: 300_000 }, () => ({ eventType: '', position: '' }))
    log.add({ ...request, subscription: { service: 'module', events, timestamp: '0' } })
    expect(log.entries().length).toBe(1)
    for (let index = 0; index < 12_000; index += 1) log.add(request)
    expect(log.entries().length).toBe(10_000)
    expect(log.total).toBe(12_041)
  })
})
