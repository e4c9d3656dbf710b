/**
 * The one table, and how texts stand in it. Values and leases are rows of the same table, told apart by the first letters of
 * their keys. Postgres keeps every text but the character NUL, which is written as two others.
 */
import { readOptions, type Schema, string } from '@brokerwire/core/internal'
import { optionFailure } from '../stores-error.ts'

/** A name as it needs no quotes, with or without a schema before it. */
const TABLE = /^[a-z_][a-z0-9_]{0,62}(?:\.[a-z_][a-z0-9_]{0,62})?$/
const DEFAULT_TABLE = 'brokerwire_store'

/** A table that needs no quotes, with or without a schema. */
export const tableName: Schema<string> = string({
  pattern: TABLE,
  expected: 'a name of small letters, digits and _, with at most one dot between schema and table',
  isName: true,
  default: DEFAULT_TABLE,
})

/** The name as a statement has it: also a word of the language, such as `user`, is a table's there. */
export function quoteTable(table: string): string {
  return table
    .split('.')
    .map((part) => `"${part}"`)
    .join('.')
}

/** Options of {@link postgresMigration}. */
export interface PostgresMigrationOptions {
  /** The table, with or without its schema. @defaultValue 'brokerwire_store' */
  readonly table?: string | undefined
}

/**
 * The text that makes the table, one statement, for a migration tool of your own. It may run twice.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`.
 */
export function postgresMigration(options: PostgresMigrationOptions = {}): string {
  return `CREATE TABLE IF NOT EXISTS ${quoteTable(readOptions(optionFailure, options, { table: tableName }).table)} (
  key text COLLATE "C" PRIMARY KEY,
  value text NOT NULL,
  held_until timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now()
)`
}

/** Stands before itself and before the digit that stands for NUL. No text of ours has it. */
const ESCAPE = '\u0001'
const NUL = '\u0000'

/** The text as Postgres keeps it: itself, unless it has one of two characters that hardly any text has. */
export function toColumn(text: string): string {
  return text.replaceAll(ESCAPE, ESCAPE + ESCAPE).replaceAll(NUL, `${ESCAPE}0`)
}

/** The text that stands in a column; `undefined` where this store did not write it. */
export function fromColumn(column: string): string | undefined {
  if (!column.includes(ESCAPE)) return column
  let text = ''
  for (let at = 0; at < column.length; at += 1) {
    if (column[at] !== ESCAPE) {
      text += column[at]
      continue
    }
    at += 1
    if (column[at] !== ESCAPE && column[at] !== '0') return undefined
    text += column[at] === ESCAPE ? ESCAPE : NUL
  }
  return text
}
