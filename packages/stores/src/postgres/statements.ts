/**
 * The statements: single ones without names, each a transaction of its own, so that they are right behind a pooler that
 * gives every statement another session. A lock is a row with a time; advisory locks belong to sessions, and behind a
 * pooler all clients are given the same one.
 */

import { quoteTable } from './schema.ts'

/** The texts, for one table. Each gives a row where it took effect. */
export interface Statements {
  readonly check: string
  readonly get: string
  readonly keys: string
  readonly create: string
  readonly replace: string
  readonly remove: string
  readonly take: string
  readonly prolong: string
  readonly giveBack: string
}

/** The server's clock counts, the same for all holders. */
const UNTIL = "clock_timestamp() + $3::float8 * interval '1 millisecond'"

export function statementsFor(name: string): Statements {
  const table = quoteTable(name)
  return {
    check: `SELECT current_setting('server_encoding') AS encoding FROM (VALUES (1)) AS one
LEFT JOIN ${table} AS held ON held.key = held.value AND held.held_until = held.updated_at AND false`,
    get: `SELECT value FROM ${table} WHERE key = $1`,
    keys: `SELECT key FROM ${table} WHERE key LIKE 'value:%'`,
    create: `INSERT INTO ${table} (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING RETURNING 1 AS done`,
    replace: `UPDATE ${table} SET value = $3, updated_at = now() WHERE key = $1 AND value = $2 RETURNING 1 AS done`,
    remove: `DELETE FROM ${table} WHERE key = $1 AND value = $2 RETURNING 1 AS done`,
    take: `INSERT INTO ${table} AS held (key, value, held_until) VALUES ($1, $2, ${UNTIL})
ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, held_until = EXCLUDED.held_until, updated_at = now()
WHERE held.value = EXCLUDED.value OR held.held_until <= clock_timestamp() RETURNING 1 AS done`,
    prolong: `UPDATE ${table} SET held_until = ${UNTIL}, updated_at = now() WHERE key = $1 AND value = $2 RETURNING 1 AS done`,
    giveBack: `DELETE FROM ${table} WHERE key = $1 AND value = $2 RETURNING 1 AS done`,
  }
}
