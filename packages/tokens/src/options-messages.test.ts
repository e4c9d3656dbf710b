/** Messages for wrong inputs that new users tried. */
import { createFailingStore } from '@brokerwire/testing/failing-store'
import { expect, test } from 'vitest'
import {
  accessTokenStoreKey,
  clientTokenStoreKey,
  createAccessTokens,
  createClientTokens,
  createTokenEndpoints,
  createTokenRateLimiter,
} from './index.ts'

const call = async (): Promise<never> => {
  throw new Error('not called')
}
const endpoints = { create: call, check: call, refresh: call }
const store = createFailingStore()
const identity = { environment: 'production', region: 'us', appKey: 'app-1', baseUrl: 'https://api.test' }
const good = { endpoints, store, identity }
const TEXT = '1 to 256 visible ASCII characters'

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'options must be an object with endpoints, store, identity; received undefined'],
  ['an empty object', {}, 'missing options: endpoints, store, identity'],
  ['an endpoints alone', { endpoints }, 'missing options: store, identity'],
  [
    'no identity',
    { endpoints, store },
    'identity must be an object with environment, region, appKey; received undefined',
  ],
  [
    'an app key as the identity',
    { ...good, identity: 'app-1' },
    'identity must be an object with environment, region, appKey; received a string',
  ],
  [
    'an identity without its parts',
    { ...good, identity: {} },
    'missing options: identity.environment, identity.region, identity.appKey',
  ],
  [
    'an app key of blanks',
    { ...good, identity: { ...identity, appKey: ' ' } },
    `identity.appKey must be ${TEXT}; received text with white space at its start`,
  ],
  [
    'a Map as the store',
    { ...good, store: new Map() },
    'store.compareAndSet must be a function; received undefined',
  ],
  [
    'a misspelled option',
    { ...good, callTimeout: 5 },
    'unknown option "callTimeout". Did you mean "callTimeoutMs"?',
  ],
  [
    'seconds as text',
    { ...good, callTimeoutMs: '60' },
    'callTimeoutMs must be a whole number from 1 to 2592000000; received a string',
  ],
])('of access tokens and of client tokens: %s', (_, options, message) => {
  for (const create of [createAccessTokens, createClientTokens])
    expect(() => create(options as never)).toThrow(
      expect.objectContaining({ code: 'TOKEN_OPTION_INVALID', message }),
    )
})

test.each<[string, unknown, string]>([
  [
    'another mode',
    { ...good, tokenMode: 'require' },
    'tokenMode must be "required" or "none" or "auto"; received "require". Did you mean "required"?',
  ],
  [
    'one threshold',
    { ...good, expiryWarningsMs: 5 },
    'expiryWarningsMs must be an array of milliseconds; received 5',
  ],
  [
    'an endpoints without a check',
    { ...good, endpoints: { create: call } },
    'endpoints.check must be a function; received undefined',
  ],
  [
    'a list as onExpiring',
    { ...good, onExpiring: [] },
    'onExpiring must be a function; received an empty array',
  ],
])('of access tokens: %s', (_, options, message) => {
  expect(() => createAccessTokens(options as never)).toThrow(expect.objectContaining({ message }))
})

test.each<[string, unknown, string]>([
  ['null', null, 'options must be an object; received null'],
  ['no calls', { limit: 0 }, 'limit must be a whole number from 1 to 10000; received 0'],
  [
    'a store without an identity',
    { store },
    'identity must be an object with environment, region, appKey; received undefined',
  ],
  ['an identity without a store', { identity }, 'identity must not be set without store'],
  [
    'another scope',
    { scope: 'endpoints' },
    'scope must be "app-key" or "endpoint"; received "endpoints". Did you mean "endpoint"?',
  ],
])('of the limiter: %s', (_, options, message) => {
  expect(() => createTokenRateLimiter(options as never)).toThrow(expect.objectContaining({ message }))
})

test.each<[string, () => unknown, string]>([
  [
    'no port',
    () => createTokenEndpoints(undefined as never),
    'requests must be an object with request; received undefined',
  ],
  [
    'a limiter without acquire',
    () => createTokenEndpoints({ request: call }, { limiter: {} as never }),
    'limiter.acquire must be a function; received undefined',
  ],
  [
    'a key of a record',
    () => accessTokenStoreKey({} as never),
    'missing options: identity.environment, identity.region, identity.appKey',
  ],
  [
    'a customer without a name',
    () => clientTokenStoreKey(identity, ''),
    'clientUserId must be a well-formed string of 1 to 1024 characters; received an empty string',
  ],
])('of functions: %s', (_, run, message) => {
  expect(run).toThrow(expect.objectContaining({ message }))
})

test('of calls: an unknown name of a call and an unknown value of renew', async () => {
  const limiter = createTokenRateLimiter()
  await expect(limiter.acquire('creates' as never)).rejects.toThrow(
    'call must be "check" or "config" or "create"',
  )
  await expect(createClientTokens(good as never).get('anna', { renew: 'yes' as never })).rejects.toThrow(
    'renew must be "refresh" or "create"; received "yes"',
  )
})
