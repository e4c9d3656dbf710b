/** The answers of `doctor --live` for every kind of outcome. */
import { describe, expect, test } from 'vitest'
import {
  areCredentialsRejected,
  decideAlgorithm,
  decideClockOffset,
  decideConnections,
  decideLimitHeaders,
  decidePathFamily,
  decidePingInterval,
  decideStreamAlgorithm,
  decideStreamToken,
  decideTokenCheck,
  decideVersions,
  nextAttempt,
} from './decisions.ts'
import type { CallOutcome, ResponseOutcome, StreamAttempt, StreamOutcome } from './outcome.ts'

const SHA1 = 'HMAC-SHA1'
const SHA256 = 'HMAC-SHA256'

const response = (status: number, code?: string, more: Partial<ResponseOutcome> = {}): ResponseOutcome => ({
  type: 'response',
  status,
  code,
  sentMs: 0,
  receivedMs: 0,
  ...more,
})
const notMade: CallOutcome = { type: 'not-made', reason: 'the command was stopped' }
const failed: CallOutcome = { type: 'failed', reason: 'ECONNREFUSED' }

describe('the clock offset', () => {
  test.each([
    [
      'is the Date header minus the middle of the call, with the half second of the header',
      response(200, undefined, { dateMs: 10_000, sentMs: 3000, receivedMs: 3200 }),
      { answer: { offsetMs: 7400, precisionMs: 600 } },
    ],
    [
      'is also read from a rejected request',
      response(401, 'ILLEGAL_TIMESTAMP', { dateMs: 1000, sentMs: 61_000, receivedMs: 61_000 }),
      { answer: { offsetMs: -59_500, precisionMs: 500 } },
    ],
    ['is unknown without a header', response(200), { reason: 'the response has no Date header' }],
    ['is unknown without a response', failed, { reason: 'no response (ECONNREFUSED)' }],
  ])('%s', (_, outcome, expected) => {
    expect(decideClockOffset(outcome)).toEqual(expected)
  })
})

describe('the signature algorithm', () => {
  const decide = (one: CallOutcome, other: CallOutcome) =>
    decideAlgorithm(
      new Map([
        [SHA1, one],
        [SHA256, other],
      ]),
    )
  const rejected = response(401, 'SIGNATURE_ALGORITHM_NOT_SUPPORTED')

  test.each([
    ['both', response(200), response(200), { [SHA1]: 'accepted', [SHA256]: 'accepted' }],
    [
      'one',
      response(200),
      rejected,
      { [SHA1]: 'accepted', [SHA256]: '401 SIGNATURE_ALGORITHM_NOT_SUPPORTED' },
    ],
    [
      'one, if the other request has no response',
      failed,
      response(200),
      { [SHA1]: 'unknown: no response (ECONNREFUSED)', [SHA256]: 'accepted' },
    ],
    [
      'one, if the other response has the status 429 or 5xx',
      response(200),
      response(503),
      { [SHA1]: 'accepted', [SHA256]: 'unknown: 503' },
    ],
  ])('is %s', (_, one, other, answer) => {
    expect(decide(one, other)).toEqual({ answer })
  })

  test('is unknown if none is accepted', () => {
    expect(decide(rejected, notMade)).toEqual({
      reason: expect.stringMatching(
        /^no algorithm was accepted \(HMAC-SHA1: 401 SIGN\w+; HMAC-SHA256: not sent: the command was stopped\)/,
      ),
    })
  })

  test('no further request is sent after two rejections, because the credentials are probably wrong', () => {
    const both = (one: CallOutcome, other: CallOutcome) =>
      areCredentialsRejected(
        new Map([
          [SHA1, one],
          [SHA256, other],
        ]),
      )
    expect(both(rejected, response(401))).toBe(true)
    expect(both(rejected, response(404))).toBe(false)
    expect(both(rejected, failed)).toBe(false)
    expect(areCredentialsRejected(new Map([[SHA1, rejected]]))).toBe(false)
  })
})

