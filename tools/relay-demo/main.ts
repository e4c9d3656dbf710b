/**
 * `pnpm demo:relay [--nats] [--directory FOLDER]`: a relay over the local simulator, until stopped. Its events go into a file
 * of JSON lines; with `--nats` into a server of NATS that is started beside it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startSimulator } from '@brokerwire/simulator'
import { ROOT } from '../lib/workspace.ts'
import { startNats } from '../servers/nats.ts'

const { values } = parseArgs({
  options: { nats: { type: 'boolean', default: false }, directory: { type: 'string' } },
})
const folder =
  values.directory === undefined
    ? await mkdtemp(join(tmpdir(), 'brokerwire-relay-demo-'))
    : resolve(values.directory)
await mkdir(folder, { recursive: true })
const simulator = await startSimulator({ scenario: 'lifecycles-forever', scenarioIntervalMs: 1000 })
const nats = values.nats ? await startNats() : undefined
const { region, environment, accounts, eventsUrl, moduleEventsUrl, httpUrl, credentials } = simulator
const server = nats && `nats://127.0.0.1:${nats.port}`
const config = {
  keys: [
    {
      name: 'desk-a',
      region,
      environment,
      appKey: { env: 'APP_KEY' },
      appSecret: { env: 'APP_SECRET' },
      accounts,
      modules: ['application', 'journal'],
      eventsUrl,
      moduleEventsUrl,
      httpUrl,
    },
  ],
  sink: server === undefined ? { type: 'file' } : { type: 'jetstream', servers: [server] },
  health: { port: 0 },
}
const file = join(folder, 'relay.json')
await writeFile(file, `${JSON.stringify(config, undefined, 2)}\n`)
const root = `brokerwire.${environment}.${region}.desk-a`
console.log(
  server === undefined
    ? `Events: tail -F ${join(folder, 'events', `${root.replaceAll('.', '_')}.jsonl`)}`
    : `Events: nats --server ${server} subscribe '${root}.>'`,
)
const child = spawn(
  process.execPath,
  [
    join(ROOT, 'packages/cli/bin/brokerwire.js'),
    'relay',
    '--config',
    file,
    ...(nats ? ['--create-stream'] : []),
  ],
  {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, APP_KEY: credentials.appKey, APP_SECRET: credentials.appSecret.reveal() },
  },
)
// Ctrl-C reaches the child by itself.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
const [status] = await once(child, 'exit')
await simulator.close()
await nats?.close()
process.exitCode = typeof status === 'number' ? status : 1
