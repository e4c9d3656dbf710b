/** The examples whose processes share a store, with real servers. */
import { startSimulator } from '@brokerwire/simulator'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { startPostgres } from '@brokerwire/testing/postgres'
import { startRedis } from '@brokerwire/testing/redis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runExample } from './test/run-example.ts'
import { settingsOf } from './test/settings-of.ts'

const postgres = needs('postgresql')

describe.skipIf(postgres.skip)(`postgres-store${postgres.note}`, REAL_SERVERS, () => {
  test('two services need one token and one second factor, and a third service needs no other', async () => {
    const [simulator, server] = await Promise.all([startSimulator(), startPostgres()])
    onTestFinished(async () => {
      await simulator.close()
      await server.close()
    })
    const env = { ...settingsOf(simulator), DATABASE_URL: server.url, POLL_INTERVAL_MS: '50' }
    const services = [1, 2].map(() => runExample('postgres-store/service.ts', env))
    await Promise.any(services.map((service) => service.line(/^enter the code in the app/)))
    simulator.approveSecondFactor()
    for (const service of services) expect(await service.ended).toBe(0)
    const third = runExample('postgres-store/service.ts', env)
    expect(await third.ended).toBe(0)
    for (const { lines } of [...services, third])
      expect(lines.slice(-2)).toEqual([expect.stringMatching(/^ready until \d{4}-/), 'status 200'])
    expect(third.lines).toHaveLength(2)
    expect(simulator.requests().filter(({ path }) => path === '/auth/tokens/create')).toHaveLength(1)
  })
})

const redis = needs('redis-server')

describe.skipIf(redis.skip)(`shared-limiter${redis.note}`, REAL_SERVERS, () => {
  test('ten processes acquire thirty slots, and never more than the limit in a window', async () => {
    const server = await startRedis({ appendOnly: false })
    onTestFinished(() => server.close())
    const [limit, windowMs, calls] = [10, 1000, 3]
    const env = {
      REDIS_URL: server.url,
      LIMIT: String(limit),
      WINDOW_MS: String(windowMs),
      CALLS: String(calls),
    }
    const processes = Array.from({ length: 10 }, () => runExample('shared-limiter.ts', env))
    for (const { ended } of processes) expect(await ended).toBe(0)
    const slots = processes.flatMap(({ lines }) => lines.map((line) => /^slot (\d+)$/.exec(line)?.[1]))
    expect(slots).toHaveLength(30)
    expect(slots).not.toContain(undefined)
    // Thirty slots at ten per second take at least two whole windows.
    const instants = slots.map(Number)
    expect(Math.max(...instants) - Math.min(...instants)).toBeGreaterThanOrEqual(windowMs)
  }, 60_000)

  test('a wrong or missing password ends the program', async () => {
    const server = await startRedis({ args: ['--requirepass', 'right'] })
    onTestFinished(() => server.close())
    for (const user of ['', ':wrong@']) {
      const REDIS_URL = server.url.replace('redis://', `redis://${user}`)
      expect(await runExample('shared-limiter.ts', { REDIS_URL, CALLS: '1' }).ended).toBe(1)
    }
    const REDIS_URL = server.url.replace('redis://', 'redis://:right@')
    expect(await runExample('shared-limiter.ts', { REDIS_URL, CALLS: '1' }).ended).toBe(0)
  }, 30_000)
})
