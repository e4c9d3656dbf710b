/**
 * `compareAndSet` of each store that machines share beside the bare client's same statement, one after the other, on real
 * servers that it starts. Both are measured in every round. `main.ts` bundles and runs it.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createNatsStore } from '@brokerwire/stores/nats'
import { createPostgresStore, migratePostgres } from '@brokerwire/stores/postgres'
import { createRedisStore } from '@brokerwire/stores/redis'
import { startNats } from '@brokerwire/testing/nats'
import { startPostgres } from '@brokerwire/testing/postgres'
import { startRedis } from '@brokerwire/testing/redis'
import { Kvm } from '@nats-io/kv'
import { connect } from '@nats-io/transport-node'
import { Pool } from 'pg'
import { createClient } from 'redis'
import { statementsFor } from '../../../packages/stores/src/postgres/statements.ts'
import { COMPARE_AND_SET } from '../../../packages/stores/src/redis/scripts.ts'
import { median, ratioByRound } from '../figures.ts'
import { measureRounds } from '../rounds.ts'

/** Many short ones: what else the machine does then hits both sides of a round alike. */
const ROUNDS = 61
const ROUND_MS = 40
/** As long as the record of a token. */
const TEXT = 'x'.repeat(600)

type Step = (before: string, next: string) => Promise<boolean>

/** Goes from text to text, one after the other; whoever did not write has not done the work. */
function stepping(step: Step): () => Promise<void> {
  let count = 0
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(async () => {
      const before = `${TEXT}${count}`
      count += 1
      if (!(await step(before, `${TEXT}${count}`))) throw new Error('it did not write')
    })
    return last
  }
}

const FIRST = `${TEXT}0`

async function compared(
  oursStep: Step,
  bareStep: Step,
): Promise<{ ratio: number; oursUs: number; bareUs: number }> {
  const rounds = await measureRounds({ ours: stepping(oursStep), bare: stepping(bareStep) }, ROUNDS, ROUND_MS)
  const [ours, bare] = [rounds.ours ?? [], rounds.bare ?? []]
  return { ratio: ratioByRound(bare, ours), oursUs: median(ours), bareUs: median(bare) }
}

async function redis() {
  // Without the wait for the disk, which would hide what the store costs.
  const server = await startRedis({ args: ['--appendfsync', 'everysec'] })
  const client = createClient({ url: server.url })
  await client.connect()
  const store = createRedisStore({ client })
  for (const key of ['ours', 'bare']) await store.compareAndSet(key, undefined, FIRST)
  let calls = 0
  const result = await compared(
    (before, next) => store.compareAndSet('ours', before, next),
    async (before, next) => {
      calls += 1
      const options = {
        keys: ['brokerwire:value:bare'],
        arguments: ['00000000000040008000000000000000', String(calls), '1', before, '1', next],
      }
      return (await client.evalSha(COMPARE_AND_SET.sha, options)) === 1
    },
  )
  client.destroy()
  await server.close()
  return result
}

async function postgres() {
  const server = await startPostgres()
  const pool = new Pool({ connectionString: server.url })
  pool.on('error', () => {})
  await migratePostgres({ client: pool })
  const store = createPostgresStore({ client: pool })
  for (const key of ['ours', 'bare']) await store.compareAndSet(key, undefined, FIRST)
  const { replace } = statementsFor('brokerwire_store')
  const result = await compared(
    (before, next) => store.compareAndSet('ours', before, next),
    async (before, next) => (await pool.query(replace, ['value:bare', before, next])).rows.length === 1,
  )
  await pool.end()
  await server.close()
  return result
}

async function nats() {
  const server = await startNats()
  const connection = await connect({ port: server.port })
  const bucket = await new Kvm(connection).create('brokerwire')
  const store = createNatsStore({ bucket, connection })
  for (const key of ['ours', 'bare']) await store.compareAndSet(key, undefined, FIRST)
  const result = await compared(
    (before, next) => store.compareAndSet('ours', before, next),
    async (before, next) => {
      const entry = await bucket.get('value.bare')
      if (entry === null || entry.string() !== before) return false
      await bucket.update('value.bare', next, entry.revision)
      return true
    },
  )
  await connection.close()
  await server.close()
  return result
}

const { values } = parseArgs({ options: { json: { type: 'string' } } })
const ratios: Record<string, number> = {}
for (const [name, measure] of Object.entries({ redis, postgres, nats })) {
  const { ratio, oursUs, bareUs } = await measure()
  ratios[`${name}.cas.vs_bare`] = ratio
  const absolute = `${oursUs.toFixed(0)} us beside ${bareUs.toFixed(0)} us`
  console.log(
    `${`${name}.cas.vs_bare`.padEnd(24)}${ratio.toFixed(2).padStart(6)}   goal: at least 0.80   ${absolute}`,
  )
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(ratios, undefined, 2)}\n`)
