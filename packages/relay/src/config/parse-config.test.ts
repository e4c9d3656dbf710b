import { createSeededRandom } from '@brokerwire/core/testing'
import { Ajv } from 'ajv'
import { describe, expect, inject, test } from 'vitest'
import { isRelayError } from '../relay-error.ts'
import { APP as LEAST_APP } from '../test/config.ts'
import { parseRelayConfig, relayConfigSchema } from './parse-config.ts'

const APP = {
  ...LEAST_APP,
  appSecret: { file: '/run/secrets/app-secret' },
  accounts: ['ACC1'],
  modules: ['funding'],
  moduleEventsUrl: 'https://module-events.example.com',
}
const LEAST = { apps: [APP] }
const FULL = {
  $schema: './relay.schema.json',
  cluster: 'main',
  name: 'relay-1',
  prefix: 'acme',
  apps: [
    APP,
    {
      ...APP,
      name: 'team-b',
      subscriptions: ['module'],
      eventTypes: ['SOD'],
      eventsUrl: 'https://events.example.com',
      moduleEventsUrl: 'http://127.0.0.1:9000',
      baseUrl: 'https://api.example.com',
      sendAccessToken: true,
      createToken: true,
      allowInsecure: false,
    },
  ],
  sink: {
    type: 'jetstream',
    servers: ['nats://127.0.0.1:4222', 'tls://nats.example.com:4222'],
    credentials: { env: 'NATS_CREDENTIALS' },
    domain: 'hub',
    cloudEvents: true,
    createStreams: { replicas: 3, maxAgeMs: 86_400_000, maxBytes: 1_073_741_824 },
  },
  store: { type: 'nats', bucket: 'relay' },
  health: { host: '0.0.0.0', port: 0 },
  bufferBytes: 1_048_576,
  slotLingerMs: 0,
  maxConnections: 4,
  openOrder: ['trade', 'position', 'module'],
  heartbeatIntervalMs: 1000,
}

const COMPLETE = {
  ...APP,
  eventTypes: [],
  subscriptions: ['module', 'trade', 'position'],
  sendAccessToken: false,
  createToken: false,
  allowInsecure: false,
}

const read = (value: unknown) => parseRelayConfig(JSON.stringify(value, undefined, 2), 'relay.json')

function failureOf(text: string): { line: number; field: string; problem: string; message: string } {
  try {
    parseRelayConfig(text, 'relay.json')
  } catch (error) {
    if (isRelayError(error, 'RELAY_CONFIG_INVALID')) return { ...error.details, message: error.message }
    throw error
  }
  throw new Error('expected a failure')
}

