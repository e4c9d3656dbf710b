import { expect, test } from 'vitest'
import { statusOf } from './exit-status.ts'

test.each<[string, number, object?]>([
  ['CLI_OPTION_INVALID', 2],
  ['CLI_INPUT_UNREADABLE', 2],
  ['SIGNER_OPTION_INVALID', 2],
  ['SIGNER_TARGET_INVALID', 2],
  ['SIGNER_INPUT_INVALID', 2],
  ['STREAM_OPTION_INVALID', 2],
  ['SIMULATOR_OPTION_INVALID', 2],
  ['ENDPOINT_INVALID', 2],
  ['ENDPOINT_UNKNOWN', 2],
  ['CLI_VECTORS_EMPTY', 1],
  ['CLI_DEMO_FAILED', 1],
  ['SIMULATOR_LISTEN_FAILED', 1],
  ['STREAM_CURSOR_INVALID', 1],
  ['TOKEN_ANSWER_INVALID', 1],
  ['TOKEN_RECORD_INVALID', 1],
  ['CLI_CONFIG_INVALID', 2],
  ['CLI_SECRET_EXPOSED', 2],
  ['HTTP_OPTION_INVALID', 2],
  ['HTTP_BUSINESS_ERROR', 1],
  ['HTTP_UNAUTHORIZED', 77],
  ['STREAM_AUTH_REJECTED', 77],
  ['TOKEN_NEEDS_SECOND_FACTOR', 77],
  ['TOKEN_VERIFICATION_EXPIRED', 77],
  ['TOKEN_CALL_FAILED', 77, { details: { kind: 'refused', status: 401 } }],
  ['TOKEN_CALL_FAILED', 75, { details: { kind: 'no-answer' } }],
  ['TOKEN_CALL_FAILED', 1, { details: { kind: 'refused', status: 417 } }],
  ['HTTP_NO_ANSWER', 75],
  ['HTTP_RATE_LIMITED', 75, { retryable: true }],
  ['TOKEN_PENDING', 75, { retryable: true }],
])('%s ends with status %i %o', (code, status, more) => {
  expect(statusOf({ code, ...more })).toBe(status)
})
