import { describe, expect, test } from 'vitest'
import { type CoreErrorCode, isCoreError } from '../core-error.ts'
import { type EndpointOptions, requireUrl, resolveEndpoint } from './resolve.ts'
import { ENDPOINTS, FURTHER_ENDPOINTS, type FurtherRegion } from './table.ts'

const US_SANDBOX = { region: 'us', environment: 'sandbox' } as const

function failure(code: CoreErrorCode, run: () => unknown): { message: string; details: object } {
  try {
    run()
  } catch (error) {
    if (isCoreError(error, code)) return { message: error.message, details: error.details }
    throw error
  }
  throw new Error('expected a failure')
}

const invalid = (options: unknown): { message: string; details: object } =>
  failure('ENDPOINT_INVALID', () => resolveEndpoint(options as EndpointOptions))

describe('resolveEndpoint', () => {
  test.each([
    ['us', 'production'],
    ['us', 'sandbox'],
    ['hk', 'production'],
    ['hk', 'sandbox'],
  ] as const)('returns the addresses of %s %s', (region, environment) => {
    expect(resolveEndpoint({ region, environment })).toEqual({
      region,
      environment,
      ...ENDPOINTS[region][environment],
    })
  })

  test('adds an address that the table lacks, and replaces algorithms', () => {
    const overrides = {
      moduleEventsUrl: 'https://push.example.com:8443',
      streamAlgorithm: 'HMAC-SHA1',
      eventsUrl: undefined,
    } as const
    expect(resolveEndpoint({ ...US_SANDBOX, overrides })).toEqual({
      ...US_SANDBOX,
      ...ENDPOINTS.us.sandbox,
      moduleEventsUrl: 'https://push.example.com:8443',
      streamAlgorithm: 'HMAC-SHA1',
    })
    expect(ENDPOINTS.us.sandbox.moduleEventsUrl).toBeUndefined()
  })

  test.each([
    ['https://HOST.example/', 'https://host.example'],
    ['https://host.example:443', 'https://host.example'],
    ['https://host.example:9000/', 'https://host.example:9000'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://localhost:80', 'http://localhost'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('reads the origin %s as %s', (given, origin) => {
    expect(resolveEndpoint({ ...US_SANDBOX, overrides: { baseUrl: given } }).baseUrl).toBe(origin)
  })

  test.each([
    ['a path', 'https://host.example/topsecret'],
    ['a query', 'https://host.example/?topsecret'],
    ['a fragment', 'https://host.example/#topsecret'],
    ['a user', 'https://topsecret@host.example'],
    ['a password', 'https://:topsecret@host.example'],
    ['http beyond loopback', 'http://topsecret.example'],
    ['a host that only looks like loopback', 'http://127.0.0.1.topsecret.example'],
    ['another scheme', 'topsecret:text'],
    ['no URL', 'topsecret'],
    ['no scheme', '//topsecret.example'],
    ['no text', 7],
    ['a list that reads like a URL', ['https://host.example']],
    ['nothing', ''],
    ['null', null],
  ])('refuses an origin with %s, without showing it', (_, baseUrl) => {
    const { message, details } = invalid({ ...US_SANDBOX, overrides: { baseUrl } })
    expect(details).toMatchObject({ option: 'overrides.baseUrl' })
    expect(message + JSON.stringify(details)).not.toContain('topsecret')
  })

  test('takes clear text on any host only with allowInsecure', () => {
    const overrides = { baseUrl: 'http://proxy.internal:8080' }
    expect(invalid({ ...US_SANDBOX, overrides }).message).toContain('allowInsecure: true')
    expect(invalid({ ...US_SANDBOX, overrides, allowInsecure: 'yes' }).details).toMatchObject({
      option: 'allowInsecure',
    })
    expect(resolveEndpoint({ ...US_SANDBOX, overrides, allowInsecure: true }).baseUrl).toBe(overrides.baseUrl)
    expect(
      invalid(Object.assign(Object.create({ allowInsecure: true }), US_SANDBOX, { overrides })).details,
    ).toMatchObject({ option: 'overrides.baseUrl' })
  })

  test('takes no address from Object.prototype', () => {
    const evil = { baseUrl: 'https://evil.example', overrides: { eventsUrl: 'https://evil.example' } }
    Object.assign(Object.prototype, evil)
    try {
      for (const options of [US_SANDBOX, { ...US_SANDBOX, overrides: {} }]) {
        expect(JSON.stringify(resolveEndpoint(options))).not.toContain('evil')
      }
    } finally {
      for (const name of Object.keys(evil)) Reflect.deleteProperty(Object.prototype, name)
    }
  })

  test.each([
    ['options', undefined],
    ['options', 'us'],
    ['region', { environment: 'sandbox' }],
    ['region', { region: 'US', environment: 'sandbox' }],
    ['environment', { region: 'us' }],
    ['environment', { region: 'us', environment: 'prod' }],
    ['overrides', { ...US_SANDBOX, overrides: 'https://host.example' }],
    ['overrides', { ...US_SANDBOX, overrides: null }],
    ['overrides.algorithm', { ...US_SANDBOX, overrides: { algorithm: 'MD5' } }],
    ['overrides.streamAlgorithm', { ...US_SANDBOX, overrides: { streamAlgorithm: 1 } }],
  ])('names the wrong option %s', (option, options) => {
    expect(invalid(options).details).toMatchObject({ option })
  })

  test('a misspelled entry is an error: the table would go on naming the real host', () => {
    const { message } = invalid({ ...US_SANDBOX, overrides: { baseURL: 'http://127.0.0.1:1' } })
    expect(message).toBe('unknown option "overrides.baseURL". Did you mean "baseUrl"?')
  })
})

describe('an address of another host', () => {
  const none = {
    baseUrl: undefined,
    eventsUrl: undefined,
    moduleEventsUrl: undefined,
    mqttUrl: undefined,
    mqttWebSocketUrl: undefined,
  }

  test.each([
    ['baseUrl', 'http://127.0.0.1:8080'],
    ['eventsUrl', 'http://127.0.0.1:8081'],
    ['moduleEventsUrl', 'http://127.0.0.1:8082'],
    ['mqttUrl', 'mqtt://127.0.0.1:1883'],
    ['mqttWebSocketUrl', 'ws://127.0.0.1:8083/mqtt'],
  ] as const)('%s leaves none of the production hosts', (name, url) => {
    const given = { region: 'us', environment: 'production', overrides: { [name]: url } } as const
    expect(resolveEndpoint(given)).toEqual({
      region: 'us',
      environment: 'production',
      ...none,
      [name]: url,
      algorithm: 'HMAC-SHA1',
      streamAlgorithm: 'HMAC-SHA256',
    })
  })

  test('requireUrl() fails for an omitted address, and names its option', () => {
    const overrides = { baseUrl: 'http://127.0.0.1:8080' }
    const endpoint = resolveEndpoint({ region: 'us', environment: 'production', overrides })
    const { message, details } = failure('ENDPOINT_UNKNOWN', () => requireUrl(endpoint, 'eventsUrl'))
    expect(message).toBe(
      'the eventsUrl of us production is not taken from the table, because overrides replace another address: set the option overrides.eventsUrl',
    )
    expect(details).toMatchObject({ option: 'overrides.eventsUrl' })
  })

  test('is signed with HMAC-SHA1, or with the algorithm that is given', () => {
    const baseUrl = 'http://127.0.0.1:8080'
    const algorithmOf = (overrides: EndpointOptions['overrides']) =>
      resolveEndpoint({ ...US_SANDBOX, overrides }).algorithm
    expect(algorithmOf({})).toBe('HMAC-SHA256')
    expect(algorithmOf({ baseUrl })).toBe('HMAC-SHA1')
    expect(algorithmOf({ baseUrl, algorithm: 'HMAC-SHA256' })).toBe('HMAC-SHA256')
    expect(algorithmOf({ baseUrl: ENDPOINTS.us.sandbox.baseUrl })).toBe('HMAC-SHA256')
  })
})

describe('further regions', () => {
  test.each(Object.keys(FURTHER_ENDPOINTS) as FurtherRegion[])('%s', (region) => {
    const endpoint = resolveEndpoint({ region, environment: 'production', endpoints: FURTHER_ENDPOINTS })
    expect(endpoint.baseUrl).toMatch(/^https:\/\/api\.webull[-.a-z]+$/)
    expect(endpoint).toEqual({
      region,
      environment: 'production',
      baseUrl: endpoint.baseUrl,
      eventsUrl: endpoint.baseUrl?.replace('api.', 'events-api.'),
      moduleEventsUrl: undefined,
      mqttUrl: endpoint.baseUrl?.replace('https://api.', 'mqtts://data-api.').concat(':1883'),
      mqttWebSocketUrl: endpoint.baseUrl?.replace('https://api.', 'wss://data-api.').concat(':8883/mqtt'),
      algorithm: 'HMAC-SHA1',
      streamAlgorithm: 'HMAC-SHA256',
    })
  })

  test('are no regions without their table, and have no sandbox', () => {
    expect(invalid({ region: 'jp', environment: 'production' })).toMatchObject({
      details: { option: 'region' },
    })
    const { details } = invalid({ region: 'jp', environment: 'sandbox', endpoints: FURTHER_ENDPOINTS })
    expect(details).toMatchObject({ option: 'environment' })
  })

  test.each([
    ['endpoints', 'jp'],
    ['endpoints.jp.production.baseUrl', { jp: { production: {} } }],
    ['endpoints.jp.production.baseUrl', { jp: { production: { baseUrl: 'ftp://x' } } }],
  ])('a table with a wrong %s is refused', (option, endpoints) => {
    expect(invalid({ region: 'jp', environment: 'production', endpoints }).details).toMatchObject({ option })
  })
})

describe('the addresses of market data', () => {
  test('belong to the HTTP host: if it is replaced, those of the table are not used', () => {
    const moved = resolveEndpoint({ ...US_SANDBOX, overrides: { baseUrl: 'http://127.0.0.1:8080' } })
    expect([moved.mqttUrl, moved.mqttWebSocketUrl]).toEqual([undefined, undefined])
    const { message } = failure('ENDPOINT_UNKNOWN', () => requireUrl(moved, 'mqttUrl'))
    expect(message).toContain('set the option overrides.mqttUrl')
    const both = { baseUrl: 'http://127.0.0.1:8080', mqttUrl: 'mqtt://127.0.0.1:1883' }
    expect(resolveEndpoint({ ...US_SANDBOX, overrides: both })).toMatchObject({
      ...both,
      mqttWebSocketUrl: undefined,
    })
  })

  test('are those of the table if the override is the same host', () => {
    const { baseUrl } = ENDPOINTS.us.sandbox
    expect(resolveEndpoint({ ...US_SANDBOX, overrides: { baseUrl } }).mqttUrl).toBe(
      ENDPOINTS.us.sandbox.mqttUrl,
    )
  })

  test('are texts', () => {
    expect(invalid({ ...US_SANDBOX, overrides: { mqttUrl: 5 } }).details).toMatchObject({
      option: 'overrides.mqttUrl',
    })
  })
})

describe('requireUrl', () => {
  test('returns the address', () => {
    expect(requireUrl(resolveEndpoint(US_SANDBOX), 'eventsUrl')).toBe(ENDPOINTS.us.sandbox.eventsUrl)
  })

  test('an address that no source names is an error that names the option to set', () => {
    const endpoint = resolveEndpoint(US_SANDBOX)
    const { message, details } = failure('ENDPOINT_UNKNOWN', () => requireUrl(endpoint, 'moduleEventsUrl'))
    expect(message).toContain('set the option overrides.moduleEventsUrl')
    expect(details).toEqual({ option: 'overrides.moduleEventsUrl', ...US_SANDBOX })
  })
})