describe('a configuration', () => {
  test('has the default of every field that is omitted', () => {
    expect(read(LEAST)).toEqual({
      cluster: 'main',
      prefix: 'brokerwire',
      apps: [COMPLETE],
      sink: {
        type: 'file',
        directory: 'events',
        maxFileBytes: 134_217_728,
        maxFiles: 16,
        cloudEvents: false,
      },
      store: { type: 'file', directory: 'state' },
      health: { host: '127.0.0.1', port: 8480 },
      bufferBytes: 67_108_864,
      slotLingerMs: 60_000,
      maxConnections: 5,
      openOrder: ['module', 'trade', 'position'],
      heartbeatIntervalMs: 5000,
    })
  })

  test('is returned unchanged if it has all fields', () => {
    const { $schema: _, ...written } = FULL
    expect(read(FULL)).toEqual({
      ...written,
      apps: [COMPLETE, FULL.apps[1]],
    })
  })

  test('has the defaults of a webhook, and checks its URL', () => {
    const webhook = { type: 'webhook', url: 'https://example.com/events', secret: { file: 'webhook-secret' } }
    expect(read({ ...LEAST, sink: webhook }).sink).toEqual({
      ...webhook,
      maxBatchEvents: 1,
      maxBodyBytes: 1_048_576,
      timeoutMs: 15_000,
      maxRetryWaitMs: 60_000,
      allowPrivateAddresses: false,
    })
    const sink = { ...webhook, deadLetters: {} }
    expect(read({ ...LEAST, sink }).sink).toMatchObject({
      deadLetters: { directory: 'dead-letters', afterMs: 3_600_000, maxBytes: 1_073_741_824 },
    })
    for (const url of ['http://example.com/', 'http://127.0.0.1/', 'https://user@example.com/', 'https://'])
      expect(failureOf(JSON.stringify({ ...LEAST, sink: { ...webhook, url } })).field).toBe('sink.url')
    const local = { ...webhook, url: 'http://127.0.0.1:8080/', allowPrivateAddresses: true }
    expect(read({ ...LEAST, sink: local }).sink).toMatchObject({ url: 'http://127.0.0.1:8080/' })
    const inline = failureOf(JSON.stringify({ ...LEAST, sink: { ...webhook, secret: 'whsec_topsecret' } }))
    expect(inline.field).toBe('sink.secret')
    expect(inline.message).not.toContain('topsecret')
  })

  test('with subscribeType has one subscription for orders and positions', () => {
    const app = read({ apps: [{ ...APP, subscribeType: 3 }] }).apps[0]
    expect(app).toMatchObject({ subscriptions: ['module', 'trade'], subscribeType: 3 })
    const twice = { apps: [{ ...APP, subscribeType: 3, subscriptions: ['trade', 'position'] }] }
    expect(failureOf(JSON.stringify(twice))).toMatchObject({
      field: 'apps[0].subscriptions[1]',
      message: expect.stringContaining('must be module or trade if subscribeType is set'),
    })
  })

  test('accepts the spellings of modules that `listen --modules` accepts', () => {
    const modules = ['FUNDING', 'Master_Data', 'corporate-actions']
    const read1 = read({ apps: [{ ...APP, modules }] }).apps[0]?.modules
    expect(read1).toEqual(['funding', 'master-data', 'corporate-actions'])
  })

  test('may start with a byte order mark', () => {
    expect(parseRelayConfig(`\uFEFF${JSON.stringify(LEAST)}`)).toEqual(read(LEAST))
  })

  test('must be a string', () => {
    for (const value of [undefined, null, LEAST])
      expect(() => parseRelayConfig(value as unknown as string)).toThrow(
        expect.objectContaining({ code: 'RELAY_OPTION_INVALID' }),
      )
  })

  test.each(['nats://127.0.0.1', 'nats://nats_1.example.com:4222', 'tls://[::1]:65535'])(
    'accepts the server %s',
    (server) => {
      const sink = { type: 'jetstream', servers: [server] }
      expect(read({ ...LEAST, sink }).sink).toMatchObject({ servers: [server] })
    },
  )

  test('subscribes to no modules with accounts only, and to no trades with modules only', () => {
    const { modules: _, ...trades } = APP
    const { accounts: __, ...modules } = APP
    const subscriptions = read({ apps: [trades, { ...modules, name: 'other' }] }).apps.map(
      (app) => app.subscriptions,
    )
    expect(subscriptions).toEqual([['trade', 'position'], ['module']])
  })
})

describe('the origin of the module events', () => {
  const { moduleEventsUrl: _, ...without } = APP

  test.each([
    ['us', 'production'],
    ['hk', 'sandbox'],
    ['hk', 'production'],
  ])('may be omitted in %s %s', (region, environment) => {
    expect(read({ apps: [{ ...without, region, environment }] }).apps[0]?.subscriptions).toContain('module')
  })

  test('is not required without module events', () => {
    expect(read({ apps: [{ ...without, subscriptions: ['trade'] }] }).apps).toHaveLength(1)
  })
})

