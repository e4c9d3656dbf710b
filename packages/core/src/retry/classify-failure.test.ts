import { describe, expect, test } from 'vitest'
import { classifyFailure, type Failure, type FailureClass, isCredentialStatus } from './classify-failure.ts'

type Row = readonly [status: Failure['status'], first: FailureClass, later: FailureClass]

/** For each status, the class if the call has never succeeded, and the class if it has succeeded before. */
const ROWS: readonly Row[] = [
  [undefined, 'transient', 'transient'],
  [302, 'final', 'unknown'],
  [400, 'final', 'unknown'],
  [401, 'final', 'unknown'],
  [403, 'final', 'unknown'],
  [404, 'final', 'unknown'],
  [405, 'final', 'unknown'],
  [408, 'transient', 'transient'],
  [409, 'unknown', 'unknown'],
  [410, 'final', 'unknown'],
  [417, 'unknown', 'unknown'],
  [425, 'transient', 'transient'],
  [429, 'transient', 'transient'],
  [500, 'transient', 'transient'],
  [503, 'transient', 'transient'],
  [599, 'transient', 'transient'],
  ['ok', 'transient', 'transient'],
  ['cancelled', 'transient', 'transient'],
  ['unknown', 'transient', 'transient'],
  ['invalid_argument', 'final', 'unknown'],
  ['deadline_exceeded', 'transient', 'transient'],
  ['not_found', 'final', 'unknown'],
  ['already_exists', 'final', 'unknown'],
  ['permission_denied', 'final', 'unknown'],
  ['resource_exhausted', 'transient', 'transient'],
  ['failed_precondition', 'final', 'unknown'],
  ['aborted', 'transient', 'transient'],
  ['out_of_range', 'final', 'unknown'],
  ['unimplemented', 'final', 'unknown'],
  ['internal', 'transient', 'transient'],
  ['unavailable', 'transient', 'transient'],
  ['data_loss', 'transient', 'transient'],
  ['unauthenticated', 'final', 'unknown'],
]

test.each(ROWS)('%s is %s at first, and %s if the call worked before', (status, first, later) => {
  expect(classifyFailure({ status, workedBefore: false })).toBe(first)
  expect(classifyFailure({ status, workedBefore: true })).toBe(later)
})

describe('a code of the service decides before the status', () => {
  test.each([
    [417, 'INVALID_PARAMETER', 'final'],
    [417, 'UNSUPPORTED_CATEGORY', 'final'],
    [417, 'SERVICE_NOT_AVAILABLE', 'transient'],
    [400, 'SYSTEM_ERROR', 'transient'],
    [417, 'SOMETHING_NEW', 'unknown'],
    [403, 'SOMETHING_NEW', 'final'],
    [417, 'toString', 'unknown'],
  ] as const)('%i %s is %s', (status, code, expected) => {
    expect(classifyFailure({ status, code, workedBefore: false })).toBe(expected)
  })

  test('a final one is unknown if the call worked before', () => {
    expect(classifyFailure({ status: 417, code: 'OPENAPI_PARAM_ERR', workedBefore: true })).toBe('unknown')
  })
})

test('four statuses refuse the credentials', () => {
  const refusals = ROWS.map(([status]) => status).filter(isCredentialStatus)
  expect(refusals).toEqual([401, 403, 'permission_denied', 'unauthenticated'])
})
