/**
 * `pnpm bench:quotes [--json FILE] [--rounds N] [--blocks N]`: what a snapshot costs a client of market data, beside MQTT.js: processor's
 * time of the client's process alone, in one interleaved run, with the broker in another process. And what the latest snapshots of
 * 10,000 symbols hold that nobody takes.
 *
 * Every contender is handed every message; one that misses a byte is not measured.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { asModule } from '@brokerwire/testing/bundle-program'
import { build } from 'esbuild'
import { ROOT } from '../../ci/lib/workspace.ts'
import { median, ratioByRound, table, writeRatios } from '../figures.ts'

const NAMES = [
  'ours',
  'ours, in arrays',
  'MQTT.js',
  'ours, decoded',
  'ours, in arrays, decoded',
  'MQTT.js, decoded by protobuf-es',
] as const
/** At least. */
const GOALS: Readonly<Record<string, number>> = {
  'quotes.client.vs_mqttjs': 3,
  'quotes.decoded.vs_mqttjs': 2,
}
const MEMORY_SYMBOLS = 10_000
/** At most. */
const MEMORY_GOAL_MIB = 20

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    rounds: { type: 'string', default: '15' },
    blocks: { type: 'string', default: '100' },
  },
})

// Where MQTT.js is found: bundled, it would be another program than the one that is installed.
const parent = join(ROOT, 'tools/node_modules/.cache')
mkdirSync(parent, { recursive: true })
const folder = mkdtempSync(join(parent, 'bench-quotes-'))
const children: ChildProcess[] = []

function start(file: string, args: readonly string[]): ChildProcess {
  const child = fork(join(folder, file), [...args], { cwd: ROOT, execArgv: [] })
  child.once('exit', (code) => {
    if (code !== 0 && code !== null) throw new Error(`${file} ${args.join(' ')}: ended with ${code}`)
  })
  children.push(child)
  return child
}

async function measure(): Promise<Record<string, number[]>> {
  const server = start('server-process.mjs', [ROOT])
  const [{ port }] = (await once(server, 'message')) as [{ readonly port: number }]
  const clients = new Map<string, ChildProcess>()
  for (const name of NAMES) {
    const client = start('client-process.mjs', [name, String(port)])
    await once(client, 'message')
    clients.set(name, client)
  }
  const blocks = Number(values.blocks)
  const samples: Record<string, number[]> = Object.fromEntries(NAMES.map((name) => [name, []]))
  const sizes: Record<string, number> = {}
  // The first round is the compiler's.
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    const order = NAMES.map((_, at) => NAMES[(at + round) % NAMES.length] as (typeof NAMES)[number])
    for (const name of order) {
      const client = clients.get(name) as ChildProcess
      client.send({ number: round, blocks })
      const [{ size, cpuUs }] = (await once(client, 'message')) as [{ size: number; cpuUs: number }]
      sizes[name] = size
      if (round > 0) samples[name]?.push(cpuUs / (blocks * 1000))
    }
  }
  const [plain, decoded] = [NAMES.slice(0, 3), NAMES.slice(3)].map(
    (group) => new Set(group.map((name) => sizes[name])),
  )
  if (plain?.size !== 1 || decoded?.size !== 1)
    throw new Error(`not all received the same: ${JSON.stringify(sizes)}`)
  return samples
}

try {
  await build({
    ...asModule,
    entryPoints: ['server', 'client', 'memory'].map((name) =>
      fileURLToPath(new URL(`${name}-process.ts`, import.meta.url)),
    ),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    external: ['mqtt'],
  })
  const samples = await measure()
  const us = (name: string): number => median(samples[name] ?? [])
  console.log(
    table([
      ['one snapshot', "µs of processor's time", 'to MQTT.js'],
      ...NAMES.map((name, at) => [
        name,
        us(name).toFixed(2),
        (us(NAMES[at < 3 ? 2 : 5]) / us(name)).toFixed(2),
      ]),
    ]),
  )
  const memory = execFileSync(
    process.execPath,
    ['--expose-gc', join(folder, 'memory-process.mjs'), ROOT, String(MEMORY_SYMBOLS)],
    { encoding: 'utf8' },
  )
  const { messages, bytes } = JSON.parse(memory) as { readonly messages: number; readonly bytes: number }
  if (messages !== MEMORY_SYMBOLS) throw new Error(`${messages} of ${MEMORY_SYMBOLS} snapshots waited`)
  console.log(
    `\nthe latest snapshots of ${MEMORY_SYMBOLS.toLocaleString('en')} symbols: ${(bytes / 2 ** 20).toFixed(1)} MiB   goal: at most ${MEMORY_GOAL_MIB} MiB\n`,
  )
  const ratios: Readonly<Record<string, number>> = {
    'quotes.client.vs_mqttjs': ratioByRound(samples['MQTT.js'], samples.ours),
    'quotes.client_in_arrays.vs_mqttjs': ratioByRound(samples['MQTT.js'], samples['ours, in arrays']),
    'quotes.decoded.vs_mqttjs': ratioByRound(
      samples['MQTT.js, decoded by protobuf-es'],
      samples['ours, decoded'],
    ),
    'quotes.decoded_in_arrays.vs_mqttjs': ratioByRound(
      samples['MQTT.js, decoded by protobuf-es'],
      samples['ours, in arrays, decoded'],
    ),
  }
  for (const [name, value] of Object.entries(ratios)) {
    const goal = GOALS[name]
    console.log(
      `${name.padEnd(36)}${value.toFixed(2).padStart(6)}${goal === undefined ? '' : `   goal: at least ${goal}`}`,
    )
  }
  writeRatios(values.json, ratios)
} finally {
  for (const child of children) child.kill()
  rmSync(folder, { recursive: true, force: true })
}
