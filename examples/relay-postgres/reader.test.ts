/** The reader as a process: killed, started twice, and behind a server that is killed. Each event is applied once. */

import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseRelayConfig } from '@brokerwire/relay'
import { createPostgresSink, migratePostgresSink } from '@brokerwire/relay/postgres'
import { needs } from '@brokerwire/testing/installed'
import { startPostgres } from '@brokerwire/testing/postgres'
import { Pool } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { EXAMPLES } from '../test/bundle-programs.ts'
import { ADDRESS, event } from '../test/relay-event.ts'
import { runExample } from '../test/run-example.ts'

const { skip, note } = needs('postgresql')
describe.skipIf(skip)(`a reader of the table of a relay${note}`, { timeout: 120_000 }, () => {
  test('applies each event exactly once, in order, and is woken by notifications', async () => {
    const server = await startPostgres()
    onTestFinished(() => server.close())
    const pool = new Pool({ connectionString: server.url })
    pool.on('error', () => {})
    onTestFinished(() => pool.end())
    await migratePostgresSink({ client: pool })
    await using sink = createPostgresSink({ client: pool, address: ADDRESS })
    await sink.tail({ maxEntries: 0 })
    const publish = (from: number, to: number) =>
      sink.publish(Array.from({ length: to - from + 1 }, (_, at) => event(from + at)))
    const applied = async (): Promise<number[]> => {
      const { rows } = await pool.query('SELECT position::int FROM billing_event ORDER BY position')
      return rows.map(({ position }) => position)
    }
    const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1)
    const SLOW = { timeout: 60_000 }

    await publish(1, 250)
    await sink.publish([event(251)])
    const first = runExample('relay-postgres/reader.ts', { DATABASE_URL: server.url })
    await first.line(/applied 51/)
    expect(await applied()).toEqual(upTo(251))

    // Faster than the next poll.
    const startedMs = performance.now()
    await publish(252, 252)
    await first.line(/applied 1$/)
    expect(performance.now() - startedMs).toBeLessThan(4000)

    const second = runExample('relay-postgres/reader.ts', { DATABASE_URL: server.url })
    await second.line(/reading/)
    const published = publish(253, 1000)
    first.kill()
    await published
    await expect.poll(applied, SLOW).toEqual(upTo(1000))

    await server.restart()
    await publish(1001, 1100)
    await expect.poll(() => applied().catch(() => []), SLOW).toEqual(upTo(1100))
    const { rows } = await pool.query('SELECT kind, body FROM billing_event WHERE position = 1100')
    expect(rows).toEqual([{ kind: 'module', body: '{"number":1100}' }])
  })
})

describe('the page on Postgres', () => {
  test('has a program in Python with correct syntax', async () => {
    const page = await readFile(join(EXAMPLES, '../docs/guides/relay-postgres.md'), 'utf8')
    const [, program = ''] = /```python\n([\s\S]*?)```/.exec(page) ?? []
    expect(program).toContain('psycopg')
    const { status, stderr } = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
      input: program,
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  test('has a configuration that is valid, as has the folder of deployments', async () => {
    const page = await readFile(join(EXAMPLES, '../docs/guides/relay-postgres.md'), 'utf8')
    const [, config = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
    const deployed = await readFile(join(EXAMPLES, '../deploy/relay/relay-postgres.json'), 'utf8')
    for (const text of [config, deployed])
      expect(parseRelayConfig(text)).toMatchObject({
        sink: { type: 'postgres', table: 'brokerwire_events' },
        store: { type: 'postgres', table: 'brokerwire_store' },
      })
  })
})
