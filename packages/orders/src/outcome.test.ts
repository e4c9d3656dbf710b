/** The meaning of a failed sending. Only a response that rejects the order closes its entry. */
import { BrokerwireError } from '@brokerwire/core'
import { expect, test } from 'vitest'
import { outcomeOf } from './outcome.ts'

class TestError extends BrokerwireError {
  override readonly name: string

  constructor(name: string, code: string, details: Readonly<Record<string, unknown>> = {}) {
    super('test', code, 'failed', { details })
    this.name = name
  }
}

const status = (code: string, value: number, serviceCode?: string) =>
  new TestError('HttpError', code, { status: value, serviceCode, sentOnce: true })

test.each([
  ['rejected', status('HTTP_BUSINESS_ERROR', 417, 'OPENAPI_NO_TRADING_TIME')],
  ['rejected', status('HTTP_UNAUTHORIZED', 401, 'UNAUTHORIZED')],
  ['rejected', status('HTTP_UNAUTHORIZED', 401)],
  ['rejected', status('HTTP_FORBIDDEN', 403, 'ACCOUNT_ACCESS_DENIED')],
  ['rejected', status('HTTP_RATE_LIMITED', 429)],
  ['rejected', status('HTTP_CLIENT_ERROR', 404)],
  ['lost', status('HTTP_CLIENT_ERROR', 408)],
  ['lost', status('HTTP_BUSINESS_ERROR', 417, 'OPENAPI_SYSTEM_ERROR')],
  ['lost', status('HTTP_BUSINESS_ERROR', 417)],
  ['lost', status('HTTP_SERVER_ERROR', 500, 'NO_TRADING_TIME')],
  ['lost', status('HTTP_REDIRECT', 302)],
  ['lost', new TestError('HttpError', 'HTTP_NO_RESPONSE')],
  ['lost', new TestError('HttpError', 'HTTP_TIMEOUT')],
  ['lost', new TestError('HttpError', 'HTTP_RESPONSE_TOO_LARGE')],
  ['lost', new TestError('OperationsError', 'OPERATION_RESPONSE_INVALID')],
  ['lost', new TestError('TokensError', 'TOKEN_SECOND_FACTOR_REQUIRED')],
  ['lost', new TestError('MyError', 'SOMETHING_ELSE')],
  ['lost', new Error('anything')],
  ['lost', 'anything'],
  ['lost', undefined],
  ['repeated-id', status('HTTP_BUSINESS_ERROR', 417, 'OPENAPI_TRADE_PLACE_ORDER_REPEAT')],
  ['repeated-id', status('HTTP_BUSINESS_ERROR', 417, 'OAUTH_OPENAPI_TRADE_PLACE_ORDER_REPEAT')],
  ['not-sent', new TestError('HttpError', 'HTTP_NOT_SENT', { sentOnce: true })],
  ['lost', new TestError('HttpError', 'HTTP_NOT_SENT', { sentOnce: false })],
  ['lost', new TestError('HttpError', 'HTTP_NOT_SENT')],
  ['not-sent', new TestError('SignerError', 'SIGNER_OPTION_INVALID')],
])('the outcome is %s for %s', (type, error) => {
  expect(outcomeOf(error).type).toBe(type)
})

test('control characters of a message are escaped, and a long message is cut', () => {
  const error = new TestError('HttpError', 'HTTP_BUSINESS_ERROR', {
    status: 417,
    serviceCode: 'X\u0000',
    serviceMessage: `\u001b${'y'.repeat(500)}`,
  })
  const { reason } = outcomeOf(error) as { reason: { code: string; message: string } }
  expect(reason.code).toBe('X\\u{0}')
  expect(reason.message).toMatch(/^\\u\{1b\}y+\u2026$/)
  expect(reason.message.length).toBeLessThanOrEqual(201)
})
