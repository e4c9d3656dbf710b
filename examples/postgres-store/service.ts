/**
 * One of several services, on as many machines as you like, that share one access token through a table of Postgres. Whichever
 * asks first creates it, and a person confirms it once; the others find it there.
 *
 * Prints the token's end and the status of a signed request with it. DATABASE_URL names the database.
 */
import { createBrokerage, rateLimiter } from '@brokerwire/edge'
import { createPostgresStore, migratePostgres } from '@brokerwire/stores/postgres'
import { Pool } from 'pg'
import { endWith } from '../end-with.ts'
import { readSettings } from '../settings.ts'

const { DATABASE_URL, POLL_INTERVAL_MS } = process.env

const pool = new Pool({ connectionString: DATABASE_URL, connectionTimeoutMillis: 5000 })
// Without this line an idle connection that breaks ends the process.
pool.on('error', (error) => console.error(`postgres: ${error.name}`))

try {
  // May run twice, also at the same time: every service does it.
  await migratePostgres({ client: pool })
  const brokerage = createBrokerage({
    ...readSettings(),
    store: createPostgresStore({ client: pool }),
    // All services together keep within the service's limit of token calls.
    plugins: [rateLimiter()],
    tokens: {
      pollIntervalMs: POLL_INTERVAL_MS === undefined ? undefined : Number(POLL_INTERVAL_MS),
      onSecondFactor: () => console.log('enter the code in the app'),
    },
  })
  const token = await brokerage.accessTokens.get()
  console.log(
    `ready until ${token?.expiresAtMs === undefined ? '?' : new Date(token.expiresAtMs).toISOString()}`,
  )
  const { status } = await brokerage.http.request({ method: 'GET', path: '/openapi/config' })
  console.log(`status ${status}`)
  await brokerage.close()
} catch (error) {
  endWith(error)
} finally {
  await pool.end()
}
