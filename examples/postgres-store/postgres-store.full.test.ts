/** A Node service and a Worker with one token: the service as a process, the Worker in workerd, through a proxy port. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import { needs } from '@brokerwire/testing/installed'
import { startPostgres } from '@brokerwire/testing/postgres'
import { startTcpProxy } from '@brokerwire/testing/tcp-proxy'
import { Miniflare } from 'miniflare'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bundleWorker } from '../test/bundle-worker.ts'
import { runExample } from '../test/run-example.ts'
import { settingsOf } from '../test/settings-of.ts'

/** A long poll interval, so that polling does not use up the shared limit of ten calls in 30 s while the Worker starts. */
const POLL_INTERVAL_MS = '500'

/**
 * Miniflare's proxy for Hyperdrive has no error listeners on its sockets. If both sides close at the same time, an unhandled error
 * would fail the test.
 */
const SOCKETS = ['net.client.socket', 'net.server.socket']
const heard = (message: unknown): void => {
  const { socket } = message as { readonly socket: Socket }
  socket.on('error', () => {})
}

/** Opens the Worker, with a database through Miniflare's proxy for Hyperdrive, or without that proxy. */
function open(script: string, simulator: Simulator, database: string, isDirect = false): Miniflare {
  const { appKey, appSecret } = simulator.credentials
  const worker = new Miniflare({
    modules: true,
    script,
    compatibilityDate: '2026-01-01',
    compatibilityFlags: ['nodejs_compat'],
    hyperdrives: isDirect ? {} : { DATABASE: database },
    bindings: {
      ...(isDirect && { DATABASE: { connectionString: database } }),
      REGION: simulator.region,
      ENVIRONMENT: simulator.environment,
      APP_KEY: appKey,
      APP_SECRET: appSecret.reveal(),
      BASE_URL: simulator.baseUrl,
      POLL_INTERVAL_MS,
    },
  })
  for (const name of SOCKETS) subscribe(name, heard)
  onTestFinished(async () => {
    await worker.dispose()
    for (const name of SOCKETS) unsubscribe(name, heard)
  })
  return worker
}

async function get(worker: Miniflare, path = '/config') {
  const response = await worker.dispatchFetch(`http://worker.example${path}`)
  return { status: response.status, body: response.status === 404 ? undefined : await response.json() }
}

const { skip, note } = needs('postgresql')

describe.skipIf(skip)(`postgres-store, a Worker and a Node service${note}`, () => {
  test('a service and a Worker share one token, even after the connections of the Worker were closed', async () => {
    const [simulator, server, script] = await Promise.all([
      startSimulator(),
      startPostgres(),
      bundleWorker(dirname(fileURLToPath(import.meta.url))),
    ])
    const proxy = await startTcpProxy(server.port)
    onTestFinished(async () => {
      await proxy.close()
      await server.close()
      await simulator.close()
    })
    // Hyperdrive requires a password, and the server accepts any.
    const at = (port: number, database = 'postgres'): string =>
      `postgres://postgres:any@127.0.0.1:${port}/${database}`
    const worker = open(script, simulator, at(server.port))
    expect(await get(worker, '/elsewhere')).toEqual({ status: 404, body: undefined })

    const service = runExample('postgres-store/service.ts', {
      ...settingsOf(simulator),
      DATABASE_URL: server.url,
      POLL_INTERVAL_MS,
    })
    await service.line(/^enter the code in the app/)
    expect(await get(worker)).toEqual({
      status: 503,
      body: { code: 'TOKEN_PENDING', deadline: expect.stringMatching(/^\d{4}-/) },
    })
    simulator.approveSecondFactor()
    expect(await service.ended).toBe(0)
    expect(service.lines.at(-1)).toBe('status 200')
    const served = { status: 200, body: { token_check_enabled: true } }
    expect(await get(worker)).toEqual(served)
    // A proxy that closes only connections that do not pass through Miniflare's proxy.
    const direct = open(script, simulator, at(proxy.port), true)
    expect(await get(direct)).toEqual(served)
    proxy.halfClose()
    expect(await Promise.all([get(direct), get(direct), get(direct)])).toEqual([served, served, served])
    expect(simulator.requests().filter(({ path }) => path === '/auth/tokens/create')).toHaveLength(1)

    const elsewhere = open(script, simulator, at(server.port, 'missing'))
    expect(await get(elsewhere)).toEqual({ status: 503, body: { code: 'DATABASE_UNAVAILABLE' } })
  }, 120_000)
})
