/** The apps that a relay acquires and releases when members join and leave. */
import { expect, test } from 'vitest'
import { Assignment } from './assignment.ts'
import { findAssignedApps } from './rendezvous.ts'

const APPS = Array.from({ length: 12 }, (_, at) => `app-${at}`)
const none = (): boolean => false
const ofBoth = findAssignedApps('one', APPS, ['one', 'two'])
const ofTwo = APPS.filter((app) => !ofBoth.includes(app))

/** The assignment of the relay `one` in a cluster with these members. */
function among(...members: string[]): Assignment {
  const assignment = new Assignment('one', APPS)
  assignment.update(members)
  return assignment
}

test('assigns apps to both relays of a cluster', () => {
  expect(ofBoth.length).toBeGreaterThan(0)
  expect(ofTwo.length).toBeGreaterThan(0)
})

test.each([
  ['assigns all apps to a single relay', ['one'], [], APPS, []],
  ['acquires the other apps if it is alone', ['one'], ofTwo, ofBoth, []],
  ['acquires its share with another relay', ['one', 'two'], [], ofBoth, []],
  ['releases the share of a relay that has joined', ['one', 'two'], APPS, [], ofTwo],
  ['releases all apps if it is not eligible', ['two'], APPS, [], APPS],
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
