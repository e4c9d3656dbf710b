/** Creates the tables of a Postgres sink. */
import type { Clock } from '@brokerwire/core'
import { clock, type FieldsOf, integer, port, readOptions } from '@brokerwire/core/internal'
import type { PostgresClientLike } from '@brokerwire/stores/postgres'
import { isRelayError, optionFailure } from '../relay-error.ts'
import { Database } from './database.ts'
import { eventsTable, migrationStatements, TABLES_VERSION } from './schema.ts'
import { sqlState } from './server-errors.ts'

/** Options of {@link postgresSinkMigration}. */
export interface PostgresSinkMigrationOptions {
  /** The table of events, with or without its schema. @defaultValue 'brokerwire_events' */
  readonly table?: string | undefined
}

/** Options of {@link migratePostgresSink}. They are read once. */
export interface MigratePostgresSinkOptions extends PostgresSinkMigrationOptions {
  /** A pool or client whose role may create tables. */
  readonly client: PostgresClientLike
  /** Time limit of each statement, milliseconds. @defaultValue 30_000 */
  readonly requestTimeoutMs?: number | undefined
  /** The clock of timers. @defaultValue the system clock */
  readonly clock?: Clock | undefined
}

const MIGRATION_OPTIONS = { table: eventsTable } satisfies FieldsOf<PostgresSinkMigrationOptions>
const OPTIONS = {
  ...MIGRATION_OPTIONS,
  client: port<PostgresClientLike>(['query']),
  requestTimeoutMs: integer({ min: 100, max: 600_000, default: 30_000 }),
  clock,
} satisfies FieldsOf<MigratePostgresSinkOptions>

/** Codes of a table or an index that another process has created in the meantime. */
const ALREADY_EXISTS = new Set(['23505', '42P07', '42710'])

/**
 * Returns the statements that create the tables, in one transaction, for your own migration tool.
 *
 * @throws RelayError `RELAY_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { postgresSinkMigration } from '@brokerwire/relay/postgres'
 *
 * console.log(postgresSinkMigration({ table: 'app.events' }))
 * ```
 */
export function postgresSinkMigration(options: PostgresSinkMigrationOptions = {}): string {
  const { table } = readOptions(optionFailure, options, MIGRATION_OPTIONS)
  return `BEGIN;\n${migrationStatements(table)
    .map((statement) => `${statement};\n`)
    .join('')}COMMIT;\n`
}

/** The result of {@link migratePostgresSink}. */
export interface PostgresSinkMigration {
  /** The version of the tables. */
  readonly version: number
  /** Whether this call has created them. */
  readonly isCreated: boolean
}

/**
 * Creates the tables if they do not exist. It may run twice, also at the same time. If the tables exist, it needs no right
 * to create any.
 *
 * @throws RelayError `RELAY_OPTION_INVALID`; `RELAY_SINK_UNAVAILABLE`; `RELAY_SINK_MISCONFIGURED` if a table of
 * another program has the name, or if the role may not create tables.
 *
 * @example
 * ```ts
 * import { type MigratePostgresSinkOptions, migratePostgresSink } from '@brokerwire/relay/postgres'
 *
 * declare const client: MigratePostgresSinkOptions['client']
 *
 * console.log(await migratePostgresSink({ client }))
 * ```
 */
export async function migratePostgresSink(given: MigratePostgresSinkOptions): Promise<PostgresSinkMigration> {
  const options = readOptions(optionFailure, given, OPTIONS)
  const { table } = options
  const database = new Database({ ...options, stream: `table ${table}` })
  const check = async (): Promise<boolean> => {
    try {
      await database.check()
      return true
    } catch (error) {
      const relayError = await database.toRelayError(error)
      const isMissing =
        isRelayError(relayError, 'RELAY_SINK_MISCONFIGURED') && relayError.details.received === 'none'
      if (!isMissing) throw relayError
      return false
    }
  }
  if (await check()) return { version: TABLES_VERSION, isCreated: false }
  let isCreated = true
  try {
    await database.runAll(migrationStatements(table))
  } catch (error) {
    if (!ALREADY_EXISTS.has(sqlState(error) ?? '')) throw await database.toRelayError(error)
    isCreated = false
  }
  if (!(await check())) throw new Error(`table ${table} must exist after its migration; it was dropped`)
  return { version: TABLES_VERSION, isCreated }
}
