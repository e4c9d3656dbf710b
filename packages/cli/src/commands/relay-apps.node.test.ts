/**
 * Log lines of `brokerwire relay` about single apps: one that waits for a second factor, one that the service rejects.
 */
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { consumeRelay } from '@brokerwire/relay/nats'
import {
  type SimulatedApp,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '@brokerwire/simulator'
import { needs } from '@brokerwire/testing/installed'
import { startNats } from '@brokerwire/testing/nats'
import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startRelay } from '../test/relay-process.ts'
import { temporaryFolder } from '../test/temporary.ts'

const { skip, note } = needs('nats-server')
const LONG = 2 * 1024 * 1024

async function simulate(options: SimulatorOptions): Promise<Simulator> {
  const simulator = await startSimulator({ slotLingerMs: 0, ...options })
  onTestFinished(() => simulator.close())
  return simulator
}

/** Starts a relay with these apps. All have the same name in the configuration, and one module. */
async function relayOf(simulator: Simulator, change: { readonly app?: object; readonly config?: object }) {
  const folder = await temporaryFolder()
  const env: Record<string, string> = { PATH: process.env.PATH ?? '', HOME: folder }
  const apps = simulator.apps.map(({ name, credentials }, at) => {
    env[`KEY_${at}`] = credentials.appKey
    env[`SECRET_${at}`] = credentials.appSecret.reveal()
    const { environment, region, moduleEventsUrl, baseUrl } = simulator
    const places = { appKey: { env: `KEY_${at}` }, appSecret: { env: `SECRET_${at}` } }
    return {
      name,
      environment,
      region,
      ...places,
      modules: ['application'],
      moduleEventsUrl,
      baseUrl,
      ...change.app,
    }
  })
  const config = {
    apps,
    sink: { type: 'file', directory: join(folder, 'events') },
    store: { type: 'file', directory: join(folder, 'state') },
    health: { port: 0 },
    slotLingerMs: 0,
    ...change.config,
  }
  const file = join(folder, 'relay.json')
  await writeFile(file, JSON.stringify(config))
  return (...flags: readonly string[]) => startRelay(['--config', file, ...flags], env)
}

describe('brokerwire relay', { timeout: 120_000 }, () => {
  test('reports the second factor of a created token and its deadline, and continues after it', async () => {
    const simulator = await simulate({ environment: 'production', secondFactor: 'manual' })
    const start = await relayOf(simulator, { app: { createToken: true } })
    const relay = start()
    const waiting = await relay.said('token.awaits-confirmation')
    expect(waiting).toMatchObject({
      level: 'warn',
      app: simulator.apps[0]?.name,
      action: "confirm it in the broker's app",
    })
    const leftMs = Date.parse(waiting.deadline ?? '') - Date.now()
    expect(leftMs).toBeGreaterThan(0)
    expect(simulator.subscriptions()).toEqual([])
    const asked = simulator.requests().filter(({ path }) => path.endsWith('/create'))
    expect(asked).toHaveLength(1)
    simulator.approveSecondFactor()
    expect(await relay.said('token.usable')).toMatchObject({ level: 'info' })
    await relay.said('stream.subscribed')
    expect(await relay.stop()).toEqual([0, null])
  })

  test.skipIf(skip)(
    `stores an oversized message for an event that is longer than the server accepts, and reports the setting to raise${note}`,
    async () => {
      const folder = await temporaryFolder()
      const limits = join(folder, 'limits.conf')
      await writeFile(limits, 'max_payload: 1048576')
      // The server reads the file again after a restart.
      const nats = await startNats(`include "../${basename(folder)}/limits.conf"`)
      onTestFinished(() => nats.close())
      const simulator = await simulate({
        environment: 'sandbox',
        apps: [{ name: 'long' }, { name: 'other' }],
      })
      const [long, other] = simulator.apps as readonly [SimulatedApp, SimulatedApp]
      const server = `nats://127.0.0.1:${nats.port}`
      const config = { sink: { type: 'jetstream', servers: [server] }, heartbeatIntervalMs: 500 }
      const start = await relayOf(simulator, { config })
      const relay = start('--create-stream')
      await relay.said('stream.subscribed', 2)
      const first = long.emitModule({ module: 'application' })
      const tooLong = () => long.emitModule({ module: 'application', payload: { text: 'x'.repeat(LONG) } })
      const oversized = tooLong()
      const reported = await relay.said('event.oversized')
      expect(reported).toMatchObject({
        level: 'warn',
        app: 'long',
        id: expect.stringContaining(oversized.id),
        bytes: expect.any(Number),
        maxBytes: expect.any(Number),
        setting: 'max_payload',
      })
      expect(reported.bytes).toBeGreaterThan(LONG)
      expect(reported.maxBytes).toBeLessThanOrEqual(1_048_576)

      const connection = await connect({ servers: server, maxReconnectAttempts: -1, reconnectTimeWait: 50 })
      onTestFinished(() => connection.close())
      const typesAndIdsOf = async (app: string, count: number): Promise<string[][]> => {
        const { region } = simulator
        const address = { prefix: 'brokerwire', environment: 'sandbox', region, app } as const
        const found: string[][] = []
        // Each reader starts at the first message.
        const durable = `test-${count}`
        for await (const item of consumeRelay({ js: jetstream(connection), address, durableName: durable })) {
          if (item.type === 'oversized') {
            expect(item).toMatchObject({
              messageBytes: reported.bytes,
              maxBytes: reported.maxBytes,
              setting: 'max_payload',
            })
            expect(item).not.toHaveProperty('payload')
          }
          if ((item.type === 'event' || item.type === 'oversized') && 'id' in item)
            found.push([item.type, item.id])
          if (found.length === count) break
        }
        return found
      }
      const asEvent = ({ id }: { readonly id: string }) => ['event', id]
      const later = long.emitModule({ module: 'application' })
      const others = Array.from({ length: 5 }, () => other.emitModule({ module: 'application' }))
      expect(await typesAndIdsOf('other', 5)).toEqual(others.map(asEvent))
      expect(await typesAndIdsOf('long', 3)).toEqual([
        asEvent(first),
        ['oversized', oversized.id],
        asEvent(later),
      ])

      await writeFile(limits, 'max_payload: 4194304')
      await nats.restart()
      await relay.said('nats.connected', 2)
      const whole = tooLong()
      expect(await typesAndIdsOf('long', 4)).toEqual([
        asEvent(first),
        ['oversized', oversized.id],
        asEvent(later),
        asEvent(whole),
      ])
      // The event was reported once, and neither app failed.
      expect(relay.lines.filter(({ event }) => event === 'event.oversized')).toHaveLength(1)
      expect(relay.lines.filter(({ event }) => event === 'app.failed')).toEqual([])
      expect(await relay.stop()).toEqual([0, null])
    },
  )
})
