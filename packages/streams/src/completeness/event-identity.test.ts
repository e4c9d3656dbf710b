import { expect, test } from 'vitest'
import { eventIdentity, MAX_RECENT_EVENTS, RecentEvents, StoredEvents } from './event-identity.ts'

const event = (n: number, payload = '{}') => ({ eventType: 1024, requestId: `r/${n}`, payload })

test('returns the identities of the last events, oldest first, including stored ones', () => {
  const recent = new RecentEvents(4096)
  recent.begin(['1024/x/old'])
  for (let n = 0; n < MAX_RECENT_EVENTS + 9; n += 1)
    recent.add(event(n, n === 70 ? 'x'.repeat(20_000) : '{}'))
  const identities = recent.identities()
  expect(identities).toHaveLength(MAX_RECENT_EVENTS)
  expect(identities[0]).toBe(eventIdentity(event(9)))
  expect(identities.at(-1)).toBe(eventIdentity(event(72)))
  expect(recent.identities()).toEqual(identities)
})

test('ignores events without a request id, with one that is too long, or changed by the consumer', () => {
  const recent = new RecentEvents(8)
  recent.add({ eventType: 1024, requestId: '', payload: '' })
  recent.add({ eventType: 1024, requestId: 'abcde', payload: '' })
  recent.add({ eventType: 1024, requestId: 'a', payload: undefined as unknown as string })
  expect(recent.identities()).toEqual([])
})

test('recognizes a stored event by its code, request id and payload, within a number of events', () => {
  const stored = new StoredEvents(4)
  expect(stored.has(event(1))).toBe(false)
  stored.add([eventIdentity(event(1))])
  expect(stored.has(event(1))).toBe(true)
  expect(stored.has(event(1, '{"other":1}'))).toBe(false)
  expect(stored.has({ ...event(1), eventType: 1028 })).toBe(false)
  expect(stored.has(event(2))).toBe(false)
  expect(stored.has(event(1))).toBe(false)
})
