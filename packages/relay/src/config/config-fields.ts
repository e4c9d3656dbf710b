/** The fields of a relay's configuration file. */
import { parseModuleName, SUBSCRIBABLE_MODULES } from '@brokerwire/payloads'
import {
  anyObject,
  boolean,
  type Field,
  integer,
  list,
  nameOrEnvironment,
  object,
  oneOf,
  oneOfSpelling,
  optional,
  secretRef,
  text,
  variants,
} from './fields.ts'
import { WEBHOOK_FIELDS } from './webhook-fields.ts'

/** A name that is used in subjects and stream names, so it contains no separator of either. */
const name = (description: string, fallback?: string): Field<string> =>
  text(description, {
    pattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,63}$',
    expected: '1 to 64 letters, digits and hyphens, the first no hyphen',
    ...(fallback === undefined ? {} : { default: fallback }),
  })

const DAY_MS = 86_400_000

/** A host name, an IPv4 address or an IPv6 address in brackets, then a port from 1 to 65535 (default: 4222). */
const SERVER =
  '^(?:nats|tls)://(?:\\[[0-9A-Fa-f:.]{2,45}\\]|[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,252}))' +
  '(?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?$'

/** A name without quotes, with or without a schema. Names of tables and indexes that end in a suffix have 63 characters at most. */
const table = (description: string, fallback: string): Field<string> =>
  text(description, {
    pattern: '^(?:[a-z_][a-z0-9_]{0,62}\\.)?[a-z_][a-z0-9_]{0,54}$',
    expected: 'lower-case letters, digits and _, with at most one dot between schema and table',
    default: fallback,
  })

const subscription = oneOf('', ['module', 'trade', 'position'])

const APP_FIELDS = {
  name: name('name of the app in subjects, streams and logs; never its app key'),
  environment: oneOf('environment of the service', ['sandbox', 'production']),
  region: oneOf('region of the service', ['hk', 'us']),
  appKey: secretRef('source of the app key'),
  appSecret: secretRef('source of the app secret'),
  accounts: optional(
    list('accounts whose trade and position events are relayed; default: none', text('account identifier')),
  ),
  subscriptions: optional(
    list(
      'subscriptions to open; default: trade and, without subscribeType, position if accounts are set; module if modules or eventTypes are set',
      subscription,
    ),
  ),
  subscribeType: optional(
    integer(
      'one subscription, trade, has all of these events: 1 orders, 2 positions, 4 options, or a sum of them; for a service that grants one trade subscription for each app key. The official clients send 3 and 7; default: 1 for trade, 2 for position',
      { min: 1, max: 0xff_ff_ff_ff },
    ),
  ),
  modules: optional(
    list(
      'modules whose events are relayed; default: none',
      oneOfSpelling('a module, in upper or lower case', SUBSCRIBABLE_MODULES, parseModuleName),
    ),
  ),
  eventTypes: optional(
    list(
      'event types of modules, for example of a module whose event type is not published; default: none',
      text('event type of a module'),
    ),
  ),
  eventsUrl: optional(
    text('origin of the trade and position events; default: that of the region and environment'),
  ),
  moduleEventsUrl: optional(
    text(
      'origin of the module events; default: that of the region and environment; required in us sandbox, whose origin is not known',
    ),
  ),
  baseUrl: optional(
    text('origin of the requests that create access tokens; default: that of the region and environment'),
  ),
  sendAccessToken: boolean('sends the stored access token with each subscription', false),
  createToken: boolean(
    'the same, and creates a token if the store never had one: once, by one relay of the cluster; in production a person must confirm it',
    false,
  ),
  allowInsecure: boolean('allows http: on hosts that are not loopback', false),
}

const STREAM_LIMITS = {
  replicas: integer('copies of the stream', { min: 1, max: 5, default: 1 }),
  maxAgeMs: integer('older events are deleted', { min: 60_000, max: 3650 * DAY_MS, default: 7 * DAY_MS }),
  maxBytes: integer('the oldest events are deleted if the stream is larger', {
    min: 1024 * 1024,
    max: Number.MAX_SAFE_INTEGER,
    default: 1024 ** 3,
  }),
}

const RETENTION = {
  maxAgeMs: optional(
    integer('older events are deleted; default: no limit', { min: 60_000, max: 3650 * DAY_MS }),
  ),
  maxMessages: optional(
    integer('events of an app; the oldest are deleted; default: no limit', {
      min: 1000,
      max: Number.MAX_SAFE_INTEGER,
    }),
  ),
}

const POSTGRES_RETENTION = {
  ...RETENTION,
  deletes: boolean(
    'false: another program deletes by these limits, for example by dropping partitions',
    true,
  ),
}

const CLOUD_EVENTS = boolean(
  'adds the attributes of CloudEvents 1.0 as headers: ce-id, ce-source, ce-type and so on',
  false,
)

