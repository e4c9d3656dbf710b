/**
 * Errors of a server, converted to errors of this package. Only the codes of a client's error are kept, because
 * its message may quote an event or a connection string.
 */
import { escapeControlChars } from '@brokerwire/core'
import { isRecord } from '@brokerwire/core/internal'
import { isRelayError, RelayError } from '../relay-error.ts'
import type { Oversize } from '../sink/event-sink.ts'
import { sinkMisconfigured, sinkUnavailable } from '../sink/sink-errors.ts'
import { TABLES_VERSION, type Tables } from './schema.ts'

/** The command that creates the tables. */
const MIGRATE = 'brokerwire relay --config FILE --migrate'

/** Codes after which the same statement may succeed later, with the reason and its remedy. */
const TRANSIENT_REASONS: Readonly<Record<string, string>> = {
  '25006':
    'the server is read-only. Promote the standby with SELECT pg_promote(), name the primary in the connection string, or set default_transaction_read_only = off',
  '53100':
    'the disk of the server is full. Free space on it, or delete old events: see "Retention" in docs/guides/relay-postgres.md',
  '53200': 'the server is out of memory',
  '53300': 'the server has too many connections. Raise max_connections, or use a pooler',
  '57014': 'the server canceled the statement, for example because of statement_timeout',
  '57P01': 'the server is shutting down',
  '57P02': 'the server is restarting after a crash',
  '57P03': 'the server is starting',
}
/** Classes of errors after which the same statement may succeed later. */
const TRANSIENT = /^(?:08|40|53|55P03|57|58)/
/** Codes of a rejected connection. */
const REJECTED = /^(?:28|3D000)/
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/

export const UNIQUE_VIOLATION = '23505'

/** Returns the SQLSTATE of a client's error; `undefined` if the server did not report the error. */
export function sqlState(error: unknown): string | undefined {
  const code = isRecord(error) || error instanceof Error ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' && SQL_STATE.test(code) ? code : undefined
}

/**
 * Converts an error of the client.
 *
 * @param user - The role of the connection, if it is known.
 */
export function toRelayError(stream: string, tables: Tables, error: unknown, user = 'ROLE'): RelayError {
  if (isRelayError(error)) return error
  const code = sqlState(error)
  if (code === undefined) return sinkUnavailable(stream, `the server did not respond: ${clientReason(error)}`)
  const { events, streams } = tables
  if (TRANSIENT.test(code) || code in TRANSIENT_REASONS)
    return sinkUnavailable(stream, `${TRANSIENT_REASONS[code] ?? 'the server reported an error'} (${code})`)
  if (code === '42P01' || code === '3F000') return tableMissing(stream, tables)
  if (code === '42703' || code === '42804' || code === '42P10') return tableMismatch(stream, tables, code)
  if (code === '42501') {
    const command = `GRANT SELECT, INSERT, DELETE ON ${events} TO ${user}; GRANT SELECT, INSERT, UPDATE ON ${streams} TO ${user}`
    const text = `the role of the connection must be allowed to write ${events} and ${streams}; received ${code}. Run as their owner`
    const mismatch = { setting: 'privileges', expected: 'SELECT, INSERT, UPDATE and DELETE', received: code }
    return sinkMisconfigured(stream, text, { ...mismatch, command })
  }
  if (REJECTED.test(code)) {
    const isDatabase = code === '3D000'
    const expected = isDatabase ? 'a database that exists' : 'a role and a password that the server accepts'
    const text = `the connection string must name ${expected}; received ${code}. ${isDatabase ? 'Create the database with createdb, or correct the connection string' : 'Correct the connection string'}.`
    return sinkMisconfigured(stream, text, { setting: 'connection', expected, received: code })
  }
  const text = `the statements of ${stream} must be accepted by the server; received ${code}. Look at the log of the server.`
  return sinkMisconfigured(stream, text, {
    setting: 'statement',
    expected: 'a statement that the server accepts',
    received: code,
  })
}

/** Returns the name and the code of an error of the client or of Node. */
function clientReason(error: unknown): string {
  if (!(error instanceof Error)) return 'an error'
  const { name, code } = error as Error & { readonly code?: unknown }
  return escapeControlChars(typeof code === 'string' ? `${name} ${code}` : name, 100)
}

export function tableMissing(stream: string, { events }: Tables): RelayError {
  const text = `table ${events} must exist; received none. Create it`
  const mismatch = { setting: `table ${events}`, expected: 'a table of this name', received: 'none' }
  return sinkMisconfigured(stream, text, { ...mismatch, command: MIGRATE })
}

/** Creates the error of a table that the migration did not create, or that was changed. */
export function tableMismatch(stream: string, { events }: Tables, received: string): RelayError {
  const text = `table ${events} must be the table of the migration; received ${received}. Name another table with the option "table" (in a configuration sink.table), and create it`
  const mismatch = { setting: `table ${events}`, expected: 'the table of the migration', received }
  return sinkMisconfigured(stream, text, { ...mismatch, command: MIGRATE })
}

/** Creates the error of tables of another version. */
export function versionMismatch(stream: string, { events }: Tables, version: number): RelayError {
  const isNewer = version > TABLES_VERSION
  const advice = isNewer ? 'Update @brokerwire/relay here.' : 'Run'
  const text = `table ${events} must have version ${TABLES_VERSION}; received ${version}. ${advice}`
  return sinkMisconfigured(stream, text, {
    setting: `version of ${events}`,
    expected: String(TABLES_VERSION),
    received: String(version),
    command: isNewer ? undefined : MIGRATE,
  })
}

/** Creates the error of a database that cannot store every character. */
export function encodingMismatch(stream: string, received: string): RelayError {
  const text = `the encoding of the database must be UTF8; received ${escapeControlChars(received, 40)}. Create another one, and name it in the connection string`
  return sinkMisconfigured(stream, text, {
    setting: 'server_encoding',
    expected: 'UTF8',
    received: escapeControlChars(received, 40),
    command: "CREATE DATABASE brokerwire ENCODING 'UTF8' TEMPLATE template0",
  })
}

/** Creates the error of a message that is longer than the sink accepts. */
export function eventOversized(stream: string, { messageBytes, maxBytes }: Oversize): RelayError {
  const text = `a message must have at most ${maxBytes} bytes (maxMessageBytes of the sink); received ${messageBytes}. Raise maxMessageBytes.`
  return new RelayError('RELAY_EVENT_OVERSIZED', text, {
    details: { stream, messageBytes, maxBytes, configuration: undefined },
  })
}

/** Creates the error of a server that accepts no writes now. */
export function readOnly(stream: string): RelayError {
  return sinkUnavailable(stream, `${TRANSIENT_REASONS['25006']} (25006)`)
}

/**
 * Creates the error of events after the last position of the stream, which another program wrote, or which were
 * restored without the table of streams.
 */
export function positionMismatch(stream: string, { events, streams }: Tables, position: number): RelayError {
  const command = `UPDATE ${streams} SET last_position = (SELECT max(position) FROM ${events} WHERE stream = '${stream}') WHERE stream = '${stream}'`
  const text = `the last position of ${stream} in ${streams} must be that of its last event, ${position}; received a smaller one. Only relays may write these tables. If a backup was restored in part, run`
  return sinkMisconfigured(stream, text, {
    setting: `last_position in ${streams}`,
    expected: String(position),
    received: 'a smaller position',
    command,
  })
}
