/** A reader of the table of Postgres by position. The last position that was handled is in a file. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { payloads } from '@brokerwire/payloads'
import { parseItem, streamName } from '@brokerwire/relay'
import pg from 'pg'
import type { StreamAddress } from '../../../../packages/relay/src/wire/subjects.ts'
import type { Items } from '../reader-process.ts'
import { retrying } from './retrying.ts'

const RESPONSE_MS = 2000
const POLL_MS = 50
const PAGE = `SELECT position, subject, headers, body FROM brokerwire_events
WHERE stream = $1 AND position > $2 ORDER BY position LIMIT 500`

export async function* readPostgres(port: number, address: StreamAddress, positionFile: string): Items {
  const client = new pg.Pool({
    connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
    max: 1,
    connectionTimeoutMillis: RESPONSE_MS,
    query_timeout: RESPONSE_MS,
  })
  client.on('error', () => {})
  const stream = streamName(address)
  let position = existsSync(positionFile) ? Number(readFileSync(positionFile, 'utf8')) : 0
  for (;;) {
    const { rows } = await retrying(() => client.query(PAGE, [stream, position]))
    for (const { subject, headers, body } of rows)
      yield parseItem(
        { subject, getHeader: (name: string) => headers[name], body: body ?? '' },
        payloads,
        () => {},
      )
    if (rows.length === 0) await sleep(POLL_MS)
    else {
      position = Number(rows.at(-1)?.position)
      writeFileSync(positionFile, String(position))
    }
  }
}
