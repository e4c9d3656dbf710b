/** The pool of connections to Postgres, and its tables. Loaded only if the configuration uses Postgres. */
import { escapeControlChars, type Secret, type Store, systemClock } from '@brokerwire/core'
import { type RelayConfig, RelayError, type RelaySinkConfig } from '@brokerwire/relay'
import { migratePostgresSink, postgresSinkMigration } from '@brokerwire/relay/postgres'
import { isStoresError } from '@brokerwire/stores'
import { createPostgresStore, migratePostgres, postgresMigration } from '@brokerwire/stores/postgres'
import { Pool } from 'pg'
import { type CliError, optionError } from '../cli-error.ts'
import type { GuardedIo } from '../io.ts'
import { nameConfigFile } from './config-file-name.ts'
import type { RelayLog } from './log.ts'
import type { ReadSecret } from './read-secret.ts'
import { retryForever } from './retry-forever.ts'
import { parseServerUrl } from './server-url.ts'

/** Configuration of Postgres. */
export type PostgresConfig = Extract<RelaySinkConfig, { readonly type: 'postgres' }>

/** Time limit of one attempt to connect. */
const CONNECT_MS = 5000
/**
 * After this time, the client closes a connection whose server does not respond. It is longer than the time limit of
 * a statement of the sink, so that the sink reports the reason.
 */
const QUERY_MS = 6000
/** How long the end waits for statements that are running. */
const CLOSE_MS = 1000
/** Codes of a role, a password or a database that the server rejects. */
const REJECTED = /^(?:28|3D000)/

/** The address of a server, which contains no secret. */
interface Target {
  readonly connectionString: string
  /** Host and port. */
  readonly server: string
}

/**
 * Reads the connection string. The password is removed from all log lines.
 *
 * @throws CliError `CLI_OPTION_INVALID` if it is invalid; RelayError if it cannot be read.
 */
export async function readConnection(
  { connection }: PostgresConfig,
  readSecret: ReadSecret,
  keepSecret: (secret: string) => void,
): Promise<Target> {
  const secret: Secret = await readSecret('sink.connection', connection)
  const connectionString = secret.reveal()
  const schemes = ['postgres:', 'postgresql:']
  const parsed = parseServerUrl(connectionString, { schemes, port: 5432, keepSecret })
  if (parsed === undefined)
    throw optionError(
      'sink.connection',
      'must be a connection string such as postgres://ROLE:PASSWORD@HOST:5432/DATABASE',
    )
  return { connectionString, server: parsed.server }
}

/** Creates a pool. It connects with its first statement. */
export function createPool({ connectionString }: Target, config: RelayConfig): Pool {
  const pool = new Pool({
    connectionString,
    // Each app has one statement at a time. Probes, the retention and the store need connections too.
    max: Math.min(20, config.apps.length + 3),
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
    application_name: `brokerwire relay ${config.cluster}`,
  })
  // Without a listener, an idle connection that breaks would end the process.
  pool.on('error', () => {})
  return pool
}

/** Ends a pool. Does not wait for a server that does not respond. */
export async function endPool(pool: Pool): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS)
  })
  await Promise.race([pool.end().catch(() => {}), late])
  clearTimeout(timer)
}

/**
 * Waits for the server, without a time limit.
 *
 * @throws CliError `CLI_OPTION_INVALID` if the server rejects the connection; the signal's reason.
 */
export async function waitForServer(
  pool: Pool,
  { server }: Target,
  log: RelayLog,
  { signal }: Pick<GuardedIo, 'signal'>,
): Promise<void> {
  const readVersion = async (): Promise<unknown> =>
    (await pool.query("SELECT current_setting('server_version') AS version")).rows[0]?.version
  const version = await retryForever(readVersion, {
    clock: systemClock,
    signal,
    throwIfPermanent(error) {
      if (REJECTED.test(errorCode(error) ?? '')) throw connectionRejected(error)
    },
    onFailure: (error, waitedMs) =>
      log.write('postgres.unreachable', { server, reason: reasonOf(error), waitedMs }),
  })
  log.write('postgres.connected', { server, version })
}

/**
 * Creates a store, and checks that its table exists.
 *
 * @param configFile - The configuration file, for the command that creates the table.
 * @throws RelayError `RELAY_SINK_MISCONFIGURED` if it is missing; StoresError.
 */
export async function openStore(pool: Pool, table: string, configFile: string): Promise<Store> {
  const store = createPostgresStore({ client: pool, table })
  try {
    await store.ready()
  } catch (error) {
    if (isStoresError(error, 'STORE_MISCONFIGURED') && error.details.received === 'none') {
      const command = nameConfigFile('brokerwire relay --config FILE --migrate', configFile)
      const details = { stream: table, setting: 'table', expected: 'a table of this name', received: 'none' }
      const text = `table ${table} must exist; received none. Create it with ${command}`
      throw new RelayError('RELAY_SINK_MISCONFIGURED', text, { details: { ...details, command } })
    }
    // While the server is not available, the relay retries its calls of the store.
    if (!isStoresError(error, 'STORE_UNAVAILABLE')) throw error
  }
  return store
}

/**
 * Creates the tables of the sink, and that of the store if it is in Postgres.
 *
 * @throws RelayError, StoresError; CliError if the server rejects the connection.
 */
export async function migrate(
  config: RelayConfig,
  sink: PostgresConfig,
  readSecret: ReadSecret,
  log: RelayLog,
): Promise<void> {
  const pool = createPool(await readConnection(sink, readSecret, log.keepSecret), config)
  try {
    const { table } = sink
    const { version, isCreated } = await migratePostgresSink({ client: pool, table })
    log.write('relay.migrated', { table, version, isCreated })
    if (config.store.type !== 'postgres') return
    await migratePostgres({ client: pool, table: config.store.table })
    log.write('relay.migrated', { table: config.store.table })
  } finally {
    await endPool(pool)
  }
}

/** Returns the statements of {@link migrate}. */
export function migrationSql({ store }: RelayConfig, { table }: PostgresConfig): string {
  const storeSql = store.type === 'postgres' ? `${postgresMigration({ table: store.table })};\n` : ''
  return `${postgresSinkMigration({ table })}${storeSql}`
}

function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as Error & { readonly code?: unknown }).code : undefined
  return typeof code === 'string' ? code : undefined
}

/** Returns the name and the code of an error. Its message may contain the connection string. */
function reasonOf(error: unknown): string {
  const name = error instanceof Error ? error.name : 'an error'
  const code = errorCode(error)
  return escapeControlChars(code === undefined ? name : `${name} ${code}`, 100)
}

function connectionRejected(error: unknown): CliError {
  const code = errorCode(error)
  const expected =
    code === '3D000' ? 'a database that exists' : 'a role and a password that the server accepts'
  return optionError('sink.connection', `must have ${expected}; received SQLSTATE ${code}`)
}
