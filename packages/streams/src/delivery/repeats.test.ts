/** What is a repeat, and what is not. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createIdWindow } from './id-window.ts'
import { createRepeatWindow } from './repeat-window.ts'

describe('the window of trade and position streams', () => {
  const window = () => createRepeatWindow({ maxMessages: 3, maxLength: 1000 })

  test('a repeat equals in event type, request id and payload', () => {
    const seen = window()
    expect(seen.judge(1024, 'r1', '{"a":1}')).toBe('new')
    expect(seen.judge(1024, 'r1', '{"a":1}')).toBe('repeat')
    expect(seen.judge(1028, 'r1', '{"a":1}')).toBe('new')
    expect(seen.judge(1024, 'r2', '{"a":1}')).toBe('new')
  })

  test('the same request id with other bytes is a conflict, and is remembered too', () => {
    const seen = window()
    seen.judge(1024, 'r1', '{"a":1}')
    expect(seen.judge(1024, 'r1', '{"a":2}')).toBe('conflict')
    expect(seen.judge(1024, 'r1', '{"a":2}')).toBe('repeat')
    expect(seen.judge(1024, 'r1', '{"a":1}')).toBe('repeat')
  })

  test('a message without a request id is never a repeat', () => {
    const seen = window()
    expect([seen.judge(1024, '', 'x'), seen.judge(1024, '', 'x')]).toEqual(['new', 'new'])
  })

  test('forgets the oldest past its bounds', () => {
    const seen = window()
    for (const id of ['r1', 'r2', 'r3', 'r4']) seen.judge(1024, id, 'x')
    expect(seen.judge(1024, 'r1', 'x')).toBe('new')
    expect(seen.judge(1024, 'r4', 'x')).toBe('repeat')
    const heavy = window()
    heavy.judge(1024, 'r1', 'x'.repeat(600))
    heavy.judge(1024, 'r2', 'x'.repeat(600))
    expect(heavy.judge(1024, 'r1', 'x'.repeat(600))).toBe('new')
  })

  test('within its bounds it drops exactly the equal ones', () => {
    const message = fc.tuple(
      fc.constantFrom(1024, 1028),
      fc.constantFrom('a', 'b', 'c'),
      fc.constantFrom('x', 'y'),
    )
    fc.assert(
      fc.property(fc.array(message, { maxLength: 50 }), (messages) => {
        const seen = createRepeatWindow({ maxMessages: 1000, maxLength: 1000 })
        const known = new Set<string>()
        for (const [eventType, requestId, payload] of messages) {
          const key = JSON.stringify([eventType, requestId, payload])
          expect(seen.judge(eventType, requestId, payload) === 'repeat').toBe(known.has(key))
          known.add(key)
        }
      }),
    )
  })
})

describe('the ids of module streams', () => {
  test('an id is new once; an empty one always', () => {
    const ids = createIdWindow(10, ['committed'])
    expect([ids.add('a'), ids.add('a'), ids.add('committed'), ids.add(''), ids.add('')]).toEqual([
      true,
      false,
      false,
      true,
      true,
    ])
  })

  test('the oldest ids go first', () => {
    const ids = createIdWindow(2)
    for (const id of ['a', 'b', 'c']) ids.add(id)
    expect([ids.add('c'), ids.add('a')]).toEqual([false, true])
  })
})
