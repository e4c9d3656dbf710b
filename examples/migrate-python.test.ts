/**
 * The programs of the migration page do the same. Those for the official Python client run if `BROKERWIRE_PYTHON_CLIENT` names
 * the folder of a checkout of it, which this repository does not contain.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import { describe, expect, onTestFinished, test } from 'vitest'
import { EXAMPLES } from './test/bundle-programs.ts'
import { freshDirectory, runExample } from './test/run-example.ts'
import { settingsOf } from './test/settings-of.ts'

const CLIENT_FOLDER = process.env.BROKERWIRE_PYTHON_CLIENT

async function start(): Promise<Simulator> {
  const simulator = await startSimulator({ profile: 'official-clients', environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  return simulator
}

test('our program places and cancels an order, and keeps its token in a folder', async () => {
  const simulator = await start()
  const env = { ...settingsOf(simulator), STORE_DIRECTORY: await freshDirectory() }
  for (let run = 0; run < 2; run += 1) {
    const example = runExample('migrate-python/orders.ts', env)
    expect(await example.ended, example.lines.join('\n')).toBe(0)
    expect(example.lines).toEqual(['CANCELLED 2'])
  }
  expect(simulator.requests().filter(({ path }) => /tokens?\/create$/.test(path))).toHaveLength(1)
})

test('our program prints an order, and the gap of a lost connection', async () => {
  const simulator = await start()
  const env = { ...settingsOf(simulator), BROKERWIRE_ACCOUNTS: simulator.accounts.join(',') }
  const example = runExample('migrate-python/events.ts', env)
  await simulator.waitForSubscriptions()
  simulator.emitOrder({ symbol: 'AAPL', scene: 'FINAL_FILLED' })
  await example.line(/^1024 AAPL FILLED$/)
  simulator.dropConnections()
  await example.line(/^gap: disconnected$/)
})

const title = CLIENT_FOLDER === undefined ? ' (skipped: BROKERWIRE_PYTHON_CLIENT is not set)' : ''

describe.skipIf(CLIENT_FOLDER === undefined)(`the official Python client${title}`, () => {
  test('places and cancels an order', async () => {
    expect(await runPython('orders', await start()).ended).toEqual({ status: 0, lines: ['CANCELLED 2'] })
  })

  test('prints an order', async () => {
    const simulator = await start()
    const program = runPython('events', simulator)
    await simulator.waitForSubscriptions()
    simulator.emitOrder({ symbol: 'AAPL', scene: 'FINAL_FILLED' })
    await program.line('1024 AAPL FILLED')
  })
})

/** Starts a program for the official client. It is stopped after the test. */
function runPython(program: 'orders' | 'events', simulator: Simulator) {
  const directory = mkdtempSync(join(tmpdir(), 'brokerwire-python-'))
  const child = spawn('python3', [join(EXAMPLES, 'test/official-python-client.py')], {
    cwd: directory,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  })
  const [http, events] = [new URL(simulator.baseUrl), new URL(simulator.eventsUrl)]
  const { appKey, appSecret } = simulator.credentials
  const setup = {
    program,
    folder: CLIENT_FOLDER,
    programs: join(EXAMPLES, 'migrate-python'),
    host: http.hostname,
    port: Number(http.port),
    eventsHost: events.hostname,
    eventsPort: Number(events.port),
    region: simulator.region,
    accounts: simulator.accounts,
    appKey,
    appSecret: appSecret.reveal(),
  }
  child.stdin.write(`${JSON.stringify(setup)}\n`)
  const lines: string[] = []
  const output = createInterface({ input: child.stdout })
  output.on('line', (line) => lines.push(line))
  return {
    ended: once(child, 'close').then(([status]) => ({ status, lines })),
    async line(expected: string): Promise<void> {
      while (!lines.includes(expected)) await once(output, 'line')
    },
  }
}
