/** Which apps a relay takes and hands over when members come and go. */
import { expect, test } from 'vitest'
import { Assignment } from './assignment.ts'
import { findAssignedApps } from './rendezvous.ts'

const APPS = Array.from({ length: 12 }, (_, at) => `app-${at}`)
const none = (): boolean => false
const ofBoth = findAssignedApps('one', APPS, ['one', 'two'])
const ofTwo = APPS.filter((app) => !ofBoth.includes(app))

/** The relay `one` among members. */
function among(...members: string[]): Assignment {
  const assignment = new Assignment('one', APPS)
  assignment.update(members)
  return assignment
}

test('both relays of the cluster have apps', () => {
  expect(ofBoth.length).toBeGreaterThan(0)
  expect(ofTwo.length).toBeGreaterThan(0)
})

test.each([
  ['assigns all apps to a single relay', ['one'], [], APPS, []],
  ['alone with some, it takes the others', ['one'], ofTwo, ofBoth, []],
  ['beside another one, it takes its share', ['one', 'two'], [], ofBoth, []],
  ['another one has joined: it hands over its share', ['one', 'two'], APPS, [], ofTwo],
  ['it does not take apps itself: it hands over all', ['two'], APPS, [], APPS],
] as const)('%s', (_, members, running, acquire, release) => {
  expect(among(...members).changes(running, none)).toEqual({ release, acquire })
})

test('does not acquire an app that is being acquired or waits after a failure', () => {
  const isNotFree = (app: string): boolean => app === 'app-1' || app === 'app-2'
  expect(among('one').changes([], isNotFree).acquire).toEqual(APPS.filter((app) => !isNotFree(app)))
})

test('releases all apps without a membership, and acquires its share with the next members', () => {
  const assignment = among('one')
  assignment.clear()
  expect(assignment.changes(APPS, none)).toEqual({ release: APPS, acquire: [] })
  assignment.update(['one', 'two'])
  expect(assignment.changes([], none).acquire).toEqual(ofBoth)
})
