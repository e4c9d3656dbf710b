/** Messages state the reason and the next step: many programs log `error.message` alone. */
import { Secret } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import { describe, expect, test } from 'vitest'
import { createAccessTokens } from './access/access-tokens.ts'
import { parseStoredAccessToken } from './index.ts'
import { storeFailed } from './store-access.ts'
import { KEY, outcome, setUp } from './test/set-up.ts'
import { callFailed } from './token-call.ts'
import { TokensError } from './tokens-error.ts'
import type { TokenCallFailure } from './types.ts'

const ofToolkit = (message: string): TokensError =>
  new TokensError('TOKEN_CLOSED', message, { details: { operation: 'get' } })
const foreign = Object.assign(new RangeError('secret-token-1'), { code: 'ECONNRESET' })

describe('a call that failed', () => {
  test.each<[string, Parameters<typeof callFailed>[0], Partial<TokenCallFailure>, string]>([
    [
      'a refusal of the toolkit',
      'create',
      {
        kind: 'rejected',
        status: 401,
        error: ofToolkit('POST /x: status 401, INVALID_SIGNATURE: signature mismatch'),
      },
      "creating an access token failed: POST /x: status 401, INVALID_SIGNATURE: signature mismatch. Check the app key, the app secret, the region, the environment and this host's clock",
    ],
    [
      'a rejection of a custom port',
      'check',
      { kind: 'rejected', status: 403, code: 'ACCOUNT_ACCESS_DENIED' },
      'checking the access token failed: the service rejected it, status 403, ACCOUNT_ACCESS_DENIED (RangeError)',
    ],
    [
      'no answer to a create',
      'create',
      { kind: 'no-response' },
      'creating an access token failed: the service did not respond (RangeError). Whether a token was created is unknown',
    ],
    [
      'too many requests',
      'client-refresh',
      { kind: 'rate-limited', status: 429, retryAfterMs: 90_000 },
      'refreshing a client token failed: the service received too many requests, status 429 (RangeError). Try again in 1 min 30 s',
    ],
    [
      'the configuration',
      'config',
      { kind: 'server-error', status: 503 },
      'checking whether the service requires an access token failed: the service failed, status 503 (RangeError)',
    ],
  ])('%s', (_, call, found, message) => {
    expect(callFailed(call, { kind: 'rejected', error: foreign, ...found }).message).toBe(message)
  })

  test('a long reason with control characters is escaped and bounded', () => {
    const error = ofToolkit(`\u001b[2J${'x'.repeat(10_000)}`)
    const { message } = callFailed('create', { kind: 'rejected', error })
    expect(message).toMatch(/^creating an access token failed: \\u\{1b\}\[2Jx+/)
    expect(message.length).toBeLessThan(600)
  })
})

describe('a store that failed', () => {
  test('an error of this toolkit is shown with its message', () => {
    const reason = 'table "brokerwire_store" does not exist. Run migratePostgres() once'
    expect(storeFailed('get', ofToolkit(reason)).message).toBe(`reading from the store failed: ${reason}`)
  })
  test('an error of a client is shown with its name and code, never its text', () => {
    const { message } = storeFailed('compareAndSet', foreign)
    expect(message).toBe(
      "writing to the store failed: RangeError ECONNRESET. The store's own message is not shown because it may contain a token",
    )
  })
  test('the error of a record that changes before each write names the possible reasons', async () => {
    const base = createFailingStore()
    const store = { ...base, compareAndSet: async () => false }
    const { endpoints } = setUp().service
    const clock = createVirtualClock()
    const identity = { environment: 'production', region: 'us', appKey: 'app-1', baseUrl: 'https://api.test' }
    const error = await outcome(clock, createAccessTokens({ endpoints, store, identity, clock }).get())
    expect((error as Error).message).toMatch(
      /^writing to the store failed: the record changed before each attempt to write it\. Other/,
    )
  })
})

test('the error of a pending token states until when it waits and what to do', async () => {
  const { clock, open } = setUp()
  const untilMs = clock.now() + 300_000
  const error = await outcome(clock, open().get({ wait: false }))
  expect((error as Error).message).toBe(
    `the token waits for its second factor until ${new Date(untilMs).toISOString()}. Enter the code in the broker's app, then call get() again`,
  )
})

test('the error of a poll timeout states the option and what to do', async () => {
  const { clock, open } = setUp()
  const error = await outcome(clock, open({ pollTimeoutMs: 60_000 }).get())
  expect((error as Error).message).toBe(
    'no code was entered within 1 min (pollTimeoutMs); the token is still PENDING. Call get() to continue waiting',
  )
})

test('the error of an invalid response names the field', async () => {
  const { clock, service, open } = setUp('sandbox')
  const value = { token: new Secret('secret-dead'), status: 'INVALID', expiresAtMs: undefined }
  service.next.create.push({ ok: true, value })
  expect(((await outcome(clock, open().get())) as Error).message).toBe(
    "status of the service's response must be PENDING or NORMAL; received INVALID",
  )
})

test.each([
  [
    '{"format":1,"current":7}',
    'the stored record is damaged (current). For an access token call renew(), which replaces it; delete the record of a client token',
  ],
  ['{"format":2}', 'the stored record was written by a newer version. Update @brokerwire/tokens'],
  [
    '{"format":"brokerwire-sealed"}',
    'the stored record is encrypted. Open the store with createEncryptedStore and its cipher',
  ],
])('the error of a record such as %s contains the next step', (text, message) => {
  expect(() => parseStoredAccessToken(text)).toThrow(message)
})

test('the error after close() contains the next step', async () => {
  const { clock, store, open } = setUp()
  const tokens = open()
  await tokens.close()
  expect(((await outcome(clock, tokens.get())) as Error).message).toBe(
    'get() was aborted by close() or called after it. Create the access tokens again',
  )
  expect(store.entries.has(KEY)).toBe(false)
})
