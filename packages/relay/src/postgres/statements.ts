/**
 * The SQL statements. Each is a transaction and is sent without a name, because a transaction pooler may run each
 * statement in another session. All parameters are strings.
 */
import { type Tables, tableNames } from './schema.ts'

export interface Statements {
  /** The state of the server and of the table. */
  readonly check: string
  /** The row of the stream. */
  readonly stream: string
  /** Creates the row of a stream, after the events that it has. */
  readonly createStream: string
  /** The position of the stream's last event. */
  readonly lastPosition: string
  /** Stores a batch if the stream ends at the expected position with the expected batch, and returns a row if it did. */
  readonly append: string
  /** A page of events, newest first. */
  readonly entries: string
  /** The last event of each filter. */
  readonly lastOf: string
}

/** The columns of an event, for reading. The bytes are base64, which all clients return in the same way. */
const COLUMNS = "e.position, e.subject, e.key, e.headers, e.body, encode(e.data, 'base64') AS data"
/** The values of an event in the JSON of a batch. `data` is base64. */
const RECORD =
  'subject text, key text, headers jsonb, body text, data text, ce_id text, ce_source text, ce_type text, ce_subject text, ce_time text, ce_datacontenttype text'
const CE_COLUMNS = 'ce_id, ce_source, ce_type, ce_subject, ce_time, ce_datacontenttype'

export function createStatements(table: string): Statements {
  const { events, streams, channel } = tableNames(table)
  return {
    check: `SELECT to_regclass($1) IS NOT NULL AS found, obj_description(to_regclass($1), 'pg_class') AS comment,
current_setting('server_encoding') AS encoding, current_setting('transaction_read_only') AS read_only`,
    stream: `SELECT stream_id, last_position, last_batch, current_setting('transaction_read_only') AS read_only
FROM ${streams} WHERE stream = $1`,
    createStream: `INSERT INTO ${streams} (stream, stream_id, last_position, last_batch)
SELECT $1, $2, coalesce(max(position), 0), '' FROM ${events} WHERE stream = $1
ON CONFLICT (stream) DO NOTHING`,
    lastPosition: `SELECT max(position) AS position FROM ${events} WHERE stream = $1`,
    // The UPDATE locks the row of the stream, so positions are committed in their order: a reader that has
    // read a position never finds a smaller one later.
    append: `WITH appended AS (
  UPDATE ${streams} SET last_position = last_position + $4::bigint, last_batch = $5, updated_at = now()
  WHERE stream = $1 AND last_position = $2::bigint AND last_batch = $3 RETURNING 1
), added AS (
  INSERT INTO ${events} (stream, position, subject, key, headers, body, data, ${CE_COLUMNS})
  SELECT $1, $2::bigint + ordinality, subject, key, headers, body, decode(data, 'base64'), ${CE_COLUMNS}
  FROM appended, ROWS FROM (json_to_recordset($6::json) AS (${RECORD})) WITH ORDINALITY
)
SELECT pg_notify('${channel}', $1 || ' ' || $2::bigint + $4::bigint) FROM appended`,
    entries: `SELECT ${COLUMNS} FROM ${events} AS e WHERE stream = $1 AND position <= $2::bigint
ORDER BY position DESC LIMIT $3::int`,
    lastOf: lastOfStatement({ events }),
  }
}

/**
 * Finds the last event of each filter. For each subject in the range of a filter, the index has the last position
 * as one entry, so the cost depends on the number of subjects and not on the number of events.
 */
function lastOfStatement({ events }: Pick<Tables, 'events'>): string {
  const last = (condition: string): string => `SELECT subject, position FROM ${events}
    WHERE stream = $1 AND position <= $2::bigint AND subject >= f.lower AND ${condition}
    ORDER BY subject DESC, position DESC LIMIT 1`
  return `SELECT f.number, ${COLUMNS}
FROM json_to_recordset($3::json) AS f(number int, lower text, upper text, pattern text)
CROSS JOIN LATERAL (
  WITH RECURSIVE subjects AS (
    (${last('subject < f.upper')})
    UNION ALL
    SELECT next.subject, next.position FROM subjects AS previous CROSS JOIN LATERAL (
    ${last('subject < previous.subject')}) AS next
  )
  SELECT max(position) AS position FROM subjects WHERE subject ~ f.pattern
) AS found
JOIN ${events} AS e ON e.stream = $1 AND e.position = found.position`
}
