/**
 * The demo of the relay with the local simulator, which runs until stopped:
 * `pnpm demo:relay [--nats] [--directory FOLDER]`. Events are written to a file of JSON lines. With `--nats`
 * they are written to a NATS server that the demo starts.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ROOT } from '@brokerwire/testing/root'

const { values } = parseArgs({
  options: { nats: { type: 'boolean', default: false }, directory: { type: 'string' } },
})
// Printed before the packages are loaded, because loading them takes a while in a fresh checkout.
console.log(`Starting a simulator${values.nats ? ', a nats-server' : ''} and a relay; Ctrl-C ends them.`)
/** Aborted when the demo must stop. The relay stops first, and then the servers. */
const stop = new AbortController()
let relay: ReturnType<typeof startRelay> | undefined
// Ctrl-C also sends SIGINT to the relay, because the relay is in the terminal's process group. SIGTERM is
// forwarded to it.
process.on('SIGINT', () => stop.abort())
process.on('SIGTERM', () => {
  stop.abort()
  relay?.kill('SIGTERM')
})

const folder =
  values.directory === undefined
    ? await mkdtemp(join(tmpdir(), 'brokerwire-relay-demo-'))
    : resolve(values.directory)
await mkdir(folder, { recursive: true })
const { startSimulator } = await import('@brokerwire/simulator')
const { startNats } = await import('@brokerwire/testing/nats')
const simulator = await startSimulator({
  environment: 'sandbox',
  scenario: 'lifecycles-forever',
  scenarioIntervalMs: 1000,
})
// The NATS server has its own process group. Otherwise, Ctrl-C would end the server before the relay has
// stopped.
const nats = values.nats && !stop.signal.aborted ? await startNats(undefined, { detached: true }) : undefined
try {
  if (!stop.signal.aborted) process.exitCode = await runRelay()
} finally {
  await simulator.close()
  await nats?.close()
}

async function runRelay(): Promise<number> {
  const { region, environment, accounts, eventsUrl, moduleEventsUrl, baseUrl } = simulator
  const server = nats && `nats://127.0.0.1:${nats.port}`
  const config = {
    apps: [
      {
        name: 'team-a',
        region,
        environment,
        appKey: { env: 'APP_KEY' },
        appSecret: { env: 'APP_SECRET' },
        accounts,
        modules: ['application', 'journal'],
        eventsUrl,
        moduleEventsUrl,
        baseUrl,
      },
    ],
    sink: server === undefined ? { type: 'file' } : { type: 'jetstream', servers: [server] },
    health: { port: 0 },
  }
  const file = join(folder, 'relay.json')
  await writeFile(file, `${JSON.stringify(config, undefined, 2)}\n`)
  const root = `brokerwire.${environment}.${region}.team-a`
  relay = startRelay(file)
  const ended = once(relay, 'exit')
  if (server === undefined) {
    const events = join(folder, 'events', `${root.replaceAll('.', '_')}.jsonl`)
    void printWhenFileExists(
      events,
      ended.then(() => true),
    )
  } else console.log(`Events, in a second terminal: nats --server ${server} subscribe '${root}.>'`)
  const [status] = await ended
  return typeof status === 'number' ? status : 1
}

function startRelay(file: string) {
  const { appKey, appSecret } = simulator.credentials
  const command = join(ROOT, 'packages/cli/bin/brokerwire.js')
  const createStream = nats === undefined ? [] : ['--create-stream']
  return spawn(process.execPath, [command, 'relay', '--config', file, ...createStream], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, APP_KEY: appKey, APP_SECRET: appSecret.reveal() },
  })
}

/**
 * Waits until the file exists, and then prints the command that shows the file. Prints nothing if the relay
 * ends first.
 */
async function printWhenFileExists(file: string, ended: Promise<true>): Promise<void> {
  while (!existsSync(file)) if (await Promise.race([ended, sleep(50).then(() => false)])) return
  console.log(`Events, in a second terminal: tail -F ${file}`)
}
