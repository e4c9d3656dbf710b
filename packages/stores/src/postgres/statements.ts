/**
 * The SQL statements. Each statement is a transaction, and is sent without a name, because a pooler may run
 * each statement in another session. A lock is a row with an expiry. It is not an advisory lock, because
 * advisory locks belong to sessions, and behind a pooler all clients would get the same lock.
 */
import { quoteTable } from '@brokerwire/core/internal'

/** The statements for one table. Each statement returns a row if it took effect. */
export interface Statements {
  readonly check: string
  readonly get: string
  readonly keys: string
  readonly create: string
  readonly replace: string
  readonly remove: string
  readonly acquire: string
  readonly extend: string
  readonly release: string
}

/** The expiry is set by the server's clock, which is the same for all holders. */
const UNTIL = "clock_timestamp() + $3::float8 * interval '1 millisecond'"

export function createStatements(name: string): Statements {
  const table = quoteTable(name)
  return {
    check: `SELECT current_setting('server_encoding') AS encoding FROM (VALUES (1)) AS one
LEFT JOIN ${table} AS held ON held.key = held.value AND held.held_until = held.updated_at AND false`,
    get: `SELECT value FROM ${table} WHERE key = $1`,
    keys: `SELECT key FROM ${table} WHERE key LIKE 'value:%'`,
    create: `INSERT INTO ${table} (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING RETURNING 1 AS done`,
    replace: `UPDATE ${table} SET value = $3, updated_at = now() WHERE key = $1 AND value = $2 RETURNING 1 AS done`,
    remove: `DELETE FROM ${table} WHERE key = $1 AND value = $2 RETURNING 1 AS done`,
    acquire: `INSERT INTO ${table} AS held (key, value, held_until) VALUES ($1, $2, ${UNTIL})
ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, held_until = EXCLUDED.held_until, updated_at = now()
WHERE held.value = EXCLUDED.value OR held.held_until <= clock_timestamp() RETURNING 1 AS done`,
    extend: `UPDATE ${table} SET held_until = ${UNTIL}, updated_at = now() WHERE key = $1 AND value = $2 RETURNING 1 AS done`,
    release: `DELETE FROM ${table} WHERE key = $1 AND value = $2 RETURNING 1 AS done`,
  }
}
