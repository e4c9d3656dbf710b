/** Names of tables in SQL: names that need no quotes, with or without a schema. */
import { type Schema, string } from './schema.ts'

/**
 * Schema of a table's name.
 *
 * @param limits - `maxLength` is the maximum length of the name without its schema. Postgres cuts names after 63 bytes.
 */
export function sqlTable(limits: { readonly default: string; readonly maxLength?: number }): Schema<string> {
  const { default: fallback, maxLength = 63 } = limits
  return string({
    pattern: new RegExp(`^(?:[a-z_][a-z0-9_]{0,62}\\.)?[a-z_][a-z0-9_]{0,${maxLength - 1}}$`),
    expected: 'a name of lower-case letters, digits and _, with at most one dot between schema and table',
    isName: true,
    default: fallback,
  })
}

/** Quotes a name, because it may be a reserved word such as `user`. */
export function quoteTable(table: string): string {
  return table
    .split('.')
    .map((part) => `"${part}"`)
    .join('.')
}
