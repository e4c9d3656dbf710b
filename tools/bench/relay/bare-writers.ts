/** Writers with the bare clients: each call stores one batch. */
import type { SinkEntry } from '@brokerwire/relay'
import { type JetStreamClient, jetstream } from '@nats-io/jetstream'
import { headers, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node'
import type { Pool } from 'pg'
import { createClient } from 'redis'
import { concurrently } from '../../ci/lib/concurrently.ts'

export type Write = (entries: readonly SinkEntry[]) => Promise<void>

/** Messages of JetStream that are sent and not acknowledged. */
export const IN_FLIGHT = 256

export function headersOf(entry: SinkEntry): MsgHdrs {
  const made = headers()
  for (const name in entry.headers) made.set(name, entry.headers[name] as string)
  return made
}

/** Publishes each message with `js.publish`. */
export function bareJetStream(connection: NatsConnection): Write {
  const js: JetStreamClient = jetstream(connection)
  return (entries) =>
    concurrently(entries, IN_FLIGHT, (entry) =>
      js.publish(entry.subject, entry.body, { headers: headersOf(entry), msgID: entry.key }),
    )
}

/** Inserts a batch with one statement. @param notifies - Whether the statement also notifies readers. */
export async function barePostgres(client: Pool, notifies: boolean): Promise<Write> {
  await client.query('CREATE TABLE bare (LIKE brokerwire_events INCLUDING ALL)')
  const insert = `INSERT INTO bare (stream, position, subject, key, headers, body)
SELECT 'bare', $1::bigint + ordinality, subject, key, headers, body
FROM ROWS FROM (json_to_recordset($2::json) AS (subject text, key text, headers jsonb, body text)) WITH ORDINALITY`
  const text = notifies
    ? `WITH stored AS (${insert} RETURNING position) SELECT pg_notify('bare', max(position)::text) FROM stored`
    : insert
  let position = 0
  return async (entries) => {
    const rows = entries.map(({ subject, key, headers, body }) => ({ subject, key, headers, body }))
    await client.query(text, [position, JSON.stringify(rows)])
    position += rows.length
  }
}

export type RedisClient = Awaited<ReturnType<typeof connectRedis>>

export const connectRedis = (url: string) => createClient({ url }).connect()

/** Adds a batch in one transaction. */
export function bareRedis(client: RedisClient, stream: string): Write {
  return async (entries) => {
    const transaction = client.multi()
    for (const { subject, key, headers, body } of entries)
      transaction.xAdd(stream, '*', { subject, key, headers: JSON.stringify(headers), body })
    await transaction.exec()
  }
}
