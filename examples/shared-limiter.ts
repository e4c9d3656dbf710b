/**
 * A rate limit that all processes of all machines share, through Redis. The service allows ten calls of its
 * token endpoints in 30 s for each app key. The window here is shorter, so that you can see the limit work.
 *
 * The program acquires CALLS slots and prints the time of each slot. REDIS_URL has the URL of the server.
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
    // With this option `connect()` rejects for a wrong password. By default it would try again forever.
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
    // A server without persistence is enough, because losing the window of a rate limiter is harmless.
    store: createRedisStore({ client, requireDurable: false, onWarning: () => {} }),
  })
  await Promise.all(
    Array.from({ length: Number(CALLS) }, async () => {
      await limiter.acquire('client-refresh')
      console.log(`slot ${Date.now()}`)
    }),
  )
} catch (error) {
  endWith(error)
} finally {
  client.destroy()
}
