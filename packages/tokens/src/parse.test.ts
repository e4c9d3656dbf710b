import { isBrokerwireError } from '@brokerwire/core'
import { PAIR as pair, RECORD as record, TOKEN } from '@brokerwire/testing/token-responses'
import { describe, expect, test } from 'vitest'
import { parseClientTokenPair } from './endpoints/client-token-endpoints.ts'
import { parseAccessTokenResponse } from './parse.ts'
import { storeFailed } from './store-access.ts'
import { callFailed } from './token-call.ts'
import { isTokensError } from './tokens-error.ts'

test('an unknown status is escaped wherever it is shown', () => {
  const result = parseAccessTokenResponse({ ...record, status: 'A\u001b[2J\u202eB' })
  expect(result.ok && result.value.status).toBe('A\\u{1b}[2J\\u{202e}B')
})

test('names and codes of the caller\u2019s own ports are escaped', () => {
  const odd = Object.assign(new Error('x'), { name: 'Odd\u009b', code: 'E\u2028' })
  const sanitize = { errorName: 'Odd\\u{9b}' }
  expect(storeFailed('get', odd)).toMatchObject({
    message:
      "reading from the store failed: Odd\\u{9b} E\\u{2028}. The store's own message is not shown because it may contain a token",
    details: { ...sanitize, errorCode: 'E\\u{2028}' },
  })
  const failure = { kind: 'rejected', code: 'ODD\r\n', error: odd } as const
  expect(callFailed('create', failure).details).toMatchObject({ ...sanitize, code: 'ODD\\u{d}\\u{a}' })
})

describe('access-token record', () => {
  test('a documented response has no issue', () => {
    const result = parseAccessTokenResponse(record)
    if (!result.ok) throw result.error
    expect(result.value.token.reveal()).toBe(TOKEN)
    expect(result.value).toMatchObject({ expiresAtMs: 1_900_000_000_000, status: 'NORMAL' })
    expect(result.issues).toEqual([])
  })

  test.each([
    ['the clients’ name', { expires_at: undefined, expires: 1_800_000_000_001 }, 1_800_000_000_001, 1],
    ['a numeric string', { expires_at: '1800000000002' }, 1_800_000_000_002, 1],
    ['both names: the specification’s wins', { expires: 1 }, 1_900_000_000_000, 0],
    ['null counts as absent', { expires_at: null, expires: '1800000000003' }, 1_800_000_000_003, 1],
    ['no expiry at all', { expires_at: undefined }, undefined, 1],
  ])('expiry: %s', (_name, change, expiresAtMs, issues) => {
    const result = parseAccessTokenResponse({ ...record, ...change })
    if (!result.ok) throw result.error
    expect(result.value.expiresAtMs).toBe(expiresAtMs)
    expect(result.issues).toHaveLength(issues)
  })

  test('a missing expiry is reported under the name that the specification requires', () => {
    const result = parseAccessTokenResponse({ token: '0'.repeat(32), status: 'NORMAL' })
    expect(result).toMatchObject({ ok: true, issues: [{ field: 'expires_at', received: 'nothing' }] })
  })

  test('an unknown status keeps its text', () => {
    const result = parseAccessTokenResponse({ ...record, status: 'ON_REVIEW' })
    expect(result).toMatchObject({ ok: true, value: { status: 'ON_REVIEW' } })
  })

  test('a token of another length is accepted and reported, without the token', () => {
    const result = parseAccessTokenResponse({ ...record, token: 'short' })
    expect(result).toMatchObject({ ok: true, issues: [{ field: 'token', received: '5 characters' }] })
    expect(JSON.stringify(result)).not.toContain('short')
  })

  test.each([
    ['no object', 'hello', 'body'],
    ['an array', [record], 'body'],
    ['null', null, 'body'],
    ['no token', { ...record, token: undefined }, 'token'],
    ['an empty token', { ...record, token: '' }, 'token'],
    ['a token of another type', { ...record, token: 5 }, 'token'],
    ['a line break in the token', { ...record, token: 'secret-line\nbreak' }, 'token'],
    ['a blank at the end', { ...record, token: 'secret-blank ' }, 'token'],
    ['a letter beyond ASCII', { ...record, token: 'secret-é' }, 'token'],
    ['a token beyond any header', { ...record, token: 'a'.repeat(8193) }, 'token'],
    ['no status', { ...record, status: undefined }, 'status'],
    ['an empty status', { ...record, status: '' }, 'status'],
    ['a status of another type', { ...record, status: 3 }, 'status'],
    ['a negative expiry', { ...record, expires_at: -1 }, 'expires_at'],
    ['expiry zero', { ...record, expires_at: 0 }, 'expires_at'],
    ['an absurd expiry', { ...record, expires_at: 1e18 }, 'expires_at'],
    ['half a millisecond', { ...record, expires_at: 1.5 }, 'expires_at'],
    ['no number', { ...record, expires_at: 'soon' }, 'expires_at'],
    ['an empty expiry', { ...record, expires_at: '' }, 'expires_at'],
    ['a boolean expiry', { ...record, expires_at: true }, 'expires_at'],
    ['NaN', { ...record, expires: Number.NaN, expires_at: undefined }, 'expires'],
  ])('a value is rejected: %s', (_name, json, field) => {
    const result = parseAccessTokenResponse(json)
    if (result.ok) throw new Error('accepted')
    expect(isTokensError(result.error, 'TOKEN_RESPONSE_INVALID') && result.error.details.field).toBe(field)
    expect(JSON.stringify(result.error) + result.error.message).not.toContain('secret')
  })
})

describe('client-token pair', () => {
  test('both expiries are accepted in every form', () => {
    const result = parseClientTokenPair({
      access_token: 'a',
      expires: '1900000000000',
      refresh_token: 'r',
      refresh_expires: 1_900_900_000_000,
    })
    if (!result.ok) throw result.error
    expect(result.value.accessToken.reveal()).toBe('a')
    expect(result.value.refreshToken.reveal()).toBe('r')
    expect(result.value.expiresAtMs).toBe(1_900_000_000_000)
    expect(result.value.refreshExpiresAtMs).toBe(1_900_900_000_000)
    expect(result.issues).toHaveLength(2)
  })

  test.each(['access_token', 'expires_at', 'refresh_token', 'refresh_expires_at'])(
    '%s is required',
    (name) => {
      const result = parseClientTokenPair({ ...pair, [name]: undefined })
      expect(!result.ok && result.error.details.field).toBe(name)
      expect(!result.ok && isBrokerwireError(result.error)).toBe(true)
    },
  )
})
