/** How long a relay knows what the service may bring once more. */
import { expect, test } from 'vitest'
import { KnownKeys, RecentKeys } from './recent-keys.ts'

test('keys were forgotten while a subscription whose events they name waited to be opened', () => {
  const known = new KnownKeys(['module', 'trade'])
  known.know(['module:one'])
  known.begun('trade')
  known.published(1_000_000)
  expect(known.has('module:one')).toBe(true)
  known.begun('module')
  known.published(10_050)
  expect(known.has('module:one')).toBe(true)
  known.published(1)
  expect(known.has('module:one')).toBe(false)
  known.know(['module:two'], 'module')
  known.published(1_000_000)
  expect(known.has('module:two')).toBe(true)
})

test('the last 2,000 are known, and of each event type with a cursor the last one', () => {
  const recent = new RecentKeys()
  recent.add('module:old', 'APPLICATION')
  for (let trade = 0; trade < 5000; trade += 1) recent.add(`trade:${trade}`, undefined)
  expect(recent.all()).toHaveLength(2001)
  expect(recent.all()).toEqual(expect.arrayContaining(['module:old', 'trade:3000', 'trade:4999']))
  expect(recent.all()).not.toContain('trade:2999')
})
