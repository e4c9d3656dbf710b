import { describe, expect, test } from 'vitest'
import { isCoreError } from '../core-error.ts'
import { resolveEndpoint } from './resolve.ts'
import { createServiceIdentity, oldRecordKey, recordKey, serviceIdentity } from './service-identity.ts'
import { ENDPOINTS, FURTHER_ENDPOINTS } from './table.ts'

const PRODUCTION = { region: 'us', environment: 'production' } as const
const { baseUrl, eventsUrl, moduleEventsUrl } = ENDPOINTS.us.production

describe('createServiceIdentity', () => {
  test('has the addresses of the endpoint', () => {
    expect(createServiceIdentity(resolveEndpoint(PRODUCTION), 'app-1')).toEqual({
      ...PRODUCTION,
      appKey: 'app-1',
      baseUrl,
      eventsUrl,
      moduleEventsUrl,
      hasTableAddresses: true,
    })
  })

  test.each([
    ['the table', true, {}],
    [
      'an address that the table lacks',
      true,
      { region: 'us', environment: 'sandbox', moduleEventsUrl: 'https://m.test' },
    ],
    ['another HTTP host', false, { baseUrl: 'https://h.test' }],
    ['another event host', false, { baseUrl, eventsUrl: 'https://e.test' }],
    ['the same hosts, named again', true, { baseUrl }],
  ])(
    '%s: has the addresses of the table: %s',
    (_, expected, { region, environment, ...overrides }: Record<string, string>) => {
      const place = { region: region ?? 'us', environment: environment ?? 'production' } as typeof PRODUCTION
      const identity = createServiceIdentity(resolveEndpoint({ ...place, overrides }), 'app-1')
      expect(identity.hasTableAddresses).toBe(expected)
    },
  )

  test('a region of another table never takes over a record', () => {
    const endpoint = resolveEndpoint({
      region: 'jp',
      environment: 'production',
      endpoints: FURTHER_ENDPOINTS,
    })
    expect(createServiceIdentity(endpoint, 'app-1').hasTableAddresses).toBe(false)
  })

  test('refuses an app key that no header can carry', () => {
    for (const appKey of ['', 'a b', 'a\n', 'x'.repeat(257), undefined as never]) {
      let error: unknown
      try {
        createServiceIdentity(resolveEndpoint(PRODUCTION), appKey)
      } catch (thrown) {
        error = thrown
      }
      expect(isCoreError(error, 'ENDPOINT_INVALID') && error.details).toMatchObject({ option: 'appKey' })
    }
  })
})

describe('keys', () => {
  const identity = createServiceIdentity(resolveEndpoint(PRODUCTION), 'a/b')

  test('name the kind, the identity and the HTTP origin', () => {
    expect(recordKey('client-token', identity, 'an na')).toBe(
      'client-token/production/us/a%2Fb/https%3A%2F%2Fapi.webull.com/an%20na',
    )
    expect(oldRecordKey('client-token', identity, 'an na')).toBe('client-token/production/us/a%2Fb/an%20na')
  })

  test('of two hosts differ', () => {
    const other = { ...identity, baseUrl: 'http://127.0.0.1:8080' }
    expect(recordKey('access-token', other)).not.toBe(recordKey('access-token', identity))
  })

  test('plain data is an identity; unknown parts are refused', () => {
    const fail = (option: string): Error => new Error(option)
    const plain = { environment: 'x', region: 'y', appKey: 'z', baseUrl: 'HTTPS://H.test/' }
    expect(serviceIdentity(plain, 'identity', fail)).toMatchObject({
      ...plain,
      baseUrl: 'https://h.test',
      hasTableAddresses: false,
    })
    expect(() => serviceIdentity({ ...plain, httpURL: 'x' }, 'identity', fail)).toThrow('identity.httpURL')
    expect(() => serviceIdentity({ ...plain, baseUrl: 'x' }, 'identity', fail)).toThrow('identity.baseUrl')
  })
})
