import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from 'vitest'
import { parseCallRetryAfter } from './retry-after.ts'

const NOW_MS = Date.UTC(2026, 0, 1)

test.each([
  [{}, undefined],
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, 60_000],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT', date: 'Thu, 01 Jan 2026 00:00:50 GMT' }, 10_000],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'grpc-retry-pushback-ms': '1500' }, 1500],
  [{ 'grpc-retry-pushback-ms': '1500', 'retry-after': '7' }, 1500],
  [{ 'grpc-retry-pushback-ms': '-1' }, Number.POSITIVE_INFINITY],
  [{ 'grpc-retry-pushback-ms': 'soon' }, Number.POSITIVE_INFINITY],
] as const)('parses %j as %j ms', (metadata, expected) => {
  expect(parseCallRetryAfter(new ConnectError('x', Code.Unavailable, metadata), NOW_MS)).toBe(expected)
})

test('returns undefined for an error that is not a ConnectError', () => {
  expect(parseCallRetryAfter(new Error('x'), NOW_MS)).toBeUndefined()
})
