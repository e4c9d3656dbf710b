import { createRedactor } from '@brokerwire/core'
import { utf8Encode } from '@brokerwire/core/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AttemptContext, classify, getRequestId, parseServiceError } from './classify.ts'
import { readClientOptions } from './client-options.ts'
import type { RetryRule } from './index.ts'
import { normalize } from './normalize.ts'
import type { RawResponse, SendFailure } from './send.ts'
import { testOptions } from './test/fixtures.ts'

describe('an error body', () => {
  test('it is parsed from any bytes without throwing', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((text) => new TextEncoder().encode(text)),
        ),
        (bytes) => {
          const { code, message } = parseServiceError(bytes, (text) => text)
          expect(code === undefined || (code !== '' && code.length <= 101)).toBe(true)
          expect(message === undefined || (message !== '' && message.length <= 501)).toBe(true)
        },
      ),
    )
  })

  test('it contains no secret, even if the text is truncated within one', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\w-]{8,40}$/), fc.nat(600), (secret, before) => {
        const text = `${'.'.repeat(before)}${secret} and ${secret}`
        for (const body of [JSON.stringify({ message: text }), JSON.stringify({ errors: [text] }), text]) {
          const { message } = parseServiceError(
            new TextEncoder().encode(body),
            createRedactor(['', secret, secret.slice(2)]),
          )
          expect(message ?? '').not.toContain(secret.slice(0, 6))
        }
      }),
    )
  })
})

describe('invisible characters', () => {
  const hidden = [0, 0x0a, 0x1b, 0x7f, 0x85, 0x9b, 0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0xd800]
  const marks = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0xfeff]
  test.each([...hidden, ...marks])('U+%s is escaped in code, message and request id', (point) => {
    const text = `a${String.fromCodePoint(point)}b`
    const shown = `a\\u{${point.toString(16)}}b`
    const body = utf8Encode(JSON.stringify({ error_code: text, message: text }))
    expect(parseServiceError(body, (same) => same)).toMatchObject({ code: shown, message: shown })
    expect(getRequestId({ get: () => text } as never, (same) => same)).toBe(shown)
  })
})

