import { expect, test } from 'vitest'
import { callOutcome } from './call-outcome.ts'

const asked = ['A', 'B.X', '00700', 'KXNBA-LAC']
const failed = (code: string, status: number | undefined, message?: string) =>
  callOutcome({ code, status, message, retryAfterMs: undefined }, asked)

test.each([
  ['The symbols does not exist in the category. [B.X, KXNBA-LAC]', ['B.X', 'KXNBA-LAC']],
  ['The symbols does not exist in the category. [A]', ['A']],
  ['[00700,A]', ['A', '00700']],
  ['The symbols does not exist in the category. [NOT, ASKED]', undefined],
  ['The symbols does not exist in the category. []', undefined],
  ['The symbols does not exist in the category.', undefined],
  [undefined, undefined],
])('INVALID_SYMBOL with the message %j names %j', (message, symbols) => {
  expect(failed('INVALID_SYMBOL', 417, message)).toMatchObject({ kind: 'symbols-rejected', symbols })
})

test.each([
  ['INVALID_SESSION', 417, 'session-unknown'],
  ['TOO_MANY_SYMBOLS_SUBSCRIPTION', 417, 'too-many'],
  ['UNSUPPORTED_SYMBOL', 417, 'symbols-rejected'],
  ['UNSUPPORTED_CATEGORY', 417, 'rejected'],
  ['UNSUPPORTED_SUB_TYPE', 417, 'rejected'],
  ['MARKET_DATA_NOT_SUBSCRIBED', 403, 'rejected'],
  ['ILLEAGAL_PARAMETER', 400, 'rejected'],
  ['INVALID_PARAMETER', 417, 'rejected'],
  ['SOMETHING_NEW', 417, 'unknown'],
  ['HTTP_BUSINESS_ERROR', 417, 'unknown'],
  ['HTTP_CLIENT_ERROR', 409, 'unknown'],
  ['HTTP_CLIENT_ERROR', 408, 'failed'],
  ['HTTP_CLIENT_ERROR', 425, 'failed'],
  ['SERVICE_NOT_AVAILABLE', 417, 'failed'],
  ['INVALID_TOKEN', 401, 'unauthorized'],
  ['UNAUTHORIZED', 401, 'unauthorized'],
  ['HTTP_CLIENT_ERROR', 404, 'unusable'],
  ['HTTP_REDIRECT', 302, 'unusable'],
  ['TOO_MANY_REQUESTS', 429, 'failed'],
  ['SYSTEM_ERROR', 500, 'failed'],
  ['HTTP_TIMEOUT', undefined, 'failed'],
])('%s with status %s is %s', (code, status, kind) => {
  expect(failed(code, status)).toMatchObject({ kind })
})
