/**
 * One of several services, on any number of machines, that share an access token in a Postgres table. The first service creates the
 * token, and a person confirms it once; the others use it.
 *
 * The program prints the expiry of the token, and the status of a signed request. DATABASE_URL has the URL of the database.
 */
import { createBrokerage, rateLimiter } from '@brokerwire/edge'
import { createPostgresStore, migratePostgres } from '@brokerwire/stores/postgres'
import { Pool } from 'pg'
import { endWith } from '../end-with.ts'
import { readSettings } from '../settings.ts'

const { DATABASE_URL, POLL_INTERVAL_MS } = process.env

const pool = new Pool({ connectionString: DATABASE_URL, connectionTimeoutMillis: 5000 })
// Without this listener, a broken idle connection ends the process.
pool.on('error', (error) => console.error(`postgres: ${error.name}`))

try {
  // Each service may run the migration, even at the same time as other services.
  await migratePostgres({ client: pool })
  const brokerage = createBrokerage({
    ...readSettings(),
    store: createPostgresStore({ client: pool }),
    // All services together stay within the service's rate limit of token calls.
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
