import { describe, expect, test } from 'vitest'
import { desk, KEY, outcome } from '../test/desk.ts'
import { failure } from '../test/service.ts'
import { isTokensError } from '../tokens-error.ts'
import { createAccessTokens } from './access-tokens.ts'

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
  ])('one that cannot be read: %s', async (text) => {
    const { clock, store, service, open } = desk()
    store.texts.set(KEY, text)
    const tokens = open()
    const error = await outcome(clock, tokens.get())
    expect(isTokensError(error, 'TOKEN_RECORD_INVALID') && error.details.reason).toBe('malformed')
    expect(isTokensError(error) && error.cause).toBeUndefined()
    expect(service.calls).toEqual([])
    await outcome(clock, tokens.renew({ wait: false }))
    expect(service.count('create')).toBe(1)
  })

  test('one that cannot be read was a token: a renewal that fails leaves the next one to a person, too', async () => {
    const { clock, store, service, open } = desk()
    store.texts.set(KEY, '{')
    const tokens = open()
    service.next.create.push(failure('not-sent'))
    expect(isTokensError(await outcome(clock, tokens.renew()), 'TOKEN_CALL_FAILED')).toBe(true)
    const error = await outcome(clock, tokens.get())
    expect(isTokensError(error, 'TOKEN_NEEDS_SECOND_FACTOR') && error.details.lastStatus).toBe('UNREADABLE')
    expect(service.count('create')).toBe(1)
  })

  test.each([
    ['of a newer format', '{"format":2}', 'newer-format'],
    ['that is encrypted', '{"format":"brokerwire-sealed","version":1,"keyId":"a","sealed":"x"}', 'sealed'],
  ])('one %s is never overwritten', async (_, text, reason) => {
    const { clock, store, open } = desk()
    store.texts.set(KEY, text)
    const tokens = open()
    for (const call of [tokens.get, tokens.renew]) {
      const error = await outcome(clock, call())
      expect(isTokensError(error, 'TOKEN_RECORD_INVALID') && error.details.reason).toBe(reason)
    }
    expect(store.texts.get(KEY)).toBe(text)
  })

  test('environment, region and app key keep tokens apart', async () => {
    const { clock, store, service } = desk('sandbox')
    for (const key of [
      { environment: 'sandbox', region: 'us', appKey: 'a/b' },
      { environment: 'sandbox', region: 'us/a', appKey: 'b' },
      { environment: 'sandbox', region: 'hk', appKey: 'b' },
    ])
      await createAccessTokens({ api: service.api, store, clock, key }).get()
    expect([...store.texts.keys()]).toHaveLength(3)
    expect(service.count('create')).toBe(3)
  })
})
