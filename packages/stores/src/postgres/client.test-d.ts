/** The clients of Postgres fit: those of pg as they are, postgres.js by a line. */
import { Client, Pool } from 'pg'
import postgres from 'postgres'
import { createPostgresStore, migratePostgres } from './index.ts'

createPostgresStore({ client: new Pool() })
createPostgresStore({ client: new Client() })

const sql = postgres({ prepare: false })
const client = {
  query: async (text: string, params: string[]) => ({ rows: await sql.unsafe(text, params) }),
}
createPostgresStore({ client })
await migratePostgres({ client })
