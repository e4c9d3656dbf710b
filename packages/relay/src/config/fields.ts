/** The fields of a relay's configuration. */
import { moduleNamed, SUBSCRIBABLE_MODULES } from '@brokerwire/payloads'
import type { Fields, Shape } from './shape.ts'

/** A name that stands in subjects and streams as it is: no separator of either is in it. */
const name = (about: string, fallback?: string): Shape & { readonly type: 'text' } => ({
  type: 'text',
  about,
  pattern: {
    expression: '^[A-Za-z0-9][A-Za-z0-9-]{0,63}$',
    says: '1 to 64 letters, digits and hyphens, the first no hyphen',
  },
  ...(fallback === undefined ? {} : { fallback }),
})

const text = (about: string): Shape => ({ type: 'text', about })
const DAY_MS = 86_400_000

/** A name, an address of version 4, or one of version 6 in brackets; then a port from 1 to 65535, 4222 without one. */
const SERVER =
  '^(?:nats|tls)://(?:\\[[0-9A-Fa-f:.]{2,45}\\]|[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,252}))' +
  '(?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?$'

const KEY_FIELDS: Fields = {
  name: {
    ...name('how the key is called in subjects, streams and logs; never the app key itself'),
    required: true,
  },
  environment: { type: 'text', oneOf: ['sandbox', 'production'], about: 'of the service', required: true },
  region: { type: 'text', oneOf: ['hk', 'us'], about: 'of the service', required: true },
  appKey: { type: 'secret', about: 'where the app key stands', required: true },
  appSecret: { type: 'secret', about: 'where the app secret stands', required: true },
  accounts: {
    type: 'list',
    of: text('identifier of an account'),
    min: 1,
    unique: true,
    about: 'whose trade and position events are followed; left out: none',
  },
  streams: {
    type: 'list',
    of: { type: 'text', oneOf: ['module', 'trade', 'position'], about: '' },
    min: 1,
    unique: true,
    about: 'left out: trade and position where accounts are named, module where modules are',
  },
  modules: {
    type: 'list',
    of: {
      type: 'text',
      oneOf: SUBSCRIBABLE_MODULES,
      spelled: moduleNamed,
      about: 'a module, in any case of letters',
    },
    min: 1,
    unique: true,
    about: 'modules whose events are followed; left out: none',
  },
  eventTypes: {
    type: 'list',
    of: text('event type of a module'),
    min: 1,
    unique: true,
    about: 'module events by their event type, such as those of a module whose event type is not published',
  },
  eventsUrl: text('origin of the trade and position events; left out: that of the region and environment'),
  moduleEventsUrl: text(
    'origin of the module events; left out: that of the region and environment, which us sandbox has none of: there it is needed',
  ),
  httpUrl: text(
    'origin of the requests, where access tokens are asked for; left out: that of the region and environment',
  ),
  sendAccessToken: {
    type: 'boolean',
    fallback: false,
    about: 'sends the access token that the store has with each subscription',
  },
  createToken: {
    type: 'boolean',
    fallback: false,
    about:
      'the same, and asks for a token where the store never had one: once, by one relay of the fleet; in production a person has to confirm it',
  },
  allowInsecure: { type: 'boolean', fallback: false, about: 'takes http beyond this machine' },
}

const STREAM_LIMITS: Fields = {
  replicas: { type: 'integer', min: 1, max: 5, fallback: 1, about: 'copies of the stream' },
  maxAgeMs: {
    type: 'integer',
    min: 60_000,
    max: 3650 * DAY_MS,
    fallback: 7 * DAY_MS,
    about: 'older events go',
  },
  maxBytes: {
    type: 'integer',
    min: 1024 * 1024,
    max: Number.MAX_SAFE_INTEGER,
    fallback: 1024 ** 3,
    about: 'the oldest events go where the stream would be larger',
  },
}

/** All of them. */
export const CONFIG_FIELDS: Fields = {
  $schema: text('for editors'),
  fleet: { ...name('relays of one fleet share out the keys among them', 'main') },
  name: name('of this relay in its fleet; left out: drawn at each start'),
  prefix: { ...name('what all subjects and streams begin with', 'brokerwire') },
  keys: {
    type: 'list',
    of: { type: 'object', fields: KEY_FIELDS, about: 'an app key' },
    min: 1,
    about: 'the app keys of the fleet: the same in each of its relays',
    required: true,
  },
  sink: {
    type: 'choice',
    about: 'where events are written to',
    fallback: { type: 'file' },
    of: {
      file: {
        directory: {
          ...text('one file of JSON lines for each key; a relative path goes by the working directory'),
          fallback: 'events',
        } as Shape,
        maxFileBytes: {
          type: 'integer',
          min: 64 * 1024,
          max: Number.MAX_SAFE_INTEGER,
          fallback: 128 * 1024 * 1024,
          about: 'a file that is longer is put aside, and a new one begun',
        },
        maxFiles: {
          type: 'integer',
          min: 2,
          max: 10_000,
          fallback: 16,
          about: 'of a key, the one that is written among them; the oldest goes',
        },
      },
      jetstream: {
        servers: {
          type: 'list',
          of: {
            type: 'text',
            about: 'such as nats://127.0.0.1:4222',
            pattern: {
              expression: SERVER,
              says: 'nats://HOST:PORT or tls://HOST:PORT, without credentials: those stand in credentials',
            },
          },
          min: 1,
          unique: true,
          about: 'servers of NATS',
          required: true,
        },
        credentials: {
          type: 'secret',
          about: 'where the text of a .creds file stands: no other kind of credentials is taken',
        },
        domain: text('of JetStream'),
        createStreams: {
          type: 'object',
          fields: STREAM_LIMITS,
          about: 'makes streams that are missing, with these limits; left out: a missing stream is an error',
        },
      },
    },
  },
  store: {
    type: 'choice',
    about: 'where cursors, membership and tokens are kept; relays of one fleet share it',
    fallback: { type: 'file' },
    of: {
      file: {
        directory: {
          ...text("of this machine alone; its owner's alone, too: 0700"),
          fallback: 'state',
        } as Shape,
      },
      nats: { bucket: { ...name('a key-value bucket beside the streams', 'brokerwire-relay') } },
    },
  },
  health: {
    type: 'object',
    about: '/healthz and /readyz',
    fallback: {},
    fields: {
      host: { type: 'text', about: 'an address of this machine', fallback: '127.0.0.1' },
      port: { type: 'integer', min: 0, max: 65_535, fallback: 8480, about: '0: any free one' },
    },
  },
  bufferBytes: {
    type: 'integer',
    min: 1024 * 1024,
    max: 64 * 1024 ** 3,
    fallback: 64 * 1024 * 1024,
    about: 'of all events of a key that wait to be written; then nothing more is read',
  },
  slotLingerMs: {
    type: 'integer',
    min: 0,
    max: 3_600_000,
    fallback: 60_000,
    about: 'how long the service counts a connection that was lost',
  },
  maxConnections: { type: 'integer', min: 1, max: 100, fallback: 5, about: 'of an app key' },
  openOrder: {
    type: 'list',
    of: { type: 'text', oneOf: ['module', 'trade', 'position'], about: '' },
    min: 3,
    unique: true,
    about: 'which subscription gets the first place that is free; left out: module, trade, position',
  },
  beatMs: {
    type: 'integer',
    min: 100,
    max: 600_000,
    fallback: 5000,
    about: 'from one beat of the membership to the next; a relay is dead after five',
  },
}