test.each([
  [response(200, undefined, { json: { token_check_enabled: true } }), { answer: 'required' }],
  [response(200, undefined, { json: { token_check_enabled: 'false' } }), { answer: 'not required' }],
  [response(200, undefined, { json: [] }), { reason: 'the response has no token_check_enabled' }],
  [response(404), { reason: '404' }],
  [notMade, { reason: 'not sent: the command was stopped' }],
] as const)('the access token is read from the configuration (%#)', (outcome, expected) => {
  expect(decideTokenCheck(outcome)).toEqual(expected)
})

describe('the path family', () => {
  const decide = (current: CallOutcome, openapi: CallOutcome, unknownPath: CallOutcome) =>
    decidePathFamily({ current, openapi, unknownPaths: { current: unknownPath, openapi: unknownPath } })
  const [ok, missing, denied] = [response(200), response(404), response(401, 'UNAUTHORIZED')]

  test.each([
    ['both', ok, ok, missing],
    ['current', ok, missing, missing],
    ['openapi', missing, ok, missing],
    ['neither', missing, missing, missing],
    ['both', denied, ok, missing],
    ['current', denied, missing, missing],
  ])('is %s (%#)', (family, current, openapi, unknownPath) => {
    expect(decide(current, openapi, unknownPath)).toMatchObject({ answer: { family } })
  })

  test('the answer has the responses', () => {
    expect(decide(ok, missing, denied)).toEqual({
      reason:
        'current: 200; openapi: 404; current unknown path: 401 UNAUTHORIZED; openapi unknown path: 401 UNAUTHORIZED',
    })
    expect(decide(denied, missing, missing)).toEqual({
      answer: {
        family: 'current',
        current: '401 UNAUTHORIZED',
        openapi: '404',
        'current unknown path': '404',
        'openapi unknown path': '404',
      },
    })
  })

  test('is compared with the unknown path of the same family', () => {
    const unknownPaths = { current: denied, openapi: missing }
    expect(decidePathFamily({ current: denied, openapi: denied, unknownPaths })).toHaveProperty('reason')
    expect(decidePathFamily({ current: ok, openapi: denied, unknownPaths })).toMatchObject({
      answer: { family: 'both' },
    })
  })

  test.each([
    ['an unknown path is rejected in the same way', denied, ok, denied],
    ['one has no response', failed, ok, missing],
    ['one has the status 429', response(429), ok, missing],
    ['one has a server error', response(502), ok, missing],
    ['one request was not sent', ok, notMade, missing],
  ])('is unknown if %s', (_, current, openapi, unknownPath) => {
    expect(decide(current, openapi, unknownPath)).toHaveProperty('reason')
  })
})

describe('the API versions', () => {
  const family = (usual: CallOutcome, other: CallOutcome) =>
    ({ family: 'current', usual: ['v3', usual], other: ['v2', other] }) as const

  test('both, or one with the rejection of the other', () => {
    expect(decideVersions([family(response(200), response(200))])).toEqual({
      answer: { 'current v3': 'accepted', 'current v2': 'accepted' },
    })
    expect(decideVersions([family(response(200), response(401, 'VERSION_NOT_SUPPORTED'))])).toEqual({
      answer: { 'current v3': 'accepted', 'current v2': '401 VERSION_NOT_SUPPORTED' },
    })
  })

  test('a family whose usual version is not accepted has none', () => {
    expect(decideVersions([family(response(401), notMade)])).toEqual({ reason: 'current v3: 401' })
    expect(decideVersions([family(response(200), failed)])).toEqual({
      reason: 'current v2: no response (ECONNREFUSED)',
    })
  })

  test.each([429, 502])('a response with the status %i is no answer about a version', (status) => {
    expect(decideVersions([family(response(200), response(status))])).toEqual({
      reason: `current v2: ${status}`,
    })
  })
})

