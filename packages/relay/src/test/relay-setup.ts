/** Configurations of relays over one simulator, with secrets in files, for tests. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulator } from '@brokerwire/simulator'
import { onTestFinished } from 'vitest'
import { APP, appOf, configOf } from './config.ts'

export const SLOW = { timeout: 60_000 }
/** On a busy machine a heartbeat may come late; membership holds for three of them. */
export const PACE = { slotLingerMs: 0, heartbeatIntervalMs: 2000 }

export async function setUp(apps: readonly string[]) {
  const simulator = await startSimulator({ seed: 5, slotLingerMs: 0, maxConnections: 100 })
  onTestFinished(() => simulator.close())
  const directory = await mkdtemp(join(tmpdir(), 'brokerwire-relay-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const { appKey, appSecret } = simulator.credentials
  const places = { appKey: { file: join(directory, 'key') }, appSecret: { file: join(directory, 'secret') } }
  await writeFile(places.appKey.file, `${appKey}\n`, { mode: 0o600 })
  await writeFile(places.appSecret.file, appSecret.reveal(), { mode: 0o600 })
  const configNamed = (name: string) =>
    configOf(
      apps.map((app) => appOf(simulator, { name: app, ...places })),
      { name, ...PACE },
    )
  return { simulator, directory, configNamed }
}

export const CONFIG = configOf([{ ...APP, accounts: ['1'] }])
