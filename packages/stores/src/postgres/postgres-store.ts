/**
 * A store in a table of Postgres, over the caller's own client. Every operation is one statement, so transaction poolers
 * and the Postgres proxies of Workers may stand before the server.
 */
import { type Clock, printable } from '@brokerwire/core'
import { type FieldsOf, omit, port, readOptions } from '@brokerwire/core/internal'
import type { ListedStore } from '../copy-store.ts'
import { corrupt, nameOf, textOf, unfit, type Verdict } from '../shared/failures.ts'
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
import { statementsFor } from './statements.ts'

/** A client of Postgres: `Pool` and `Client` of pg fit as they are, others by a line. */
export interface PostgresClientLike {
  /** Runs one statement with `$1`, `$2` ... and gives its rows. */
  query(text: string, params: string[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** Options of {@link createPostgresStore}. Read once. */
export interface PostgresStoreOptions extends SharedStoreOptions {
  /** What runs the statements: a pool, rather than one connection, so that a call need not wait for another one. */
  readonly client: PostgresClientLike
  /** The table, with or without its schema. @defaultValue 'brokerwire_store' */
  readonly table?: string | undefined
}

/** An index of Postgres takes 2704 bytes for an entry; of those some are its own. */
const MAX_KEY_BYTES = 2600
const MAX_VALUE_BYTES = 16 * 1024 * 1024

/**
 * Classes and states of errors of a server that will serve again: connection, resources, operator's intervention,
 * rollbacks, and a standby that may be promoted.
 */
const TRANSIENT = /^(08|40|53|57|58|25006|55P03)/
const SQL_STATE = /^[0-9A-Z]{5}$/

function judge(error: unknown): Verdict {
  const code = textOf(error, 'code') ?? ''
  // Five letters, such as EPIPE, are Node's. A state of SQL has a digit.
  if (!SQL_STATE.test(code) || !/\d/.test(code)) return { retryable: true, reason: nameOf(error) }
  return { retryable: TRANSIENT.test(code), reason: printable(code) }
}

async function ask(client: PostgresClientLike, text: string, params: string[]): Promise<readonly unknown[]> {
  const { rows } = await client.query(text, params)
  // An answer without rows is not a no: whoever wrote it did not compare.
  if (!Array.isArray(rows)) throw corrupt('the answer', 'expected rows')
  return rows
}

/** Runs what finds out whether the table is there. @throws `STORE_MISCONFIGURED` where it, or its database, is not as it has to be. */
async function requireTable(table: string, ask: () => Promise<readonly unknown[]>): Promise<void> {
  let rows: readonly unknown[]
  try {
    rows = await ask()
  } catch (error) {
    const code = textOf(error, 'code')
    // No table, no column, no schema.
    if (code !== '42P01' && code !== '42703' && code !== '3F000') throw error
    const isOther = code === '42703'
    throw unfit(
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
  // Another one takes the first texts, and refuses the first that has a letter which it does not know.
  if (typeof encoding === 'string' && encoding !== 'UTF8')
    throw unfit(
      { setting: 'server_encoding', expected: 'UTF8', received: printable(encoding, 40) },
      'Create the database with that encoding',
    )
}

const POSTGRES_STORE_OPTIONS = {
  ...SHARED_STORE_OPTIONS,
  client: port<PostgresClientLike>(['query']),
  table: tableName,
} satisfies FieldsOf<PostgresStoreOptions>

/**
 * Makes a store with `lock`. Sends nothing before its first call, and closes nothing: the client is the caller's. The table
 * is made by {@link migratePostgres}, or by {@link postgresMigration} in a migration of your own.
 *
 * The lock is a row with a time, by the server's clock, that its holder prolongs; a holder that is gone frees it by that,
 * and one that cannot prolong it learns it from `lost` before anybody else can have it.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`. Its calls reject with `STORE_UNAVAILABLE` (retryable) where the server
 * does not answer in time or cannot write now, with `STORE_MISCONFIGURED` where the table is missing or another one, with `STORE_IO`
 * where the server refuses, and with `STORE_CORRUPT` where a row is not what was written.
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
export function createPostgresStore(given: PostgresStoreOptions): SharedStore & ListedStore {
  const options = readOptions(optionFailure, given, POSTGRES_STORE_OPTIONS)
  const { client, table } = options
  const statements = statementsFor(table)

  const run = (text: string, params: string[]): Promise<readonly unknown[]> => ask(client, text, params)
  const took = async (call: SharedCall, text: string, ...params: string[]): Promise<boolean> => {
    for (;;) {
      try {
        return (await run(text, params)).length > 0
      } catch (error) {
        // With repeatable reads the loser of a race is told this in place of no row, and nothing was done.
        if (textOf(error, 'code') !== '40001') throw error
        call.goOn()
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
      if (text === undefined) throw corrupt(table, 'a value that this store did not write')
      return text
    },
    async compareAndSet(key, expected, next, call) {
      const name = `value:${toColumn(key)}`
      if (expected === undefined)
        return next === undefined
          ? (await run(statements.get, [name])).length === 0
          : took(call, statements.create, name, toColumn(next))
      return next === undefined
        ? took(call, statements.remove, name, toColumn(expected))
        : took(call, statements.replace, name, toColumn(expected), toColumn(next))
    },
    taker(key, token, leaseMs) {
      const name = `lease:${toColumn(key)}`
      const length = String(leaseMs)
      return {
        take: (call) => took(call, statements.take, name, token, length),
        prolong: (call) => took(call, statements.prolong, name, token, length),
        giveBack: () => run(statements.giveBack, [name, token]),
      }
    },
    judge,
  })
  return {
    ...store,
    keys: () =>
      within('keys', async () => {
        const rows = (await run(statements.keys, [])) as readonly { readonly key?: unknown }[]
        return rows.map(({ key }) => {
          const text = typeof key === 'string' ? fromColumn(key.slice('value:'.length)) : undefined
          if (text === undefined) throw corrupt(table, 'a key that this store did not write')
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
   * How long the whole of it may take, in milliseconds, before it fails with `STORE_UNAVAILABLE`: 100 to 600,000.
   * @defaultValue 5000
   */
  readonly timeoutMs?: number | undefined
  /** Times the deadline. @defaultValue systemClock */
  readonly clock?: Clock | undefined
}

/** Two processes that make the same table at once: one of them may be told that it is there already. */
const IS_THERE = new Set(['23505', '42P07', '42710'])

/**
 * Makes the table where it is missing. May run twice, also at the same time, and by a user that may not make tables where
 * the table is there; a user that may not and has none runs {@link postgresMigration} with another one.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`; `STORE_UNAVAILABLE` (retryable) where the server does not answer in
 * time, `STORE_MISCONFIGURED` where another table has the name, `STORE_IO` where the server refuses.
 */
export async function migratePostgres(given: MigratePostgresOptions): Promise<void> {
  const options = readOptions(optionFailure, given, omit(POSTGRES_STORE_OPTIONS, 'leaseMs'))
  const { client, table } = options
  const { check } = statementsFor(table)
  const { within } = createDeadline(options, { check: async () => {}, judge })
  const look = (): Promise<void> => requireTable(table, () => ask(client, check, []))
  await within('migratePostgres', async (call) => {
    try {
      // First: where the table is there, nothing else is asked of the server, and no right to make one.
      return await look()
    } catch (error) {
      if (!isStoresError(error, 'STORE_MISCONFIGURED') || error.details.received !== 'none') throw error
    }
    call.goOn()
    try {
      await client.query(postgresMigration({ table }), [])
    } catch (error) {
      if (!IS_THERE.has(textOf(error, 'code') ?? '')) throw error
    }
    call.goOn()
    await look()
  })
}
