/**
 * A store in a Postgres table, over your own client. Every operation is one statement, so it works behind
 * transaction poolers and the Postgres proxies of Workers.
 */
import { type Clock, escapeControlChars } from '@brokerwire/core'
import { type FieldsOf, omit, port, readOptions } from '@brokerwire/core/internal'
import type { ListableStore } from '../copy-store.ts'
import { corrupt, errorLabel, type FailureClass, misconfigured, stringProperty } from '../shared/failures.ts'
import {
  createDeadline,
  createSharedCalls,
  requireAtMost,
  SHARED_STORE_OPTIONS,
  type SharedCall,
  type SharedStore,
  type SharedStoreOptions,
} from '../shared/shared-store.ts'
import { isStoresError, optionFailure } from '../stores-error.ts'
import {
  fromColumn,
  type PostgresMigrationOptions,
  postgresMigration,
  tableName,
  toColumn,
} from './schema.ts'
import { createStatements } from './statements.ts'

/** A Postgres client: `Pool` and `Client` of pg fit directly, others with a small adapter. */
export interface PostgresClientLike {
  /** Runs one statement with the parameters `$1`, `$2` and so on, and returns its rows. */
  query(text: string, params: string[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** Options of {@link createPostgresStore}. Read once. */
export interface PostgresStoreOptions extends SharedStoreOptions {
  /** Runs the statements. Use a pool rather than one connection, so that calls do not wait for each other. */
  readonly client: PostgresClientLike
  /** The table, with or without its schema. @defaultValue 'brokerwire_store' */
  readonly table?: string | undefined
}

/** Maximum size of a key. An index entry of Postgres has at most 2704 bytes, some of which are overhead. */
const MAX_KEY_BYTES = 2600
const MAX_VALUE_BYTES = 16 * 1024 * 1024

/**
 * Classes and codes of errors after which the server will work again: connection, resources, operator intervention,
 * rollbacks, and a standby that may be promoted.
 */
const TRANSIENT = /^(08|40|53|57|58|25006|55P03)/
const SQL_STATE = /^[0-9A-Z]{5}$/

function classifyError(error: unknown): FailureClass {
  const code = stringProperty(error, 'code') ?? ''
  // Codes of five letters, such as EPIPE, come from Node. An SQLSTATE contains a digit.
  if (!SQL_STATE.test(code) || !/\d/.test(code)) return { retryable: true, reason: errorLabel(error) }
  return { retryable: TRANSIENT.test(code), reason: escapeControlChars(code) }
}

async function ask(client: PostgresClientLike, text: string, params: string[]): Promise<readonly unknown[]> {
  const { rows } = await client.query(text, params)
  // A response without rows must not count as `false`, because the comparison was not made.
  if (!Array.isArray(rows)) throw corrupt('the response', 'expected rows')
  return rows
}

/**
 * Checks that the table exists.
 *
 * @throws `STORE_MISCONFIGURED` if the table or its database does not have the required form.
 */
async function requireTable(table: string, ask: () => Promise<readonly unknown[]>): Promise<void> {
  let rows: readonly unknown[]
  try {
    rows = await ask()
  } catch (error) {
    const code = stringProperty(error, 'code')
    // These codes mean that the table, a column or the schema does not exist.
    if (code !== '42P01' && code !== '42703' && code !== '3F000') throw error
    const isOther = code === '42703'
    throw misconfigured(
      {
        setting: `table ${table}`,
        expected: 'the table that the migration makes',
        received: isOther ? 'another one' : 'none',
      },
      isOther
        ? 'Name another table with the option "table", and run migratePostgres() once'
        : 'Run migratePostgres() once',
      `table "${table}" ${isOther ? 'has other columns than those of this store' : 'does not exist'}`,
    )
  }
  const { encoding } = (rows[0] ?? {}) as { readonly encoding?: unknown }
  // Other encodings reject characters that they do not contain.
  if (typeof encoding === 'string' && encoding !== 'UTF8')
    throw misconfigured(
      { setting: 'server_encoding', expected: 'UTF8', received: escapeControlChars(encoding, 40) },
      'Create the database with that encoding',
    )
}

const POSTGRES_STORE_OPTIONS = {
  ...SHARED_STORE_OPTIONS,
  client: port<PostgresClientLike>(['query']),
  table: tableName,
} satisfies FieldsOf<PostgresStoreOptions>

/**
 * Creates a store with `lock`. It sends nothing before its first call and does not close your client. {@link
 * migratePostgres} creates the table, or {@link postgresMigration} in your own migration.
 *
 * The lock is a row with an expiry by the server's clock, which its holder extends. If the holder is gone, the row
 * expires. A holder that cannot extend it is notified by `lost` before another process can acquire the lock.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`. Its calls reject with:
 * - `STORE_UNAVAILABLE` (retryable) if the server does not respond in time or cannot write now
 * - `STORE_MISCONFIGURED` if the table does not exist or has other columns
 * - `STORE_IO` if the server rejects the statement
 * - `STORE_CORRUPT` if a row was not written by this store
 *
 * @example
 * ```ts
 * import { createPostgresStore, type PostgresStoreOptions } from '@brokerwire/stores/postgres'
 *
 * declare const options: PostgresStoreOptions
 *
 * const store = createPostgresStore(options)
 * console.log(await store.get('greeting'))
 * ```
 */
export function createPostgresStore(given: PostgresStoreOptions): SharedStore & ListableStore {
  const options = readOptions(optionFailure, given, POSTGRES_STORE_OPTIONS)
  const { client, table } = options
  const statements = createStatements(table)

  const run = (text: string, params: string[]): Promise<readonly unknown[]> => ask(client, text, params)
  const affectsRow = async (call: SharedCall, text: string, ...params: string[]): Promise<boolean> => {
    for (;;) {
      try {
        return (await run(text, params)).length > 0
      } catch (error) {
        // With repeatable reads, a writer that was slower than another one gets this error instead of no row.
        // It has written nothing.
        if (stringProperty(error, 'code') !== '40001') throw error
        call.continue()
      }
    }
  }

  const { within, ...store } = createSharedCalls(options, {
    check: () => requireTable(table, () => run(statements.check, [])),
    limit(key, next) {
      requireAtMost(optionFailure, 'key', key, MAX_KEY_BYTES)
      if (next !== undefined) requireAtMost(optionFailure, 'next', next, MAX_VALUE_BYTES)
    },
    async get(key) {
      const [row] = await run(statements.get, [`value:${toColumn(key)}`])
      if (row === undefined) return undefined
      const { value } = row as { readonly value?: unknown }
      const text = typeof value === 'string' ? fromColumn(value) : undefined
      if (text === undefined) throw corrupt(table, 'contains a value that this store did not write')
      return text
    },
    async compareAndSet(key, expected, next, call) {
      const name = `value:${toColumn(key)}`
      if (expected === undefined)
        return next === undefined
          ? (await run(statements.get, [name])).length === 0
          : affectsRow(call, statements.create, name, toColumn(next))
      return next === undefined
        ? affectsRow(call, statements.remove, name, toColumn(expected))
        : affectsRow(call, statements.replace, name, toColumn(expected), toColumn(next))
    },
    leaseClient(key, token, leaseMs) {
      const name = `lease:${toColumn(key)}`
      const length = String(leaseMs)
      return {
        acquire: (call) => affectsRow(call, statements.acquire, name, token, length),
        extend: (call) => affectsRow(call, statements.extend, name, token, length),
        release: () => run(statements.release, [name, token]),
      }
    },
    classifyError,
  })
  return {
    ...store,
    keys: () =>
      within('keys', async () => {
        const rows = (await run(statements.keys, [])) as readonly { readonly key?: unknown }[]
        return rows.map(({ key }) => {
          const text = typeof key === 'string' ? fromColumn(key.slice('value:'.length)) : undefined
          if (text === undefined) throw corrupt(table, 'contains a key that this store did not write')
          return text
        })
      }),
  }
}

/** Options of {@link migratePostgres}. */
export interface MigratePostgresOptions extends PostgresMigrationOptions {
  /** A pool or client whose user may create tables. */
  readonly client: PostgresClientLike
  /**
   * Time limit of the whole migration in milliseconds, 100 to 600,000. After it the call fails with
   * `STORE_UNAVAILABLE`.
   * @defaultValue 5000
   */
  readonly timeoutMs?: number | undefined
  /** Source of time and timers. @defaultValue systemClock */
  readonly clock?: Clock | undefined
}

/** If two processes create the same table at once, one of them gets one of these errors. */
const ALREADY_EXISTS = new Set(['23505', '42P07', '42710'])

/**
 * Creates the table if it does not exist. It may run twice, also concurrently. A user without the right to create
 * tables may run it if the table exists; otherwise run {@link postgresMigration} as another user.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`; `STORE_UNAVAILABLE` (retryable) if the server does not
 * respond in time; `STORE_MISCONFIGURED` if another table has the name; `STORE_IO` if the server rejects a
 * statement.
 *
 * @example
 * ```ts
 * import { type MigratePostgresOptions, migratePostgres } from '@brokerwire/stores/postgres'
 *
 * declare const client: MigratePostgresOptions['client']
 *
 * await migratePostgres({ client })
 * ```
 */
export async function migratePostgres(given: MigratePostgresOptions): Promise<void> {
  const options = readOptions(optionFailure, given, omit(POSTGRES_STORE_OPTIONS, 'leaseMs'))
  const { client, table } = options
  const { check } = createStatements(table)
  const { within } = createDeadline(options, { check: async () => {}, classifyError })
  const checkTable = (): Promise<void> => requireTable(table, () => ask(client, check, []))
  await within('migratePostgres', async (call) => {
    try {
      // The table is checked first, because no right to create one is needed if it exists.
      return await checkTable()
    } catch (error) {
      if (!isStoresError(error, 'STORE_MISCONFIGURED') || error.details.received !== 'none') throw error
    }
    call.continue()
    try {
      await client.query(postgresMigration({ table }), [])
    } catch (error) {
      if (!ALREADY_EXISTS.has(stringProperty(error, 'code') ?? '')) throw error
    }
    call.continue()
    await checkTable()
  })
}
