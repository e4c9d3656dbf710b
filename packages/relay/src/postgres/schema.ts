/**
 * The tables, and the statements that create them. Tables are versioned by the comment of the table of events,
 * so that a table of another program is never written.
 */
import { quoteTable, type Schema, sqlTable } from '@brokerwire/core/internal'

/** The version of the tables. A stored format: see docs/reference/stored-formats.md of the repository. */
export const TABLES_VERSION = 1

const STREAMS_SUFFIX = '_streams'
const INDEX_SUFFIX = '_subject'

/** The option `table`. The other names are the table's name and a suffix, and Postgres cuts names after 63 bytes. */
export const eventsTable: Schema<string> = sqlTable({
  default: 'brokerwire_events',
  maxLength: 63 - Math.max(STREAMS_SUFFIX.length, INDEX_SUFFIX.length),
})

/** The quoted names of the tables. */
export interface Tables {
  readonly events: string
  readonly streams: string
  /** The name of the index, which has no schema. */
  readonly index: string
  /** The channel of notifications: the name of the table without its schema. */
  readonly channel: string
}

/** Returns the quoted names for the option `table`. */
export function tableNames(table: string): Tables {
  const channel = table.slice(table.indexOf('.') + 1)
  return {
    events: quoteTable(table),
    streams: quoteTable(`${table}${STREAMS_SUFFIX}`),
    index: quoteTable(`${channel}${INDEX_SUFFIX}`),
    channel,
  }
}

const COMMENT = /^Events of brokerwire relays, version (\d{1,9})$/

/** Parses the version from the comment of a table; `undefined` if the table is another program's. */
export function parseVersion(comment: unknown): number | undefined {
  const found = typeof comment === 'string' ? COMMENT.exec(comment) : null
  return found === null ? undefined : Number(found[1])
}

/** Returns the statements that create the tables. They fail if a table of one of the names exists. */
export function migrationStatements(table: string): readonly string[] {
  const { events, streams, index } = tableNames(table)
  return [
    `CREATE TABLE ${events} (
  stream text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  subject text COLLATE "C" NOT NULL,
  key text NOT NULL,
  headers jsonb NOT NULL,
  body text,
  data bytea,
  ce_id text,
  ce_source text,
  ce_type text,
  ce_subject text,
  ce_time text,
  ce_datacontenttype text,
  stored_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (stream, position)
)`,
    `CREATE INDEX ${index} ON ${events} (stream, subject, position)`,
    // Each batch updates one row. Free space in the page lets Postgres do that without a new index entry.
    `CREATE TABLE ${streams} (
  stream text COLLATE "C" PRIMARY KEY,
  stream_id text NOT NULL,
  last_position bigint NOT NULL,
  last_batch text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50)`,
    `COMMENT ON TABLE ${events} IS 'Events of brokerwire relays, version ${TABLES_VERSION}'`,
  ]
}
