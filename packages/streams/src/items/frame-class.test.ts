import { expect, test } from 'vitest'
import { type FrameClass, isDelivered, lookupByCode } from './frame-class.ts'

test('a code outside the table is unknown, also a negative, a fractional and a huge one', () => {
  const classify = lookupByCode<FrameClass>({ 2: 'event', 4: 'ping' })
  expect([2, 4, 0, 3, 5, -1, 2.5, 2 ** 40].map(classify)).toEqual([
    'event',
    'ping',
    ...Array.from({ length: 6 }, () => 'unknown'),
  ])
})

test('events and unknown frames are delivered, control frames are not', () => {
  const all = ['subscribed', 'ping', 'event', 'auth-error', 'connection-limit', 'expired', 'unknown'] as const
  expect(all.filter(isDelivered)).toEqual(['event', 'unknown'])
})
