import { describe, expect, test } from 'vitest'
import { nearestName } from './index.ts'

describe('the nearest name', () => {
  const names = ['BROKERWIRE_REGION', 'BROKERWIRE_STORE', 'BROKERWIRE_APP_KEY']
  test.each([
    ['BROKERWIRE_REGOIN', 'BROKERWIRE_REGION'],
    ['BROKERWIRE_APPKEY', 'BROKERWIRE_APP_KEY'],
    ['brokerwire_store', 'BROKERWIRE_STORE'],
    ['SOMETHING_ELSE_AT_ALL', undefined],
    ['', undefined],
    ['x'.repeat(1e6), undefined],
  ])('of %.40s is %s', (name, known) => {
    expect(nearestName(name, names)).toBe(known)
  })

  test('of no names is none', () => {
    expect(nearestName('region', [])).toBeUndefined()
  })
})