describe('the outcome of an attempt', () => {
  const TOKEN = '0123456789abcdef0123456789abcdef'
  const settings = readClientOptions(testOptions('https://h.example'))
  const context = (retry: RetryRule): AttemptContext => ({
    request: normalize(
      { method: 'POST', path: '/x', retry, timeoutMs: 1000, maxResponseBytes: 10 },
      settings,
    ),
    signed: {
      url: '',
      headers: {},
      providedToken: undefined,
      clockOffsetMs: undefined,
      redact: createRedactor([TOKEN]),
    },
    serverNowMs: Date.UTC(2026, 0, 1),
    durationMs: 7,
  })
  const received = (status: number, body?: string, more: Partial<RawResponse> = {}): RawResponse => ({
    type: 'response',
    status,
    headers: new Headers({ 'x-request-id': `id of ${TOKEN}` }),
    bytes: body === undefined ? undefined : utf8Encode(body),
    isCutOff: false,
    sentOnce: true,
    ...more,
  })
  const failed = (reason: SendFailure['reason'], more: Partial<SendFailure> = {}): SendFailure => ({
    type: 'failure',
    reason,
    head: undefined,
    sentOnce: true,
    ...more,
  })
  const date = 'Thu, 01 Jan 2026 01:00:00 GMT'
  const limited = new Headers({ date, 'retry-after': 'Thu, 01 Jan 2026 01:00:05 GMT' })
  const twice = '; the host may have sent it more than once'
  const ended = 'POST /x: the connection to https://h.example ended before the response was complete'

  const table: readonly (readonly [RawResponse | SendFailure, object, RetryRule?])[] = [
    [received(401), { code: 'HTTP_UNAUTHORIZED', retryable: false, message: 'POST /x: status 401' }],
    [received(403), { code: 'HTTP_FORBIDDEN', retryable: false }],
    [
      received(417, '{"error_code":"NO_FUNDS","message":"not enough"}'),
      { code: 'HTTP_BUSINESS_ERROR', message: 'POST /x: status 417, NO_FUNDS: not enough' },
    ],
    [
      received(400, `{"msg":"bad token ${TOKEN}"}`),
      { code: 'HTTP_CLIENT_ERROR', message: 'POST /x: status 400, bad token [secret]' },
    ],
    [
      received(429, undefined, { headers: limited }),
      { code: 'HTTP_RATE_LIMITED', retryable: true, details: { retryAfterMs: 5000 } },
    ],
    [received(503, '<html>'), { code: 'HTTP_SERVER_ERROR', retryable: true, message: 'POST /x: status 503' }],
    [received(304), { code: 'HTTP_REDIRECT', message: 'POST /x: status 304' }],
    [received(300, '{"code":"SEVERAL"}'), { code: 'HTTP_REDIRECT', message: 'POST /x: status 300, SEVERAL' }],
    [received(401, undefined, { isCutOff: true }), { code: 'HTTP_UNAUTHORIZED', retryable: true }],
    [received(403, undefined, { isCutOff: true }), { code: 'HTTP_FORBIDDEN', retryable: false }],
    [
      received(307, undefined, { headers: new Headers({ location: '/y' }) }),
      { code: 'HTTP_REDIRECT', message: 'POST /x: status 307, a redirect, which is never followed' },
    ],
    [received(421, undefined, { sentOnce: false }), { message: `POST /x: status 421${twice}` }],
    [received(421, undefined, { sentOnce: false }), { message: 'POST /x: status 421' }, 'always'],
    [
      failed({ type: 'not-sent', proxy: undefined, code: 'ECONNREFUSED', isPermanent: false }),
      {
        code: 'HTTP_NOT_SENT',
        retryable: true,
        message: 'POST /x: no connection to https://h.example (ECONNREFUSED)',
      },
    ],
    [
      failed({ type: 'connection-lost', code: TOKEN }, { head: received(200) }),
      {
        code: 'HTTP_NO_RESPONSE',
        message: `${ended} ([secret])`,
        details: { reason: '[secret]', phase: 'body' },
      },
    ],
    [
      failed({ type: 'connection-lost', code: 'ECONNRESET' }, { sentOnce: false }),
      { retryable: true, message: `${ended} (ECONNRESET)${twice}`, details: { sentOnce: false } },
    ],
    [
      failed({ type: 'timeout', hostLimit: undefined }),
      {
        code: 'HTTP_TIMEOUT',
        message: 'POST /x: no complete response from https://h.example within 1000 ms',
        details: { phase: 'headers', timeoutMs: 1000 },
      },
    ],
    [
      failed({ type: 'timeout', hostLimit: 'the limit of the host' }),
      {
        message: 'POST /x: no complete response from https://h.example within the limit of the host',
        details: { timeoutMs: undefined },
      },
    ],
    [
      failed({ type: 'too-large' }),
      {
        code: 'HTTP_RESPONSE_TOO_LARGE',
        retryable: false,
        message: 'POST /x: the response must have at most 10 bytes (maxResponseBytes)',
      },
    ],
  ]
  test.each(table.map(([sent, error, rule = 'never']) => ({ sent, error, rule })))(
    '$sent.status $sent.reason with retry: $rule',
    ({ sent, error, rule }) => {
      const outcome = classify(sent, context(rule))
      expect(outcome.error).toMatchObject(error)
      const head = sent.type === 'failure' ? sent.head : sent
      const requestId = head?.headers.has('x-request-id') ? 'id of [secret]' : undefined
      expect(outcome).toMatchObject({ durationMs: 7, status: head?.status })
      expect(outcome.requestId).toBe(requestId)
    },
  )

  test('a success has its body, and a request id without secrets', () => {
    const { response } = classify(received(201, '{"a":1}'), context('never'))
    expect(response).toMatchObject({ status: 201, requestId: 'id of [secret]' })
    expect(response?.text()).toBe('{"a":1}')
    expect(response?.json()).toEqual({ a: 1 })
  })

  test.each([
    [utf8Encode(''), 'the response must be JSON; received an empty body'],
    [utf8Encode('{'), 'the response must be JSON; received text that is not JSON'],
    [Uint8Array.of(0x80), 'the response must be text in UTF-8; received other bytes'],
  ])('a body that is not JSON is an error of json(): %s', (bytes, message) => {
    const { response } = classify(received(200, undefined, { bytes }), context('never'))
    expect(() => response?.json()).toThrow(
      expect.objectContaining({ code: 'HTTP_INVALID_RESPONSE', message: `POST /x: ${message}` }),
    )
  })
})
