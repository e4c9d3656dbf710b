/**
 * A process of the test of the shared rate limiter: `limiter-worker.ts DIRECTORY CALLS LIMIT WINDOW_MS`.
 *
 * It starts all its calls when it reads a line, prints the time at which the limiter allowed each call, then `done`.
 */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createFileStore } from '@brokerwire/stores/file'
import { createTokenRateLimiter } from '@brokerwire/tokens'

const [directory = '', calls = '0', limit = '0', windowMs = '0'] = process.argv.slice(2)
const store = createFileStore({ directory })
const limiter = createTokenRateLimiter({
  identity: { environment: 'production', region: 'us', appKey: 'app-1', baseUrl: 'https://api.test' },
  limit: Number(limit),
  windowMs: Number(windowMs),
  marginMs: 0,
  store: {
    ...store,
    async compareAndSet(key, expected, next) {
      const isWritten = await store.compareAndSet(key, expected, next)
      const { passed } = JSON.parse(next ?? '{}') as { passed: string }
      if (isWritten) process.stdout.write(`${passed.split(' ').at(-1)}\n`)
      return isWritten
    },
  },
})

process.stdout.write('ready\n')
await once(createInterface(process.stdin), 'line')
await Promise.all(Array.from({ length: Number(calls) }, () => limiter.acquire('check')))
process.stdout.write('done\n')
process.exit()
