/** The statements of one stream, over the caller's client: with a time limit for each, and with errors of this package. */
import type { Clock } from '@brokerwire/core'
import { isRecord, withTimeout } from '@brokerwire/core/internal'
import type { PostgresClientLike } from '@brokerwire/stores/postgres'
import { isRelayError, type RelayError } from '../relay-error.ts'
import { sinkUnavailable } from '../sink/sink-errors.ts'
import { parsePosition } from './rows.ts'
import { parseVersion, TABLES_VERSION, type Tables, tableNames } from './schema.ts'
import {
  encodingMismatch,
  readOnly,
  sqlState,
  tableMismatch,
  tableMissing,
  toRelayError,
  versionMismatch,
} from './server-errors.ts'
import { createStatements } from './statements.ts'

export interface DatabaseOptions {
  readonly client: PostgresClientLike
  /** The name of the stream. */
  readonly stream: string
  readonly table: string
  readonly requestTimeoutMs: number
  readonly clock: Clock
}

/** The row of a stream. */
export interface StreamState {
  /** The identity of the stream. */
  readonly streamId: string
  readonly lastPosition: number
  /** The id of the last batch. */
  readonly lastBatch: string
}

type Row = Readonly<Record<string, unknown>>

export class Database {
  readonly tables: Tables
  readonly statements
  readonly #options: DatabaseOptions

  constructor(options: DatabaseOptions) {
    this.#options = options
    this.tables = tableNames(options.table)
    this.statements = createStatements(options.table)
  }

  /**
   * Runs a statement.
   *
   * @throws The error of the client; RelayError `RELAY_SINK_UNAVAILABLE` after the time limit.
   */
  async run(text: string, ...params: string[]): Promise<readonly Row[]> {
    const { rows } = await this.#query(text, params)
    if (Array.isArray(rows) && rows.every(isRecord)) return rows
    throw sinkUnavailable(this.#options.stream, 'the client returned no rows')
  }

  /** Runs several statements without parameters as one transaction. @throws As {@link run}. */
  async runAll(statements: readonly string[]): Promise<void> {
    await this.#query(statements.join(';\n'), [])
  }

  /** Sends a query. After the time limit, the server may still complete it. */
  async #query(text: string, params: string[]): Promise<{ readonly rows: unknown }> {
    const { client, stream, clock, requestTimeoutMs } = this.#options
    let isLate = false
    const onTimeout = (): void => {
      isLate = true
    }
    try {
      return await withTimeout(
        clock,
        requestTimeoutMs,
        undefined,
        async () => client.query(text, params),
        onTimeout,
      )
    } catch (error) {
      throw isLate ? sinkUnavailable(stream, `no response within ${requestTimeoutMs} ms`) : error
    }
  }

  /** Calls a function, and converts its error. @throws RelayError. */
  async converted<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw await this.toRelayError(error)
    }
  }

  /** Converts an error of {@link run}. */
  async toRelayError(error: unknown): Promise<RelayError> {
    const { stream } = this.#options
    if (isRelayError(error)) return error
    if (sqlState(error) !== '42501') return toRelayError(stream, this.tables, error)
    const [row] = await this.run('SELECT quote_ident(current_user) AS role').catch(() => [])
    const role = typeof row?.role === 'string' ? row.role : undefined
    return toRelayError(stream, this.tables, error, role)
  }

  /**
   * Checks the server and the tables.
   *
   * @throws RelayError `RELAY_SINK_MISCONFIGURED`, `RELAY_SINK_UNAVAILABLE`; errors of the client.
   */
  async check(): Promise<void> {
    const { stream } = this.#options
    const [row = {}] = await this.run(this.statements.check, this.tables.events)
    if (typeof row.encoding === 'string' && row.encoding !== 'UTF8')
      throw encodingMismatch(stream, row.encoding)
    if (row.found !== true) throw tableMissing(stream, this.tables)
    const version = parseVersion(row.comment)
    if (version === undefined) throw tableMismatch(stream, this.tables, 'a table of another program')
    if (version !== TABLES_VERSION) throw versionMismatch(stream, this.tables, version)
    if (row.read_only === 'on') throw readOnly(stream)
  }

  /**
   * Reads the row of the stream.
   *
   * @returns `undefined` if the stream does not exist.
   * @throws RelayError `RELAY_SINK_UNAVAILABLE` if the server is read-only; errors of the client.
   */
  async readStream(): Promise<StreamState | undefined> {
    const { stream } = this.#options
    const [row] = await this.run(this.statements.stream, stream)
    if (row === undefined) return undefined
    const { stream_id, last_position, last_batch, read_only } = row
    const lastPosition = parsePosition(last_position)
    if (typeof stream_id !== 'string' || typeof last_batch !== 'string' || lastPosition === undefined)
      throw tableMismatch(stream, this.tables, 'other values')
    // A standby may be behind its primary.
    if (read_only === 'on') throw readOnly(stream)
    return { streamId: stream_id, lastPosition, lastBatch: last_batch }
  }
}
