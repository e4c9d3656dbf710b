/** Messages for wrong inputs that new users tried. */
import { expect, test } from 'vitest'
import { createDurableObjectStore } from './durable-object/index.ts'
import { createFileStore } from './file/index.ts'
import { createAesGcmCipher, createEncryptedStore, createMemoryStore } from './index.ts'
import { createNatsStore } from './nats/index.ts'
import { createPostgresStore, migratePostgres } from './postgres/index.ts'
import { createRedisStore } from './redis/index.ts'

const client = { query: async () => ({ rows: [] }) }
const redis = { call: async () => null }
const CLIENT = 'a connected client of node-redis or ioredis'

test.each<[string, (options: never) => unknown, unknown, string]>([
  [
    'redis, nothing',
    createRedisStore,
    undefined,
    'options must be an object with client; received undefined',
  ],
  ['redis, no client', createRedisStore, {}, `client must be ${CLIENT}; received undefined`],
  [
    'redis, a URL',
    createRedisStore,
    { client: 'redis://127.0.0.1' },
    `client must be ${CLIENT}; received a string`,
  ],
  ['redis, a client as the options', createRedisStore, redis, `unknown option "call". The options are `],
  [
    'redis, a misspelled option',
    createRedisStore,
    { client: redis, timeout: 5 },
    'unknown option "timeout". Did you mean "timeoutMs"?',
  ],
  [
    'redis, another prefix',
    createRedisStore,
    { client: redis, prefix: 'value:' },
    'prefix must be a string without "value:" and "lease:"; received a string with one of them',
  ],
  [
    'postgres, nothing',
    createPostgresStore,
    undefined,
    'options must be an object with client; received undefined',
  ],
  [
    'postgres, a URL',
    createPostgresStore,
    { client: 'postgres://' },
    'client must be an object with query; received a string',
  ],
  [
    'postgres, a table with capitals',
    createPostgresStore,
    { client, table: 'Store' },
    'table must be a name of lower-case letters, digits and _, with at most one dot between schema and table; received "Store"',
  ],
  [
    'nats, nothing',
    createNatsStore,
    undefined,
    'options must be an object with bucket, connection; received undefined',
  ],
  ['nats, an empty object', createNatsStore, {}, 'missing options: bucket, connection'],
  [
    'a file store without options',
    createFileStore,
    undefined,
    'options must be an object with directory; received undefined',
  ],
  [
    'a file store without a directory',
    createFileStore,
    {},
    'directory must be a non-empty string without NUL characters; received undefined',
  ],
  [
    'a Durable Object without its binding',
    createDurableObjectStore,
    {},
    'namespace must be an object with idFromName, get; received undefined',
  ],
  [
    'encryption, nothing',
    createEncryptedStore,
    undefined,
    'options must be an object with store, cipher; received undefined',
  ],
  ['encryption, an empty object', createEncryptedStore, {}, 'missing options: store, cipher'],
  [
    'encryption, no cipher',
    createEncryptedStore,
    { store: createMemoryStore() },
    'cipher must be an object with encrypt, decrypt; received undefined',
  ],
  ['a cipher without keys', createAesGcmCipher, {}, 'keys must be '],
])('a wrong option of a store has a message: %s', (_, create, options, message) => {
  expect(() => create(options as never)).toThrow(
    expect.objectContaining({ code: 'STORE_OPTION_INVALID', message: expect.stringContaining(message) }),
  )
})

test('a migration without a client has a message', async () => {
  await expect(migratePostgres({} as never)).rejects.toThrow(
    'client must be an object with query; received undefined',
  )
})

test('wrong keys and texts have a message', async () => {
  const store = createMemoryStore()
  await expect(store.get('')).rejects.toThrow('key must be a non-empty string; received an empty string')
  await expect(store.compareAndSet('a', undefined, 5 as never)).rejects.toThrow(
    'next must be a string or undefined; received ',
  )
})
