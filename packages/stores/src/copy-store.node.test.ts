/** Copies of records from files to Postgres. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { startPostgres } from '@brokerwire/testing/postgres'
import { Pool } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createFileStore } from './file/index.ts'
import { copyStore, createMemoryStore } from './index.ts'
import { createPostgresStore, migratePostgres } from './postgres/index.ts'
import { outcome } from './test/shared-suite.ts'

async function freshDirectory(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'brokerwire-copy-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  return join(parent, 'store')
}

const TEXTS: Readonly<Record<string, string>> = {
  'access-token/production/us/app-1': '{"format":1,"token":"t"}',
  'client-token/sandbox/hk/app:2/user \u00e9': '\u0000odd\u0001',
  empty: '',
}

const { skip, note } = needs('postgresql')

describe.skipIf(skip)(`a copy from files to Postgres${note}`, REAL_SERVERS, () => {
  test('has all texts, and a second run neither changes nor overwrites anything', async () => {
    const server = await startPostgres()
    const pool = new Pool({ connectionString: server.url })
    pool.on('error', () => {})
    onTestFinished(async () => {
      await pool.end()
      await server.close()
    })
    const from = createFileStore({ directory: await freshDirectory() })
    for (const [key, text] of Object.entries(TEXTS)) await from.compareAndSet(key, undefined, text)
    await from.compareAndSet('deleted', undefined, 'text')
    await from.compareAndSet('deleted', 'text', undefined)
    await migratePostgres({ client: pool })
    const to = createPostgresStore({ client: pool })
    const lock = await to.lock('a lease is no text')

    const first = await copyStore(from, to)
    expect([...first.copied].sort()).toEqual(Object.keys(TEXTS).sort())
    expect(first).toMatchObject({ same: [], different: [] })
    for (const [key, text] of Object.entries(TEXTS)) expect(await to.get(key)).toBe(text)
    expect([...(await to.keys())].sort()).toEqual(Object.keys(TEXTS).sort())
    await lock.release()

    await to.compareAndSet('empty', '', 'newer')
    const again = await copyStore(from, to)
    expect(again).toMatchObject({ copied: [], different: ['empty'] })
    expect(again.same).toHaveLength(2)
    expect(await to.get('empty')).toBe('newer')

    const back = createMemoryStore()
    expect((await copyStore(to, back)).copied).toHaveLength(3)
    expect([...(await back.keys())].sort()).toEqual(Object.keys(TEXTS).sort())
  })
})

test('copies nothing from a missing directory, and stops with the name of a damaged file', async () => {
  const directory = await freshDirectory()
  const from = createFileStore({ directory })
  expect(await from.keys()).toEqual([])
  await from.compareAndSet('key', undefined, 'text')
  await writeFile(join(directory, `${'0'.repeat(64)}.json`), '{"key":"another"}', { mode: 0o600 })
  expect(await outcome(copyStore(from, createMemoryStore()))).toBe('STORE_CORRUPT')
})

test('copies only the given keys of a store that cannot list its keys', async () => {
  const inner = createMemoryStore()
  await inner.compareAndSet('one', undefined, '1')
  await inner.compareAndSet('two', undefined, '2')
  const { keys: _, ...unlisted } = inner
  const to = createMemoryStore()
  expect(await outcome(copyStore(unlisted, to))).toBe('STORE_OPTION_INVALID')
  expect(await copyStore(unlisted, to, { keys: ['two', 'two', 'three'] })).toMatchObject({ copied: ['two'] })
  expect(await outcome(copyStore(unlisted, to, { keys: 'two' as never }))).toBe('STORE_OPTION_INVALID')
})
