import { expect, test } from 'vitest'
import { statusOf } from './exit-status.ts'

test.each([
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
  ['STREAM_AUTH_REJECTED', 1],
  ['STREAM_CURSOR_INVALID', 1],
  ['TOKEN_ANSWER_INVALID', 1],
  ['TOKEN_RECORD_INVALID', 1],
])('%s ends with status %i', (code, status) => {
  expect(statusOf({ code })).toBe(status)
})