/** All fields of the file. */
export const CONFIG_FIELDS = {
  $schema: optional(text('for editors')),
  cluster: name('relays of one cluster share the apps', 'main'),
  name: optional(
    nameOrEnvironment(
      'name of this relay in its cluster, the same at each start: after a crash it takes its apps within two heartbeats; default: a random name at each start',
      name(''),
    ),
  ),
  prefix: name('start of all subjects and stream names', 'brokerwire'),
  apps: list('the apps of the cluster, the same in each of its relays', object('an app', APP_FIELDS)),
  sink: variants(
    'where events are written to',
    {
      file: {
        directory: text('one file of JSON lines for each app; relative to the working directory', {
          default: 'events',
        }),
        maxFileBytes: integer('a longer file is renamed, and a new one started', {
          min: 64 * 1024,
          max: Number.MAX_SAFE_INTEGER,
          default: 128 * 1024 * 1024,
        }),
        cloudEvents: CLOUD_EVENTS,
        maxFiles: integer('files of an app, including the current one; the oldest is deleted', {
          min: 2,
          max: 10_000,
          default: 16,
        }),
      },
      jetstream: {
        servers: list(
          'NATS servers',
          text('such as nats://127.0.0.1:4222', {
            pattern: SERVER,
            expected: 'nats://HOST:PORT or tls://HOST:PORT, without credentials (use "credentials")',
          }),
        ),
        credentials: optional(secretRef('source of the text of a .creds file')),
        domain: optional(text('JetStream domain')),
        cloudEvents: CLOUD_EVENTS,
        createStreams: optional(
          object(
            'creates missing streams with these limits; default: a missing stream is an error',
            STREAM_LIMITS,
          ),
        ),
      },
      postgres: {
        connection: secretRef(
          'source of the connection string, such as postgres://ROLE:PASSWORD@HOST/DATABASE',
        ),
        table: table('one table for the events of all apps', 'brokerwire_events'),
        cloudEvents: boolean(
          'fills the columns ce_id, ce_source, ce_type and so on with the attributes of CloudEvents 1.0',
          false,
        ),
        retention: optional(
          object('deletes the oldest events; default: nothing is deleted', POSTGRES_RETENTION),
        ),
      },
      redis: {
        url: secretRef('source of the URL, such as redis://USER:PASSWORD@HOST:6379 or rediss://HOST'),
        cloudEvents: CLOUD_EVENTS,
        retention: optional(object('deletes the oldest events; default: nothing is deleted', RETENTION)),
      },
      webhook: WEBHOOK_FIELDS,
      package: {
        package: text(
          'npm package or path of a module that exports createSink; see docs/guides/write-a-sink.md',
        ),
        options: anyObject('options of that sink'),
      },
    },
    { type: 'file' },
  ),
  store: variants(
    'where cursors, membership and tokens are stored; relays of one cluster share it',
    {
      file: {
        directory: text('for one machine only; readable by its owner only (0700)', { default: 'state' }),
      },
      nats: { bucket: name('a key-value bucket next to the streams', 'brokerwire-relay') },
      postgres: { table: table('a table in the database of the streams', 'brokerwire_store') },
    },
    { type: 'file' },
  ),
  health: object(
    '/healthz, /readyz and /metrics',
    {
      host: text('an address of this machine', { default: '127.0.0.1' }),
      port: integer('0: any free port', { min: 0, max: 65_535, default: 8480 }),
    },
    {},
  ),
  oversizedEvents: optional(
    object(
      'writes whole events to files that the sink does not take because of their size; default: only what names them is kept, in the stream',
      {
        directory: text('one JSON file for each event; relative to the working directory', {
          default: 'oversized',
        }),
        maxBytes: integer('an event is not written if the files of its app would take more', {
          min: 1024 * 1024,
          max: Number.MAX_SAFE_INTEGER,
          default: 1024 ** 3,
        }),
      },
    ),
  ),
  bufferBytes: integer('events of an app that wait to be written; beyond it, the relay stops reading', {
    min: 1024 * 1024,
    max: 64 * 1024 ** 3,
    default: 64 * 1024 * 1024,
  }),
  slotLingerMs: integer('how long the service counts a lost connection', {
    min: 0,
    max: 3_600_000,
    default: 60_000,
  }),
  maxConnections: integer('connections of an app key', { min: 1, max: 100, default: 5 }),
  openOrder: optional(
    list(
      'which subscription gets the first free connection; default: module, trade, position',
      subscription,
      3,
    ),
  ),
  heartbeatIntervalMs: integer(
    'interval of the heartbeats in the cluster; a relay counts as dead after five intervals',
    {
      min: 100,
      max: 600_000,
      default: 5000,
    },
  ),
}