const attempt = (
  outcome: StreamOutcome | 'subscribed',
  more: Partial<StreamAttempt> = {},
): StreamAttempt => ({
  algorithm: SHA256,
  hasToken: false,
  openBefore: 0,
  outcome: outcome === 'subscribed' ? { type: 'subscribed' } : outcome,
  ...more,
})
const authError: StreamOutcome = { type: 'rejected', by: 'AuthError', code: 'INVALID_TOKEN' }
const exhausted: StreamOutcome = { type: 'rejected', by: 'RESOURCE_EXHAUSTED' }

describe('the algorithm of streams', () => {
  test.each([
    ['both', [attempt('subscribed'), attempt('subscribed', { algorithm: SHA1 })], 'accepted', 'accepted'],
    [
      'one, with the rejection of the other',
      [attempt('subscribed'), attempt(authError, { algorithm: SHA1 })],
      'AuthError INVALID_TOKEN',
      'accepted',
    ],
    [
      'one, if the second connection was rejected for another reason',
      [attempt('subscribed'), attempt(exhausted, { algorithm: SHA1 })],
      'unknown',
      'accepted',
    ],
    [
      'one, if the other was tried without the token that is required',
      [attempt(authError, { algorithm: SHA1 }), attempt('subscribed', { hasToken: true })],
      'unknown',
      'accepted',
    ],
  ] as const)('is %s', (_, attempts, sha1, sha256) => {
    expect(decideStreamAlgorithm(attempts)).toEqual({ answer: { [SHA1]: sha1, [SHA256]: sha256 } })
  })

  test('is unknown without a connection', () => {
    expect(decideStreamAlgorithm([attempt(authError)])).toEqual({
      reason: 'HMAC-SHA256 without a token: AuthError INVALID_TOKEN',
    })
    expect(decideStreamAlgorithm([])).toEqual({ reason: 'no subscription was requested' })
  })
})

describe('the token of streams', () => {
  test('is not required if a subscription without it is accepted', () => {
    expect(decideStreamToken([attempt('subscribed')])).toEqual({ answer: 'not required to subscribe' })
  })

  test('is required if only a subscription with it is accepted', () => {
    expect(decideStreamToken([attempt(authError), attempt('subscribed', { hasToken: true })])).toEqual({
      answer: { token: 'required', withoutToken: 'AuthError INVALID_TOKEN' },
    })
  })

  test('is unknown if no subscription was accepted, with the reason for the missing token', () => {
    expect(decideStreamToken([attempt(authError)], 'no usable token is stored')).toEqual({
      reason:
        'HMAC-SHA256 without a token: AuthError INVALID_TOKEN; no subscription with a token: no usable token is stored',
    })
  })
})

test.each([
  ['not reached', [attempt('subscribed'), attempt('subscribed'), attempt('subscribed')], 3, 3],
  ['NumOfConnExceed', [attempt('subscribed'), attempt({ type: 'rejected', by: 'NumOfConnExceed' })], 1, 1],
  ['RESOURCE_EXHAUSTED', [attempt('subscribed'), attempt(exhausted)], 1, 1],
  ['not reached', [attempt('subscribed'), attempt('subscribed'), attempt('subscribed')], 3, 1],
])('the limit of event connections is %s (%#)', (limit, attempts, opened, open) => {
  expect(decideConnections(attempts, open)).toEqual({ answer: { opened, open, limit } })
})

test.each([
  [
    'an attempt was not made',
    [attempt('subscribed'), attempt({ type: 'not-made', reason: 'the limit of calls' })],
    1,
  ],
  [
    'an attempt had no response',
    [attempt('subscribed'), attempt({ type: 'failed', reason: 'ETIMEDOUT' })],
    1,
  ],
  ['the credentials were rejected', [attempt('subscribed'), attempt(authError)], 1],
  [
    'the command was stopped',
    [attempt('subscribed'), attempt('subscribed'), attempt('subscribed')],
    undefined,
  ],
])('the limit of event connections is unknown if %s', (_, attempts, open) => {
  expect(decideConnections(attempts, open)).toEqual({ reason: expect.stringContaining('accepted') })
})

