import { expect, test } from 'vitest'
import type { StreamNotice } from '../items/notices.ts'
import { IdLimit } from './id-limit.ts'

test('keeps an id of the greatest length, and reports and empties a longer one', () => {
  const notices: StreamNotice[] = []
  const ids = new IdLimit(9, (notice) => notices.push(notice))
  expect(ids.apply('id', 'abcd', 1)).toBe('abcd')
  expect(notices).toEqual([])
  expect(ids.apply('position', 'abcde', 2)).toBe('')
  expect(notices).toEqual([{ type: 'notice', kind: 'id-too-long', atMs: 2, field: 'position', bytes: 10 }])
})