describe('an error of a configuration', () => {
  test('has file, line, column and field, as in the README', () => {
    const text = '{\n  "apps": [\n    {\n      "name": "team a"\n    }\n  ]\n}'
    expect(failureOf(text)).toMatchObject({
      line: 4,
      field: 'apps[0].name',
      message:
        'relay.json:4:15: apps[0].name must be 1 to 64 letters, digits and hyphens, the first no hyphen',
    })
  })

  test.each<[string, unknown, string, string]>([
    ['no apps', {}, '', 'apps'],
    ['an empty list', { apps: [] }, '', 'apps'],
    ['an unknown field', { ...LEAST, sinks: {} }, '', 'sinks'],
    ['a region', { apps: [{ ...APP, region: 'eu' }] }, '"hk" or "us"; received "eu"', 'apps[0].region'],
    [
      'a secret as text',
      { apps: [{ ...APP, appSecret: 'topsecret' }] },
      'never the secret itself',
      'apps[0].appSecret',
    ],
    ['a secret elsewhere', { apps: [{ ...APP, appSecret: { topsecret: 'x' } }] }, 'env', 'apps[0].appSecret'],
    [
      'a variable with a space',
      { apps: [{ ...APP, appKey: { env: 'topsecret 1' } }] },
      'environment',
      'apps[0].appKey.env',
    ],
    ['two apps of a name', { apps: [APP, APP] }, 'unique', 'apps[1].name'],
    ['an account twice', { apps: [{ ...APP, accounts: ['a', 'a'] }] }, 'unique', 'apps[0].accounts[1]'],
    [
      'a subscription without accounts',
      { apps: [{ ...APP, accounts: undefined, subscriptions: ['trade'] }] },
      'needs accounts',
      'apps[0].subscriptions[0]',
    ],
    [
      'subscribeType without accounts',
      { apps: [{ ...APP, accounts: undefined, subscribeType: 3 }] },
      'needs accounts and the subscription trade',
      'apps[0].subscribeType',
    ],
    [
      'subscribeType without the subscription trade',
      { apps: [{ ...APP, subscribeType: 3, subscriptions: ['module'] }] },
      'needs accounts and the subscription trade',
      'apps[0].subscribeType',
    ],
    [
      'an app without subscriptions',
      { apps: [{ ...APP, accounts: undefined, modules: undefined }] },
      'accounts, modules',
      'apps[0]',
    ],
    [
      'an address with a path',
      { apps: [{ ...APP, eventsUrl: 'https://x.example/topsecret' }] },
      '',
      'apps[0].eventsUrl',
    ],
    [
      'clear text',
      { apps: [{ ...APP, eventsUrl: 'http://x.example' }] },
      'allowInsecure',
      'apps[0].eventsUrl',
    ],
    [
      'module events with an unknown origin',
      { apps: [{ ...APP, moduleEventsUrl: undefined }] },
      'for us sandbox',
      'apps[0].moduleEventsUrl',
    ],
    ['another sink', { ...LEAST, sink: { type: 'kafka' } }, '"file" or "jetstream"', 'sink.type'],
    ['a field of another sink', { ...LEAST, sink: { type: 'file', servers: [] } }, '', 'sink.servers'],
    [
      'credentials in an address',
      { ...LEAST, sink: { type: 'jetstream', servers: ['nats://user:topsecret@x'] } },
      'credentials',
      'sink.servers[0]',
    ],
    ...[
      'nats:// ',
      'nats://h:1\nX',
      'nats://127.0.0.1:999999',
      'nats://h:0',
      'nats://h:',
      'nats://a b:1',
      'nats://[::1',
    ].map((server): [string, unknown, string, string] => [
      `the server ${JSON.stringify(server)}`,
      { ...LEAST, sink: { type: 'jetstream', servers: [server] } },
      'nats://HOST:PORT',
      'sink.servers[0]',
    ]),
    [
      'an unknown module',
      { apps: [{ ...APP, modules: ['nosuch'] }] },
      '"application" or "account"',
      'apps[0].modules[0]',
    ],
    [
      'a misspelt module',
      { apps: [{ ...APP, modules: ['funding', 'jurnal'] }] },
      'Did you mean "journal"?',
      'apps[0].modules[1]',
    ],
    [
      'a module whose event type is not published',
      { apps: [{ ...APP, modules: ['sod'] }] },
      '"application" or "account"',
      'apps[0].modules[0]',
    ],
    ['a store without its servers', { ...LEAST, store: { type: 'nats' } }, 'sink.type', 'store.type'],
    ['a store without its database', { ...LEAST, store: { type: 'postgres' } }, 'sink.type', 'store.type'],
    [
      'a connection string instead of its source',
      {
        ...LEAST,
        sink: { type: 'postgres', connection: ['postgres://role', 'not-shown@host/db'].join(':') },
      },
      'an object with env',
      'sink.connection',
    ],
    [
      'a URL of Redis instead of its source',
      { ...LEAST, sink: { type: 'redis', url: ['redis://user', 'not-shown@host'].join(':') } },
      'an object with env',
      'sink.url',
    ],
    ['a port', { ...LEAST, health: { port: 70_000 } }, '65535', 'health.port'],
    ['half an order', { ...LEAST, openOrder: ['trade', 'trade', 'module'] }, 'unique', 'openOrder[1]'],
    ['no object', [], 'an object', ''],
  ])('names the field of %s', (_, value, expected, field) => {
    const text = JSON.stringify(value, undefined, 1)
    const failure = failureOf(text)
    expect(failure).toMatchObject({ field, problem: expect.stringContaining(expected) })
    expect(failure.message).not.toContain('topsecret')
    const [last] = /[A-Za-z]+(?=[^A-Za-z]*$)/.exec(field) ?? ['']
    const lines = text.split('\n').map((line, at) => (line.includes(`"${last}"`) ? at + 1 : 0))
    if (last !== '' && lines.some((line) => line > 0) && !field.endsWith(']'))
      expect(lines).toContain(failure.line)
  })

  test.each([
    ['', 1],
    ['{\n"apps": [\n}', 3],
    ['{"a":1}\n{', 2],
  ])('has the line of invalid JSON: %j in line %d', (text, line) => {
    expect(failureOf(text)).toMatchObject({ field: '', line })
  })
})

