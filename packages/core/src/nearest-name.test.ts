import { describe, expect, test } from 'vitest'
import { nearestName } from './nearest-name.ts'

describe('the nearest name', () => {
  const names = ['region', 'store', 'appKey', 'eventsUrl']
  test.each([
    ['regoin', 'region'],
    ['app-key', 'appKey'],
    ['STORE', 'store'],
    ['SOMETHING_ELSE_AT_ALL', undefined],
    ['x'.repeat(1e6), undefined],
    ['url', 'eventsUrl'],
  ])('of %.40s is %s', (name, known) => {
    expect(nearestName(name, names)).toBe(known)
  })

  test('of a short name is no long one that happens to hold its letters', () => {
    expect(nearestName('nope', ['seed', 'sodEventType', 'nonceForm'])).toBeUndefined()
  })

  test('of no names is none', () => {
    expect(nearestName('region', [])).toBeUndefined()
  })
})
