/** The examples whose processes share a store on a server, against real ones. */
import { startSimulator } from '@brokerwire/simulator'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { startPostgres } from '@brokerwire/testing/postgres'
import { startRedis } from '@brokerwire/testing/redis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runExample, settingsOf } from './test/run-example.ts'

const postgres = needs('postgresql')

describe.skipIf(postgres.skip)(`postgres-store${postgres.note}`, REAL_SERVERS, () => {
  test('two services, one token, one second factor; a third one later asks nobody', async () => {
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
  test('ten processes take thirty places, and never more than the limit in a window', async () => {
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
    const places = processes.flatMap(({ lines }) => lines.map((line) => /^place (\d+)$/.exec(line)?.[1]))
    expect(places).toHaveLength(30)
    expect(places).not.toContain(undefined)
    // Thirty places at ten in a second take two whole windows at least.
    const instants = places.map(Number)
    expect(Math.max(...instants) - Math.min(...instants)).toBeGreaterThanOrEqual(windowMs)
  }, 60_000)

  test('a password that is wrong or missing ends it, where it tried for ever', async () => {
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
