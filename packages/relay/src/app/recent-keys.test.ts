/** The keys by which a relay recognizes events that the service sends again. */
import { expect, test } from 'vitest'
import { DuplicateFilter, RecentKeys } from './recent-keys.ts'

test('keeps the keys while a subscription waits to be opened', () => {
  const known = new DuplicateFilter(['module', 'trade'])
  known.reset(['module:one'])
  known.subscribed('trade')
  known.advance(1_000_000)
  expect(known.has('module:one')).toBe(true)
  known.subscribed('module')
  known.advance(10_050)
  expect(known.has('module:one')).toBe(true)
  known.advance(1)
  expect(known.has('module:one')).toBe(false)
  known.reset(['module:two'], 'module')
  known.advance(1_000_000)
  expect(known.has('module:two')).toBe(true)
})

test('keeps the last 2,000 keys, and the last one of each event type with a cursor', () => {
  const recent = new RecentKeys()
  recent.add('module:old', 'APPLICATION')
  for (let trade = 0; trade < 5000; trade += 1) recent.add(`trade:${trade}`, undefined)
  expect(recent.values()).toHaveLength(2001)
  expect(recent.values()).toEqual(expect.arrayContaining(['module:old', 'trade:3000', 'trade:4999']))
  expect(recent.values()).not.toContain('trade:2999')
})