test('the number of event connections is unknown if none was opened', () => {
  expect(decideConnections([attempt({ type: 'rejected', by: 'NumOfConnExceed' })], 0)).toEqual({
    reason: 'HMAC-SHA256 without a token: NumOfConnExceed',
  })
})

test.each([
  [[1000, 61_020], { answer: { intervalMs: 60_020, pings: 2 } }],
  [[1000, 2000, 4000], { answer: { intervalMs: 1500, pings: 3 } }],
  [[1000], { reason: 'one ping within 150 s' }],
  [[], { reason: 'no ping within 150 s' }],
])('the ping interval of %j', (pings, expected) => {
  expect(decidePingInterval(pings, 150_000)).toEqual(expected)
})

test('the headers of a 429 are known only if one came', () => {
  const limitHeaders = { 'retry-after': '7' }
  expect(decideLimitHeaders([response(200), response(429, undefined, { limitHeaders })])).toEqual({
    answer: limitHeaders,
  })
  expect(decideLimitHeaders([response(429)])).toEqual({ answer: 'none' })
  expect(decideLimitHeaders([response(200), notMade])).toEqual({
    reason: 'no response had the status 429',
  })
})

describe('the attempts to subscribe', () => {
  /** Runs the plan against a service, and returns what it sent. */
  function plan(
    accepts: (sent: Pick<StreamAttempt, 'algorithm' | 'hasToken'>) => boolean,
    { hasToken = true, maxOpen = 5 } = {},
  ): readonly string[] {
    const attempts: StreamAttempt[] = []
    for (;;) {
      const next = nextAttempt(attempts, SHA256, hasToken)
      if (next === undefined) break
      const openBefore = attempts.filter(({ outcome }) => outcome.type === 'subscribed').length
      const outcome = !accepts(next) ? authError : openBefore < maxOpen ? 'subscribed' : exhausted
      attempts.push(attempt(outcome, { ...next, openBefore }))
    }
    return attempts.map(
      ({ algorithm, hasToken: sent, outcome }) =>
        `${algorithm.slice(5)}${sent ? ' token' : ''} ${outcome.type === 'subscribed' ? 'yes' : 'no'}`,
    )
  }

  test.each([
    ['a service that accepts everything', () => true, {}, ['SHA256 yes', 'SHA1 yes', 'SHA256 yes']],
    [
      'a service that requires a token',
      ({ hasToken }) => hasToken,
      {},
      ['SHA256 no', 'SHA256 token yes', 'SHA1 token yes', 'SHA256 token yes'],
    ],
    [
      'a service that accepts one algorithm',
      ({ algorithm }) => algorithm === SHA1,
      {},
      ['SHA256 no', 'SHA256 token no', 'SHA1 yes', 'SHA1 yes', 'SHA1 yes'],
    ],
    [
      'a service that rejects the other algorithm',
      ({ algorithm }) => algorithm === SHA256,
      {},
      ['SHA256 yes', 'SHA1 no', 'SHA256 yes', 'SHA256 yes'],
    ],
    ['one connection', () => true, { maxOpen: 1 }, ['SHA256 yes', 'SHA1 no']],
    ['two connections', () => true, { maxOpen: 2 }, ['SHA256 yes', 'SHA1 yes', 'SHA256 no']],
    ['no connection', () => true, { maxOpen: 0 }, ['SHA256 no']],
    ['wrong credentials', () => false, {}, ['SHA256 no', 'SHA256 token no', 'SHA1 no', 'SHA1 token no']],
    ['wrong credentials without a token', () => false, { hasToken: false }, ['SHA256 no', 'SHA1 no']],
  ] as [string, Parameters<typeof plan>[0], Parameters<typeof plan>[1], string[]][])(
    'of %s are few',
    (_, accepts, options, expected) => {
      expect(plan(accepts, options)).toEqual(expected)
    },
  )
})
