/**
 * `pnpm bench:sign [--json FILE]`: how fast this signer is beside others, as ratios measured in one run, because
 * absolute times differ from machine to machine. Reads the built packages.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { median, ratioByRound as ratio, writeRatios } from '../figures.ts'
import { measureCold, measureWorkerd } from './measure-workerd.ts'
import { APP_KEY, APP_SECRET, HOST, PATH, QUERY } from './request.ts'

const here = dirname(fileURLToPath(import.meta.url))

async function bundle(entry: string, options: object): Promise<string> {
  const result = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    ...options,
  })
  return result.outputFiles?.[0]?.text ?? ''
}

/** In a process of its own, without the loader that runs this file. */
async function measureNode(): Promise<Record<string, number[]>> {
  const code = await bundle('measure-node.ts', { platform: 'node', packages: 'external' })
  // Beside this file, so that the peers are found.
  const folder = mkdtempSync(join(here, '.run-'))
  try {
    const file = join(folder, 'measure.mjs')
    writeFileSync(file, code)
    const output = execFileSync(process.execPath, [file], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '' },
    })
    return JSON.parse(output) as Record<string, number[]>
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** `undefined` where there is no Python. */
function measurePython(): number[] | undefined {
  const input = JSON.stringify({ key: APP_KEY, secret: APP_SECRET, host: HOST, path: PATH, query: QUERY })
  try {
    const output = execFileSync('python3', [join(here, 'measure_python.py')], {
      input,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    return JSON.parse(output) as number[]
  } catch {
    return undefined
  }
}

const { values } = parseArgs({ options: { json: { type: 'string' } } })
const node = await measureNode()
const conditions = ['workerd', 'worker', 'browser']
const WORKER_PEERS = ['aws4fetch', 'smithy', 'oauth-1.0a']
const workerd = await measureWorkerd(
  await bundle('worker.ts', { conditions, external: ['node:*', 'crypto'] }),
  ['sign', 'subtle', ...WORKER_PEERS, 'request', 'aws4fetch request'],
)
const cold = await measureCold({
  ours: await bundle('cold-ours.ts', { conditions }),
  aws4fetch: await bundle('cold-aws4fetch.ts', { conditions }),
})
const python = measurePython()

const ours = node['ours, sync']
const peers = ['aws4', 'aws4fetch', 'smithy'].map((name) => ratio(node[name], ours))
const workerPeers = WORKER_PEERS.map((name) => ratio(workerd[name], workerd.sign))
const ratios: Record<string, number> = {
  'node.get.vs_native': ratio(node.native, ours),
  'node.get.vs_best_peer': Math.min(...peers),
  'node.post64k.vs_native': ratio(node['native, 64 KiB'], node['ours, 64 KiB']),
  'node.verify.vs_sign': ratio(node['ours, verify'], node['ours, async']),
  'workerd.sign.vs_best_peer': Math.min(...workerPeers),
  'workerd.sign.vs_aws4fetch': ratio(workerd.aws4fetch, workerd.sign),
  'workerd.sign_request.vs_aws4fetch': ratio(workerd['aws4fetch request'], workerd.request),
  'workerd.cold.vs_aws4fetch': ratio(cold.ours, cold.aws4fetch),
  'workerd.sign.vs_subtle': ratio(workerd.sign, workerd.subtle),
}
const GOALS: Readonly<Record<string, string>> = {
  'node.get.vs_native': 'at least 2.0',
  'node.get.vs_best_peer': 'at least 5',
  'node.post64k.vs_native': 'at least 0.95',
  'node.verify.vs_sign': 'at most 4',
  'workerd.sign.vs_best_peer': 'at least 3.5',
  'workerd.sign.vs_aws4fetch': 'at least 6',
  'workerd.sign_request.vs_aws4fetch': 'at least 2',
  'workerd.cold.vs_aws4fetch': 'at most 1.1',
  'workerd.sign.vs_subtle': 'none: Base64 and one concatenation alone are 1.3',
}

const rows: [string, number[]][] = [
  ...Object.entries(node),
  ...(python ? [['Python, standard library', python] as [string, number[]]] : []),
  ...Object.entries(workerd).map(([name, rounds]): [string, number[]] => [`workerd, ${name}`, rounds]),
  ...Object.entries(cold).map(([name, rounds]): [string, number[]] => [`workerd, cold, ${name}`, rounds]),
]
for (const [name, rounds] of rows)
  console.log(`${name.padEnd(36)}${median(rounds).toFixed(2).padStart(10)} µs`)
if (python === undefined) console.log('Python: skipped, install python3 to compare')
console.log()
for (const [name, value] of Object.entries(ratios)) {
  console.log(`${name.padEnd(36)}${value.toFixed(2).padStart(10)}   goal: ${GOALS[name]}`)
}
writeRatios(values.json, ratios)
