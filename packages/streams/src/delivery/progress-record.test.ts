import { describe, expect, test } from 'vitest'
import { isStreamsError } from '../streams-error.ts'
import { decodeRecord, encodeRecord } from './progress-record.ts'

test('a record of the greatest size has at most 128 KiB, and can be decoded', () => {
  const ids = Array.from({ length: 100 }, (_, n) => String.fromCharCode(n % 32).repeat(200 + n))
  const record = {
    position: undefined,
    ids,
    complete: { serviceMs: 8.64e15, hostMs: -8.64e15, offsetMs: 0.1 },
  }
  const json = encodeRecord(record)
  expect(json.length).toBeLessThanOrEqual(128 * 1024)
  const stored = decodeRecord('trade', json).ids
  expect(stored).toEqual(ids.slice(-stored.length))
  const units = stored.join('').length
  expect(units).toBeLessThanOrEqual(16 * 1024)
  expect(units).toBeGreaterThan(15 * 1024)
})

describe('a stored value that is no cursor', () => {
  test.each([
    '',
    'nonsense',
    '[]',
    '{"v":3,"position":"p","ids":[],"complete":{"hostMs":1}}',
    '{"v":2,"position":"p","ids":[]}',
    '{"v":2,"position":"","ids":[],"complete":{"hostMs":1}}',
    '{"v":2,"ids":[],"complete":{"serviceMs":1}}',
    '{"v":2,"ids":[],"complete":{"hostMs":1e99}}',
    '{"v":2,"ids":[],"complete":{"hostMs":1,"offsetMs":"1"}}',
    '{"v":2,"complete":{"hostMs":1}}',
    '{"v":1,"ids":[]}',
    '{"v":1,"position":"p"}',
    '{"v":1,"sinceMs":"now"}',
    '{"v":1,"sinceMs":1.5}',
  ])('%j is an error', (json) => {
    expect(() => decodeRecord('APPLICATION', json)).toThrow(
      expect.toSatisfy((error) => isStreamsError(error, 'STREAM_CURSOR_INVALID')),
    )
  })
})
