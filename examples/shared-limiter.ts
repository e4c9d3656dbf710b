/**
 * A limit that every process of every machine keeps together, through Redis: ten calls in thirty seconds for each app key is
 * the service's own limit on its token endpoints. Here it is smaller, so that something is to be seen.
 *
 * Takes CALLS places and prints when it got each. REDIS_URL names the server.
 */
import { createServiceIdentity, resolveEndpoint } from '@brokerwire/core/endpoints'
import { createRedisStore } from '@brokerwire/stores/redis'
import { createTokenRateLimiter } from '@brokerwire/tokens'
import { createClient } from 'redis'
import { endWith } from './end-with.ts'

const { CALLS = '3', LIMIT = '5', REDIS_URL, WINDOW_MS = '1000' } = process.env

const client = createClient({
  url: REDIS_URL ?? 'redis://127.0.0.1:6379',
  socket: {
    // A wrong password stays wrong: `connect` rejects with it, where by default it would try for ever.
    reconnectStrategy: (retries, cause) =>
      /^(WRONGPASS|NOAUTH|NOPERM|ERR AUTH)/.test(cause.message) ? cause : Math.min(retries * 50, 2000),
  },
})
client.on('error', (error: Error) => console.error(`redis: ${error.message}`))

const endpoint = resolveEndpoint({ region: 'us', environment: 'sandbox' })
try {
  await client.connect()
  const limiter = createTokenRateLimiter({
    identity: createServiceIdentity(endpoint, process.env.BROKERWIRE_APP_KEY ?? 'app'),
    limit: Number(LIMIT),
    windowMs: Number(WINDOW_MS),
    // A window that is forgotten costs one window, no second factor: a server in memory will do.
    store: createRedisStore({ client, requireDurable: false, onWarning: () => {} }),
  })
  await Promise.all(
    Array.from({ length: Number(CALLS) }, async () => {
      await limiter.acquire('client-refresh')
      console.log(`place ${Date.now()}`)
    }),
  )
} catch (error) {
  endWith(error)
} finally {
  client.destroy()
}