describe('the schema', () => {
  const validate = new Ajv({ strict: false }).compile(relayConfigSchema())

  test('accepts a configuration that the parser accepts', () => {
    for (const value of [LEAST, FULL]) {
      expect(validate(value)).toBe(true)
      expect(validate.errors).toBe(null)
    }
  })

  test('lists the modules, and accepts the spellings that the parser accepts', () => {
    const schema = JSON.stringify(relayConfigSchema())
    expect(schema).toContain('"enum":["application","account","funding"')
    const taken = ['funding', 'Master_Data', 'MASTER-DATA', 'sod', 'fundingx', 'x-funding', ''].map(
      (module) => validate({ apps: [{ ...APP, modules: [module] }] }),
    )
    expect(taken).toEqual([true, true, true, false, false, false, false])
  })

  test('rejects random invalid configurations that the parser rejects', () => {
    const rounds = inject('isFullRun') ? 3000 : 300
    const random = createSeededRandom(11)
    const upTo = (count: number): number => Math.floor(random() * count)
    const odd = [
      null,
      true,
      -1,
      1.5,
      7,
      '',
      'x y',
      'team-a',
      [],
      ['x'],
      {},
      { type: 'file' },
      { env: 'X' },
      1e300,
    ]
    const nodes = (value: unknown): object[] =>
      typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(nodes)] : []
    let rejected = 0
    for (let round = 0; round < rounds; round += 1) {
      const value: unknown = structuredClone(FULL)
      const all = nodes(value)
      const node = all[upTo(all.length)] as Record<string, unknown>
      const names = Object.keys(node)
      const name = names[upTo(names.length)] ?? 'unknown'
      const drawn = random()
      if (drawn < 0.2 && !Array.isArray(node)) delete node[name]
      else if (drawn < 0.3 && !Array.isArray(node)) node.another = 1
      else node[name] = structuredClone(odd[upTo(odd.length)])
      const isAccepted = validate(value)
      let failure: ReturnType<typeof failureOf> | undefined
      try {
        read(value)
      } catch {
        failure = failureOf(JSON.stringify(value))
      }
      if (failure !== undefined) rejected += 1
      // The schema cannot check rules that concern several fields, or origins.
      const isParserRule =
        /Url|name must be unique|(?:subscriptions\[\d\]|subscribeType) needs|none of them|unless sink\.type/.test(
          `${failure?.field} ${failure?.problem}`,
        )
      if (!isParserRule)
        expect(isAccepted, `${JSON.stringify(value)}: ${failure?.message}`).toBe(failure === undefined)
    }
    expect(rejected).toBeGreaterThan(rounds / 3)
  }, 240_000)
})
