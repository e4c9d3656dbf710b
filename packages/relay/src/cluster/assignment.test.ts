/** Which keys a relay takes and hands over when members come and go. */
import { expect, test } from 'vitest'
import { Assignment } from './assignment.ts'
import { findAssignedKeys } from './rendezvous.ts'

const KEYS = Array.from({ length: 12 }, (_, at) => `key-${at}`)
const none = (): boolean => false
const ofBoth = findAssignedKeys('one', KEYS, ['one', 'two'])
const ofTwo = KEYS.filter((key) => !ofBoth.includes(key))

/** The relay `one` among members. */
function among(...members: string[]): Assignment {
  const assignment = new Assignment('one', KEYS)
  assignment.update(members)
  return assignment
}

test('both relays of the cluster have keys', () => {
  expect(ofBoth.length).toBeGreaterThan(0)
  expect(ofTwo.length).toBeGreaterThan(0)
})

test.each([
  ['assigns all keys to a single relay', ['one'], [], KEYS, []],
  ['alone with some, it takes the others', ['one'], ofTwo, ofBoth, []],
  ['beside another one, it takes its share', ['one', 'two'], [], ofBoth, []],
  ['another one has joined: it hands over its share', ['one', 'two'], KEYS, [], ofTwo],
  ['it does not take keys itself: it hands over all', ['two'], KEYS, [], KEYS],
] as const)('%s', (_, members, running, acquire, release) => {
  expect(among(...members).changes(running, none)).toEqual({ release, acquire })
})

test('does not acquire a key that is being acquired or waits after a failure', () => {
  const isNotFree = (key: string): boolean => key === 'key-1' || key === 'key-2'
  expect(among('one').changes([], isNotFree).acquire).toEqual(KEYS.filter((key) => !isNotFree(key)))
})

test('releases all keys without a membership, and acquires its share with the next members', () => {
  const assignment = among('one')
  assignment.clear()
  expect(assignment.changes(KEYS, none)).toEqual({ release: KEYS, acquire: [] })
  assignment.update(['one', 'two'])
  expect(assignment.changes([], none).acquire).toEqual(ofBoth)
})
