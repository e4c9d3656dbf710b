import { afterEach, describe, expect, test } from 'vitest'
import { parseAccessTokenResponse } from '../parse.ts'
import { failure } from '../test/service.ts'
import { KEY, outcome, setUp } from '../test/set-up.ts'
import { isTokensError } from '../tokens-error.ts'
import { createAccessTokens } from './access-tokens.ts'
import { encodeRecord, parseStoredAccessToken } from './record.ts'

describe('records', () => {
  test.each([
    '',
    '{',
    '{"format":1,"current":{}}',
    '{"format":1,"lastCreate":{"atMs":1,"outcome":"?"}}',
    '[]',
    '{"format":0}',
    '{"format":-1}',
    '{"format":1,"current":{"token":"a\\nb"}}',
    '{"format":1,"lastCreate":{"atMs":1e999,"outcome":"answered"}}',
    '{"format":1,"pending":{"token":"t","status":"PENDING","createdAtMs":-1e999}}',
    '{"format":1,"current":"secret"}',
    '{"format":1,"curRent":{"token":"secret"}}',
    '{"format":1,"endde":"EXPIRED"}',
    '{"format":1,"lastCreate":{"atMs":1,"outcome":"answered"},"":{}}',
  ])('a malformed record is an error: %s', async (text) => {
    const { clock, store, service, open } = setUp()
    store.entries.set(KEY, text)
    const tokens = open()
    const error = await outcome(clock, tokens.get())
    expect(isTokensError(error, 'TOKEN_RECORD_INVALID') && error.details.reason).toBe('malformed')
    expect(isTokensError(error) && error.cause).toBeUndefined()
    expect(service.calls).toEqual([])
    await outcome(clock, tokens.renew({ wait: false }))
    expect(service.count('create')).toBe(1)
  })

  test('after a malformed record a failed renewal leaves the next create to a person, too', async () => {
    const { clock, store, service, open } = setUp()
    store.entries.set(KEY, '{')
    const tokens = open()
    service.next.create.push(failure('not-sent'))
    expect(isTokensError(await outcome(clock, tokens.renew()), 'TOKEN_CALL_FAILED')).toBe(true)
    const error = await outcome(clock, tokens.get())
    expect(isTokensError(error, 'TOKEN_SECOND_FACTOR_REQUIRED') && error.details.lastStatus).toBe(
      'UNREADABLE',
    )
    expect(service.count('create')).toBe(1)
  })

  test('a single flipped bit never turns a stored token into no token', () => {
    const token = '0123456789abcdef0123456789abcdef'
    const records = [
      {
        current: { token, expiresAtMs: 1_767_225_600_000, createdAtMs: 1_766_000_000_000 },
        announcedMs: 3_600_000,
      },
      {
        pending: { token, status: 'PENDING', createdAtMs: 1_766_000_000_000, checkedAtMs: 1_766_000_005_000 },
      },
      { ended: 'EXPIRED', lastCreate: { atMs: 1_766_000_000_000, outcome: 'answered' } },
    ]
    let read = 0
    let refused = 0
    for (const record of records) {
      const bytes = new TextEncoder().encode(JSON.stringify({ format: 1, ...record }))
      for (let bit = 0; bit < bytes.length * 8; bit += 1) {
        const damaged = bytes.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
        try {
          const { current, pending, ended } = parseStoredAccessToken(new TextDecoder().decode(damaged))
          expect(current ?? pending ?? ended, `bit ${bit} of ${JSON.stringify(record)}`).toBeDefined()
          read += 1
        } catch (error) {
          if (!isTokensError(error, 'TOKEN_RECORD_INVALID')) throw error
          refused += 1
        }
      }
    }
    // If a character of a token has changed to another letter or digit, the record is still well-formed.
    expect(read).toBeGreaterThan(100)
    expect(refused).toBeGreaterThan(1000)
  })

  test.each([
    ['of a newer format', '{"format":2}', 'newer-format'],
    ['that is encrypted', '{"format":"brokerwire-sealed","version":1,"keyId":"a","sealed":"x"}', 'sealed'],
  ])('a record that is %s is never overwritten', async (_, text, reason) => {
    const { clock, store, open } = setUp()
    store.entries.set(KEY, text)
    const tokens = open()
    for (const call of [tokens.get, tokens.renew]) {
      const error = await outcome(clock, call())
      expect(isTokensError(error, 'TOKEN_RECORD_INVALID') && error.details.reason).toBe(reason)
    }
    expect(store.entries.get(KEY)).toBe(text)
  })

  test('records of other environments, regions, app keys and hosts are separate', async () => {
    const { clock, store, service } = setUp('sandbox')
    for (const identity of [
      { environment: 'sandbox', region: 'us', appKey: 'a/b', baseUrl: 'https://api.test' },
      { environment: 'sandbox', region: 'us/a', appKey: 'b', baseUrl: 'https://api.test' },
      { environment: 'sandbox', region: 'hk', appKey: 'b', baseUrl: 'https://api.test' },
      { environment: 'sandbox', region: 'hk', appKey: 'b', baseUrl: 'http://127.0.0.1:8080' },
    ])
      await createAccessTokens({ endpoints: service.endpoints, store, clock, identity }).get()
    expect([...store.entries.keys()]).toHaveLength(4)
    expect(service.count('create')).toBe(4)
  })
})

describe('a polluted Object.prototype', () => {
  const POLLUTION = {
    format: 1,
    current: { token: 'polluted-token' },
    pending: { token: 'polluted-token', status: 'NORMAL', createdAtMs: 1 },
    token: 'polluted-token',
    status: 'NORMAL',
    expires_at: 4_000_000_000_000,
    createdAtMs: 5,
    accessToken: 'polluted-token',
  }
  afterEach(() => {
    for (const name of Object.keys(POLLUTION)) Reflect.deleteProperty(Object.prototype, name)
  })
  /** Runs only the call with the polluted prototype, because `JSON.parse` and `expect` read it too. */
  const polluted = <T>(run: () => T): T => {
    for (const [name, value] of Object.entries(POLLUTION))
      Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true })
    try {
      return run()
    } finally {
      for (const name of Object.keys(POLLUTION)) Reflect.deleteProperty(Object.prototype, name)
    }
  }

  test('it supplies no field of a record', () => {
    expect(polluted(() => parseStoredAccessToken(undefined).current)).toBeUndefined()
    expect(polluted(() => parseStoredAccessToken('{"format":1}').pending)).toBeUndefined()
    expect(polluted(() => encodeRecord({ ended: 'EXPIRED' }))).not.toContain('polluted')
    const found = polluted(() => {
      try {
        return parseStoredAccessToken('{}')
      } catch (error) {
        return error
      }
    })
    expect(found).toMatchObject({ code: 'TOKEN_RECORD_INVALID', details: { field: 'format' } })
  })

  test('it supplies no field of a response', () => {
    expect(polluted(() => parseAccessTokenResponse({})).ok).toBe(false)
    const token = '0123456789abcdef'.repeat(2)
    expect(polluted(() => parseAccessTokenResponse({ token })).ok).toBe(false)
    expect(polluted(() => parseAccessTokenResponse({ token, status: 'PENDING' }))).toMatchObject({
      value: { expiresAtMs: undefined },
    })
  })
})
