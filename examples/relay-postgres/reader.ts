/**
 * Reads the events of an app from the table of a relay, and applies each exactly once to its own tables: the
 * position of the reader is written in the same transaction as the effect of the events.
 */
import { setTimeout } from 'node:timers/promises'
import { payloads } from '@brokerwire/payloads'
import { parseItem } from '@brokerwire/relay'
import { Client, Pool, type PoolClient } from 'pg'

const { DATABASE_URL, STREAM = 'brokerwire_sandbox_us_team-a' } = process.env
const BATCH = 100
/** Without a notification, the table is read again after this time. */
const POLL_MS = 5000

const pool = new Pool({ connectionString: DATABASE_URL })
pool.on('error', (error) => console.error('postgres:', error.name))
await pool.query(`
  CREATE TABLE IF NOT EXISTS billing_reader (stream text PRIMARY KEY, position bigint NOT NULL);
  CREATE TABLE IF NOT EXISTS billing_event (position bigint PRIMARY KEY, kind text NOT NULL, body text NOT NULL)`)
await pool.query('INSERT INTO billing_reader VALUES ($1, 0) ON CONFLICT DO NOTHING', [STREAM])

/** Applies the next events in one transaction. @returns Their number. */
async function applyNext(client: PoolClient): Promise<number> {
  // The lock makes a second process of this program wait, so each event is applied by one of them.
  const reader = await client.query('SELECT position FROM billing_reader WHERE stream = $1 FOR UPDATE', [
    STREAM,
  ])
  const last = Number(reader.rows[0].position)
  const { rows } = await client.query(
    `SELECT position, subject, headers, body, data FROM brokerwire_events
     WHERE stream = $1 AND position > $2 ORDER BY position LIMIT ${BATCH}`,
    [STREAM, last],
  )
  if (rows.length === 0) return 0
  // The retention has deleted events that this program did not read.
  if (Number(rows[0].position) > last + 1) console.log(`missing ${last + 1} to ${rows[0].position - 1}`)
  for (const { position, subject, headers, body, data } of rows) {
    const message = {
      subject,
      getHeader: (name: string) => headers[name],
      // The body is in "data" if it is not a text for Postgres.
      body: body ?? data.toString(),
      data: data ?? undefined,
    }
    const item = parseItem(message, payloads, () => {})
    if (item.type === 'event')
      await client.query('INSERT INTO billing_event VALUES ($1, $2, $3)', [position, item.kind, item.payload])
    else console.log(`${item.type} ${item.kind}`)
  }
  await client.query('UPDATE billing_reader SET position = $2 WHERE stream = $1', [
    STREAM,
    rows.at(-1)?.position,
  ])
  return rows.length
}

async function applyAll(): Promise<void> {
  for (let count = BATCH; count === BATCH; ) {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      count = await applyNext(client)
      await client.query('COMMIT')
      client.release()
      if (count > 0) console.log(`applied ${count}`)
    } catch (error) {
      // The pool closes the connection, which rolls back the transaction.
      client.release(true)
      throw error
    }
  }
}

/** Notifications wake the reader. Polling finds the events of notifications that a lost connection missed. */
async function listen(onNotification: () => void): Promise<never> {
  for (;;) {
    const listener = new Client({ connectionString: DATABASE_URL, keepAlive: true })
    const lost = new Promise<void>((resolve) => {
      listener.on('error', () => resolve())
      listener.on('end', () => resolve())
    })
    listener.on('notification', onNotification)
    try {
      await listener.connect()
      await listener.query('LISTEN brokerwire_events')
      await lost
    } catch (error) {
      console.error('not listening:', error instanceof Error ? error.name : error)
    }
    await listener.end().catch(() => {})
    await setTimeout(POLL_MS)
  }
}

let wake = new AbortController()
void listen(() => wake.abort())
console.log('reading')
for (;;) {
  wake = new AbortController()
  const woken = setTimeout(POLL_MS, undefined, wake).catch(() => {})
  await applyAll().catch((error: Error) => console.error('again in a few seconds:', error.name))
  await woken
}
