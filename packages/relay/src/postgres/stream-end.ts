/** Reads the end of a stream before a writer publishes. */
import { randomBytes } from 'node:crypto'
import type { SinkTail, StoredEntry, TailRequest } from '../sink/event-sink.ts'
import { sinkUnavailable } from '../sink/sink-errors.ts'
import type { Database, StreamState } from './database.ts'
import { parsePosition, parseRow } from './rows.ts'
import { positionMismatch, tableMismatch } from './server-errors.ts'
import { subjectRange } from './subject-range.ts'

/** The number of events of one statement, so that each response arrives within the time limit. */
const PAGE = 500

/** Reads the end of a stream, and creates the stream if it does not exist. */
export async function readStreamEnd(
  database: Database,
  stream: string,
  { maxEntries, lastOf = [] }: TailRequest,
): Promise<{ readonly tail: SinkTail; readonly token: string }> {
  const state = await openStream(database, stream)
  // The state was read first. If another writer stores an event after that, the next batch is rejected.
  const { lastPosition, lastBatch, streamId } = state
  const entries = await readLastEntries(database, stream, lastPosition, maxEntries)
  const found = await readLastOf(database, stream, lastPosition, lastOf)
  return { tail: { sequence: lastPosition, entries, lastOf: found, streamId }, token: lastBatch }
}

async function openStream(database: Database, stream: string): Promise<StreamState> {
  const { statements, tables } = database
  let state = await database.readStream()
  if (state === undefined) {
    await database.run(statements.createStream, stream, randomBytes(12).toString('base64url'))
    state = await database.readStream()
  }
  if (state === undefined) throw sinkUnavailable(stream, 'its row was deleted while it was created')
  const [row] = await database.run(statements.lastPosition, stream)
  const found = parsePosition(row?.position ?? 0)
  if (found !== undefined && found <= state.lastPosition) return state
  // Another writer may have stored a batch between the two statements.
  const later = await database.readStream()
  if (found === undefined || later === undefined || found > later.lastPosition)
    throw positionMismatch(stream, tables, found ?? 0)
  return later
}

async function readLastEntries(
  database: Database,
  stream: string,
  lastPosition: number,
  maxEntries: number,
): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = []
  let before = lastPosition
  while (entries.length < maxEntries && before > 0) {
    const count = Math.min(PAGE, maxEntries - entries.length)
    const rows = await database.run(database.statements.entries, stream, String(before), String(count))
    for (const row of rows) {
      const entry = requireEntry(database, stream, row)
      entries.push(entry)
      before = entry.sequence - 1
    }
    if (rows.length < count) break
  }
  return entries.reverse()
}

async function readLastOf(
  database: Database,
  stream: string,
  lastPosition: number,
  filters: readonly string[],
): Promise<(StoredEntry | undefined)[]> {
  const found: (StoredEntry | undefined)[] = filters.map(() => undefined)
  if (filters.length === 0) return found
  const ranges = filters.map((filter, number) => ({ number, ...subjectRange(filter) }))
  const { lastOf } = database.statements
  for (const row of await database.run(lastOf, stream, String(lastPosition), JSON.stringify(ranges)))
    found[Number(row.number)] = requireEntry(database, stream, row)
  return found
}

function requireEntry(database: Database, stream: string, row: unknown): StoredEntry {
  const entry = parseRow(row)
  if (entry === undefined) throw tableMismatch(stream, database.tables, 'another row')
  return entry
}
