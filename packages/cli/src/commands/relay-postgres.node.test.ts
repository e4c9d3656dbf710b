/** `brokerwire relay` with a sink and a store in Postgres: its tables, events through a killed server, and wrong settings. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { needs } from '@brokerwire/testing/installed'
import { startPostgres } from '@brokerwire/testing/postgres'
import { Pool } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  APP,
  createEmitter,
  expectEndWhileHanging,
  expectEventsThroughKill,
  startRelayApp,
} from '../test/relay-app.ts'
import { SLOW, startRelay } from '../test/relay-process.ts'
import { run } from '../test/run.ts'
import { temporaryFolder } from '../test/temporary.ts'

const { skip, note } = needs('postgresql')
const PASSWORD = 'not-shown-anywhere'

async function configFile(change: object): Promise<string> {
  const file = join(await temporaryFolder(), 'relay.json')
  const sink = { type: 'postgres', connection: { env: 'DATABASE_URL' } }
  await writeFile(file, JSON.stringify({ apps: [APP], sink, store: { type: 'postgres' }, ...change }))
  return file
}

describe('brokerwire relay with Postgres', { timeout: 120_000 }, () => {
  test.skipIf(skip)(
    `creates its tables, and writes each event once while the server is killed${note}`,
    async () => {
      const server = await startPostgres()
      onTestFinished(() => server.close())
      const { simulator, config, env: appEnv } = await startRelayApp()
      const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${server.port}/postgres`
      const env = { ...appEnv, DATABASE_URL: url }
      const file = await configFile(config)
      const texts: string[] = []

      const early = startRelay(['--config', file], env)
      expect(await early.ended).toEqual([1, null])
      expect(early.texts.at(-1)).toContain(`brokerwire relay --config ${file} --migrate`)
      texts.push(...early.texts)

      for (const isCreated of [true, false]) {
        const migration = startRelay(['--config', file, '--migrate'], env)
        expect(await migration.ended).toEqual([0, null])
        expect(migration.lines).toMatchObject([
          { event: 'relay.migrated', table: 'brokerwire_events', version: 1, isCreated },
          { event: 'relay.migrated', table: 'brokerwire_store' },
        ])
        texts.push(...migration.texts)
      }

      const relay = startRelay(['--config', file], env)
      await relay.said('stream.subscribed')
      const pool = new Pool({ connectionString: server.url })
      pool.on('error', () => {})
      onTestFinished(() => pool.end())
      const ids = async (): Promise<unknown[]> => {
        const { rows } = await pool.query(
          "SELECT headers->>'Brokerwire-Id' AS id FROM brokerwire_events WHERE headers->>'Brokerwire-Type' = 'event' ORDER BY position",
        )
        return rows.map(({ id }) => id)
      }
      const emitter = createEmitter(simulator)
      const { emitted, emit } = emitter
      await expectEventsThroughKill({ server, relay, emitter, ids })
      emit(5)
      await expect.poll(ids, SLOW).toEqual(emitted)
      await expectEndWhileHanging({ server, relay })
      texts.push(...relay.texts)
      expect(texts.join('\n')).not.toContain(PASSWORD)
    },
  )

  test('prints the statements without a connection and without secrets', async () => {
    const file = await configFile({})
    const { status, out } = await run(['relay', '--config', file, '--print-sql'], { env: {} })
    expect(status).toBe(0)
    expect(out.join('\n')).toMatch(
      /^BEGIN;\nCREATE TABLE "brokerwire_events" [\s\S]*COMMIT;\nCREATE TABLE IF NOT EXISTS "brokerwire_store"/,
    )
  })

  test('rejects other connection strings, and flags for another sink', async () => {
    const file = await configFile({})
    for (const url of [
      `mysql://role:${PASSWORD}@host/db`,
      `postgres://role:${PASSWORD}%@host/db`,
      `host=127.0.0.1 password=${PASSWORD}`,
      PASSWORD,
    ]) {
      const env = {
        DATABASE_URL: url,
        APP_KEY: 'app-key-of-this-test',
        APP_SECRET: 'app-secret-of-this-test',
      }
      const { status, out, err } = await run(['relay', '--config', file, '--check'], { env })
      expect({ status, err }).toEqual({
        status: 2,
        err: [expect.stringMatching(/^CLI_OPTION_INVALID: sink\.connection must be a connection string/)],
      })
      expect(out.join('\n')).not.toContain(PASSWORD)
    }
    const files = await configFile({ sink: { type: 'file' }, store: { type: 'file' } })
    for (const flag of ['--migrate', '--print-sql'])
      expect(await run(['relay', '--config', files, flag], { env: {} })).toMatchObject({
        status: 2,
        err: [`CLI_OPTION_INVALID: ${flag} must be used only with sink.type "postgres"`],
      })
  })
})
