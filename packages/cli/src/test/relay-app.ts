/** An app of a relay whose module events the simulator emits, for tests of sinks on a server. */
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import type { ChildServer } from '@brokerwire/testing/child-server'
import { expect, onTestFinished } from 'vitest'
import { SLOW, type startRelay } from './relay-process.ts'

/** The app in a configuration. Without a simulator it is valid, and its service does not exist. */
export const APP = {
  name: 'team-a',
  environment: 'sandbox',
  region: 'us',
  appKey: { env: 'APP_KEY' },
  appSecret: { env: 'APP_SECRET' },
  modules: ['application'],
  moduleEventsUrl: 'https://module-events.example.com',
}

/** Starts a simulator, and returns the part of a configuration and of an environment for it. */
export async function startRelayApp() {
  const simulator = await startSimulator({ environment: 'sandbox', slotLingerMs: 0 })
  onTestFinished(() => simulator.close())
  const { region, moduleEventsUrl, baseUrl, credentials } = simulator
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    APP_KEY: credentials.appKey,
    APP_SECRET: credentials.appSecret.reveal(),
  }
  const apps = [{ ...APP, region, moduleEventsUrl, baseUrl }]
  const config = { apps, health: { port: 0 }, heartbeatIntervalMs: 500, slotLingerMs: 0 }
  return { simulator, env, config }
}

/** Emits module events, and records their ids. */
export function createEmitter(simulator: Simulator) {
  const emitted: string[] = []
  const emit = (count: number): void => {
    for (let at = 0; at < count; at += 1) emitted.push(simulator.emitModule({ module: 'application' }).id)
  }
  return { emitted, emit }
}

interface KilledServer {
  readonly server: ChildServer
  readonly relay: ReturnType<typeof startRelay>
  readonly emitter: ReturnType<typeof createEmitter>
  /** Reads the ids of the stored events, in their order. */
  readonly ids: () => Promise<unknown[]>
}

/** Kills and restarts the server of a sink while events arrive. Each event is then stored once and in order. */
export async function expectEventsThroughKill({ server, relay, emitter, ids }: KilledServer): Promise<void> {
  const { emitted, emit } = emitter
  emit(5)
  await expect.poll(ids, SLOW).toEqual(emitted)
  await server.kill()
  emit(5)
  await relay.said('sink.waiting')
  await server.restart()
  await expect.poll(() => ids().catch(() => []), SLOW).toEqual(emitted)
}

/** A server that hangs does not keep the relay from ending. */
export async function expectEndWhileHanging({
  server,
  relay,
}: Pick<KilledServer, 'server' | 'relay'>): Promise<void> {
  await server.pause()
  expect(await relay.stop()).toEqual([0, null])
  server.resume()
}
