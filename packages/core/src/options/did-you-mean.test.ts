import { describe, expect, test } from 'vitest'
import { didYouMean } from './did-you-mean.ts'

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
    expect(didYouMean(name, names)).toBe(known)
  })

  test('of a short name is not a long name that contains its letters by chance', () => {
    expect(didYouMean('nope', ['seed', 'sodEventType', 'nonceFormat'])).toBeUndefined()
  })

  test('is undefined if there are no names', () => {
    expect(didYouMean('region', [])).toBeUndefined()
  })
})
