/** Records belong to one host: responses of another host never change them. Records of earlier versions are moved once. */
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import { describe, expect, test } from 'vitest'
import { createAccessTokens } from './access/access-tokens.ts'
import { createClientTokens } from './client/client-tokens.ts'
import { createTokenEndpoints } from './endpoints/token-endpoints.ts'
import { accessTokenStoreKey, clientTokenStoreKey, oldAccessTokenStoreKey } from './shared-options.ts'
import { createTestClientService, createTestService } from './test/service.ts'
import { isTokensError } from './tokens-error.ts'

const OTHER = { environment: 'sandbox', region: 'us', appKey: 'app-1', baseUrl: 'http://127.0.0.1:8080' }
const SERVICE = { ...OTHER, baseUrl: 'https://api.test', hasTableAddresses: true }
const KEY = accessTokenStoreKey(SERVICE)
const OLD_KEY = 'access-token/sandbox/us/app-1'
const OLD_PAIR_KEY = 'client-token/sandbox/us/app-1/anna'

function setUp() {
  const clock = createVirtualClock()
  const store = createFailingStore()
  const service = createTestService(clock, { production: false })
  const open = (identity = SERVICE) =>
    createAccessTokens({ endpoints: service.endpoints, store, identity, clock })
  /** Writes a record as an earlier version did. */
  const storeOldRecord = async (): Promise<string> => {
    const token = await open().get()
    const text = store.entries.get(KEY) ?? ''
    store.entries.delete(KEY)
    store.entries.set(OLD_KEY, text)
    return token?.token.reveal() ?? ''
  }
  return { clock, store, service, open, storeOldRecord }
}

describe('two hosts that share a store', () => {
  test('the other host cannot end a token', async () => {
    const { clock, store, open } = setUp()
    const token = await open().get()
    const text = store.entries.get(KEY)
    const other = createTestService(clock, { production: false })
    const tokens = createAccessTokens({ endpoints: other.endpoints, store, identity: OTHER, clock })
    expect((await tokens.get())?.token.reveal()).toBe(other.last().text)
    if (token !== undefined) await tokens.reportRejected(token.token, { status: 401, code: 'INVALID_TOKEN' })
    expect(store.entries.get(KEY)).toBe(text)
  })

  test('each host has its own pair for a customer', async () => {
    const { clock, store } = setUp()
    const open = (identity: typeof OTHER) => {
      const { endpoints } = createTestClientService(clock)
      return createClientTokens({ endpoints, store, identity, clock })
    }
    await open(SERVICE).get('anna')
    const text = store.entries.get(clientTokenStoreKey(SERVICE, 'anna'))
    await open(OTHER).get('anna', { renew: 'create' })
    expect(store.entries.get(clientTokenStoreKey(SERVICE, 'anna'))).toBe(text)
    expect(store.entries.has(clientTokenStoreKey(OTHER, 'anna'))).toBe(true)
  })

  test('calls to another origin than the identity\u2019s are rejected', () => {
    const { store } = setUp()
    const request = async () => ({ status: 200, json: () => ({}) })
    const { access, client } = createTokenEndpoints({ request, origin: 'http://127.0.0.1:8080' })
    const openAccess = (identity: ServiceIdentity) =>
      createAccessTokens({ endpoints: access, store, identity })
    const openClient = (identity: ServiceIdentity) =>
      createClientTokens({ endpoints: client, store, identity })
    for (const open of [openAccess, openClient]) {
      let error: unknown
      try {
        open(SERVICE)
      } catch (thrown) {
        error = thrown
      }
      expect(isTokensError(error, 'TOKEN_OPTION_INVALID') && error.message).toBe(
        'identity.baseUrl must be the origin of the HTTP client, http://127.0.0.1:8080; received https://api.test',
      )
      open(OTHER)
    }
  })
})

describe('a record of an earlier version', () => {
  test('it is moved once, and its token is used', async () => {
    const { store, service, open, storeOldRecord } = setUp()
    const text = await storeOldRecord()
    expect((await open().get())?.token.reveal()).toBe(text)
    expect(store.entries.has(OLD_KEY)).toBe(false)
    expect(store.entries.has(KEY)).toBe(true)
    expect(service.count('create')).toBe(1)
  })

  test('it is moved once by processes that start at the same time', async () => {
    const { service, open, storeOldRecord } = setUp()
    const text = await storeOldRecord()
    const tokens = await Promise.all([open(), open(), open()].map((one) => one.get()))
    expect(tokens.map((token) => token?.token.reveal())).toEqual([text, text, text])
    expect(service.count('create')).toBe(1)
  })

  test('it is not read again after a crash between the two writes', async () => {
    const { store, open, storeOldRecord } = setUp()
    const text = await storeOldRecord()
    store.entries.set(KEY, store.entries.get(OLD_KEY) ?? '')
    store.entries.set(OLD_KEY, 'unreadable')
    expect((await open().get())?.token.reveal()).toBe(text)
    expect(store.entries.get(OLD_KEY)).toBe('unreadable')
  })

  test('it stays where it is if the addresses are not those of the table', async () => {
    const { store, service, open, storeOldRecord } = setUp()
    await storeOldRecord()
    const text = store.entries.get(OLD_KEY)
    await open({ ...OTHER, hasTableAddresses: false }).get()
    expect(service.count('create')).toBe(2)
    expect(store.entries.get(oldAccessTokenStoreKey(OTHER))).toBe(text)
  })

  test('the record of a customer is moved as well', async () => {
    const { clock, store } = setUp()
    const { endpoints, calls } = createTestClientService(clock)
    const open = () => createClientTokens({ endpoints, store, identity: SERVICE, clock })
    const pair = await open().get('anna')
    const key = clientTokenStoreKey(SERVICE, 'anna')
    store.entries.set(OLD_PAIR_KEY, store.entries.get(key) ?? '')
    store.entries.delete(key)
    expect((await open().get('anna')).accessToken.reveal()).toBe(pair.accessToken.reveal())
    expect(store.entries.has(OLD_PAIR_KEY)).toBe(false)
    expect(store.entries.has(key)).toBe(true)
    expect(calls).toEqual(['create'])
  })
})

test('tokens need the HTTP origin', () => {
  const { store } = setUp()
  const identity = { environment: 'sandbox', region: 'us', appKey: 'app-1' }
  let error: unknown
  try {
    createAccessTokens({ endpoints: createTestService(createVirtualClock()).endpoints, store, identity })
  } catch (thrown) {
    error = thrown
  }
  expect(isTokensError(error, 'TOKEN_OPTION_INVALID') && error.details.option).toBe('identity.baseUrl')
})
