/** The keys that identify duplicates of an event. */
import { expect, test } from 'vitest'
import { ADDRESS } from '../test/entries.ts'
import { type AnyEvent, EntryFactory } from './entries.ts'
import { subjectRoot } from './subjects.ts'

const event = (change: object) =>
  ({
    type: 'event',
    service: 'module',
    kind: 'module',
    messageType: 2,
    id: 'e-1',
    eventType: 'APPLICATION',
    position: '7',
    timestamp: '2026-01-01T00:00:00Z',
    version: '1.0',
    payload: '{}',
    unknownFields: [],
    receivedAtMs: 1,
    ...change,
  }) as unknown as AnyEvent

const keysOf = (change: object): readonly string[] => {
  const [one, other] = [
    new EntryFactory(subjectRoot(ADDRESS), 'one', 'main'),
    new EntryFactory(subjectRoot(ADDRESS), 'two', 'main'),
  ]
  return [one, one, other].map((entries) => entries.event('module', event(change)).key)
}

test.each([
  ['an id', {}],
  ['a position alone', { id: '' }],
])('an event with %s has the same key in each relay', (_, change) => {
  expect(new Set(keysOf(change)).size).toBe(1)
})

test('an event without an id and a position is never a duplicate', () => {
  expect(new Set(keysOf({ id: '', position: '' })).size).toBe(3)
})

test('an event with another body, id or event type has another key', () => {
  const keys = [{}, { payload: '{ }' }, { id: 'e-2' }, { eventType: 'JOURNAL' }].map(
    (change) => keysOf(change)[0],
  )
  expect(new Set(keys).size).toBe(4)
})
