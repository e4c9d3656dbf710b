/**
 * The table and the encoding of texts in it. Values and leases are rows of the same table with different key
 * prefixes. Postgres stores every character except NUL, which is written as two others.
 */
import { quoteTable, readOptions, type Schema, sqlTable } from '@brokerwire/core/internal'
import { optionFailure } from '../stores-error.ts'

/** The option `table`. */
export const tableName: Schema<string> = sqlTable({ default: 'brokerwire_store' })

/** Options of {@link postgresMigration}. */
export interface PostgresMigrationOptions {
  /** The table, with or without its schema. @defaultValue 'brokerwire_store' */
  readonly table?: string | undefined
}

/**
 * Returns the statement that creates the table, for your own migration tool. It may run twice.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { postgresMigration } from '@brokerwire/stores/postgres'
 *
 * console.log(postgresMigration({ table: 'app.brokerwire_store' }))
 * ```
 */
export function postgresMigration(options: PostgresMigrationOptions = {}): string {
  return `CREATE TABLE IF NOT EXISTS ${quoteTable(readOptions(optionFailure, options, { table: tableName }).table)} (
  key text COLLATE "C" PRIMARY KEY,
  value text NOT NULL,
  held_until timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now()
)`
}

/**
 * The escape character. It is written before itself and before the digit that represents NUL. Texts of this
 * toolkit do not contain it.
 */
const ESCAPE = '\u0001'
const NUL = '\u0000'

/** Encodes a text for Postgres. Only two rare characters are escaped. */
export function toColumn(text: string): string {
  return text.replaceAll(ESCAPE, ESCAPE + ESCAPE).replaceAll(NUL, `${ESCAPE}0`)
}

/** Decodes the text of a column; `undefined` if this store did not write it. */
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
