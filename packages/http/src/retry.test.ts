import { createServerClock, Secret } from '@brokerwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HttpError } from './http-error.ts'
import {
  isRetryable,
  nextStep,
  type RetryFacts,
  type RetryState,
  type RetryStep,
  retryDelay,
} from './retry.ts'

describe('retries', () => {
  const error = (retryAfterMs?: number) =>
    new HttpError('HTTP_RATE_LIMITED', 'x', {
      details: {
        method: 'GET',
        path: '/',
        status: 429,
        serviceCode: undefined,
        serviceMessage: undefined,
        sentOnce: true,
        requestId: undefined,
        retryAfterMs,
      },
    })

  test('no wait is longer than allowed, and none is negative', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 100_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.option(fc.nat(200_000), { nil: undefined }),
        (attempt, maxDelayMs, random, retryAfterMs) => {
          const delay = retryDelay(error(retryAfterMs), attempt, {
            maxRetryDelayMs: maxDelayMs,
            random: () => random,
          })
          if (retryAfterMs !== undefined)
            expect(delay).toBe(retryAfterMs > maxDelayMs ? undefined : retryAfterMs)
          else expect(delay !== undefined && delay >= 0 && delay <= maxDelayMs).toBe(true)
        },
      ),
    )
  })

  test('the rule unsent allows none after a 429 if the host may have sent the request twice', () => {
    const { code, message, details } = error(1)
    const unclear = new HttpError(code, message, {
      details: { ...details, sentOnce: false },
      retryable: true,
    })
    const clear = new HttpError(code, message, { details, retryable: true })
    expect([isRetryable('unsent', clear), isRetryable('unsent', unclear)]).toEqual([true, false])
    expect(isRetryable('always', unclear)).toBe(true)
  })

  test('the rule never allows no retry', () => {
    expect(isRetryable('never', error(1))).toBe(false)
  })
})

describe('the step after a failed attempt', () => {
  const details = {
    method: 'GET',
    path: '/',
    status: 401,
    serviceCode: undefined as string | undefined,
    serviceMessage: undefined,
    sentOnce: true,
    requestId: undefined,
    retryAfterMs: undefined,
  }
  const unauthorized = (serviceCode?: string) =>
    new HttpError('HTTP_UNAUTHORIZED', 'x', { details: { ...details, serviceCode } })
  const unavailable = new HttpError('HTTP_SERVER_ERROR', 'x', {
    details: { ...details, status: 503 },
    retryable: true,
  })
  const cutOff = new HttpError('HTTP_UNAUTHORIZED', 'x', { details, retryable: true })
  const rejectedByHost = new HttpError('HTTP_NOT_SENT', 'x', {
    details: { method: 'GET', path: '/', origin: 'https://h.example', reason: 'bad_port', sentOnce: true },
  })
  const forbidden = new HttpError('HTTP_FORBIDDEN', 'x', { details: { ...details, status: 403 } })
  const start: RetryState = { retries: 0, isClockSynced: false, isTokenReplaced: false }
  const policy = { maxRetries: 2, maxRetryDelayMs: 30_000, random: () => 0 }
  const serverClock = createServerClock()
  const token = new Secret('t')
  const step = (error: HttpError, more: Partial<RetryFacts> = {}) =>
    nextStep({ error, rule: 'always', state: start, serverClock, providedToken: token, ...more }, policy)
  const syncsClock = { type: 'sync-clock', error: unauthorized('ILLEGAL_TIMESTAMP'), serverClock } as const
  const reportsToken = (error: ReturnType<typeof unauthorized>, mayRetry: boolean): RetryStep => ({
    type: 'report-token',
    error,
    token,
    mayRetry,
  })
  const invalidToken = unauthorized('INVALID_TOKEN')

  test.each<[string, HttpError, Partial<RetryFacts>, RetryStep]>([
    ['5xx', unavailable, {}, { type: 'retry', delayMs: 125 }],
    ['5xx again', unavailable, { state: { ...start, retries: 1 } }, { type: 'retry', delayMs: 250 }],
    ['5xx after all retries', unavailable, { state: { ...start, retries: 2 } }, { type: 'give-up' }],
    ['5xx of a request that may have taken effect', unavailable, { rule: 'unsent' }, { type: 'give-up' }],
    ['403', forbidden, {}, { type: 'give-up' }],
    ['a request that the host rejects', rejectedByHost, { rule: 'unsent' }, { type: 'give-up' }],
    ['a 401 whose code was lost', cutOff, {}, { type: 'retry', delayMs: 125 }],
    [
      'a 401 whose code is lost again',
      cutOff,
      { state: { ...start, retries: 2 } },
      reportsToken(cutOff, true),
    ],
    ['a 401 whose code was lost, of a POST', cutOff, { rule: 'never' }, reportsToken(cutOff, false)],
    ['a rejected timestamp', unauthorized('ILLEGAL_TIMESTAMP'), {}, syncsClock],
    [
      'a timestamp that is rejected again',
      unauthorized('ILLEGAL_TIMESTAMP'),
      { state: { ...start, isClockSynced: true } },
      { type: 'give-up' },
    ],
    [
      'a rejected timestamp without a clock to correct',
      unauthorized('ILLEGAL_TIMESTAMP'),
      { serverClock: undefined },
      { type: 'give-up' },
    ],
    ['a rejected token', invalidToken, {}, reportsToken(invalidToken, true)],
    [
      'a rejected token after another one was replaced',
      invalidToken,
      { state: { ...start, isTokenReplaced: true } },
      reportsToken(invalidToken, false),
    ],
    [
      'a rejected token of the caller',
      unauthorized('INVALID_TOKEN'),
      { providedToken: undefined },
      { type: 'give-up' },
    ],
    ['a 401 whatever the rule', unauthorized(), { rule: 'never' }, reportsToken(unauthorized(), false)],
  ])('%s', (_, error, more, expected) => {
    expect(step(error, more)).toEqual(expected)
  })
})
