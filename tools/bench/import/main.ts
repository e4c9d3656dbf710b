/**
 * `pnpm bench:import [--json FILE] [--rounds N]`: what an import of the built packages takes in Node, beside an import of
 * what they need anyway, and of jose, which signs as well. Each import has a process of its own; processes in turn, forward
 * and backward. The figures are processor's time, compiling and reading included, because a busy machine lengthens
 * everything else.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { ROOT } from '../../ci/lib/workspace.ts'
import { median } from '../figures.ts'

const { values } = parseArgs({
  options: { json: { type: 'string' }, rounds: { type: 'string', default: '25' } },
})

const dist = (file: string): string => pathToFileURL(join(ROOT, 'packages', file)).href

/** What is imported. Peers: the entries of connect and protobuf that the built packages import. */
const CONTENDERS: Readonly<Record<string, readonly string[]>> = {
  client: [dist('client/dist/index.js')],
  transport: [dist('streams/dist/transport/index.js')],
  peers: [
    '@bufbuild/protobuf',
    '@bufbuild/protobuf/codegenv2',
    '@connectrpc/connect',
    '@connectrpc/connect/protocol',
    '@connectrpc/connect/protocol-grpc',
  ],
  edge: [dist('edge/dist/index.js')],
  signer: [dist('signer/dist/index.js')],
  jose: ['jose'],
}

/** Each with what it is compared with, and at most so many times as long. */
const RATIOS = {
  'import.client.vs_peers': ['client', 'peers', 1.5],
  'import.edge.vs_jose': ['edge', 'jose', 1.1],
  'import.signer.vs_jose': ['signer', 'jose', 0.6],
  'import.transport.vs_peers': ['transport', 'peers', 1.25],
} as const satisfies Readonly<Record<string, readonly [string, string, number]>>

interface Taken {
  readonly cpuMs: number
  readonly ms: number
}

const programOf = (imports: readonly string[]): string => `
const [start, cpu] = [performance.now(), process.cpuUsage()]
${imports.map((name) => `await import('${name}')`).join('\n')}
const { user, system } = process.cpuUsage(cpu)
console.log(JSON.stringify({ cpuMs: (user + system) / 1000, ms: performance.now() - start }))
`

function run(file: string): Taken {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${file} ended with ${status}:\n${stderr}`)
  return JSON.parse(stdout) as Taken
}

// Where the peers are found.
const parent = join(ROOT, 'tools/node_modules/.cache')
mkdirSync(parent, { recursive: true })
const folder = mkdtempSync(join(parent, 'bench-import-'))
const taken: Record<string, Taken[]> = {}
try {
  const programs = Object.entries(CONTENDERS).map(([name, imports]): [string, string] => {
    const file = join(folder, `${name}.mjs`)
    writeFileSync(file, programOf(imports))
    // The first one reads files that nobody has read before.
    run(file)
    return [name, file]
  })
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const [name, file] of round % 2 === 0 ? programs : [...programs].reverse()) {
      taken[name] = [...(taken[name] ?? []), run(file)]
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

const cpuOf = (name: string): number[] => (taken[name] ?? []).map(({ cpuMs }) => cpuMs)
console.log(`${values.rounds} rounds on Node ${process.versions.node}`)
for (const [name, all] of Object.entries(taken)) {
  const cpu = cpuOf(name)
  const [least, middle] = [Math.min(...cpu), median(cpu)].map((ms) => ms.toFixed(0).padStart(5))
  const wall = Math.min(...all.map(({ ms }) => ms)).toFixed(0)
  console.log(
    `${name.padEnd(12)} processor's time: least${least} ms, median${middle} ms; least by the clock ${wall} ms`,
  )
}
console.log()
const ratios: Record<string, number> = {}
for (const [name, [ours, theirs, goal]] of Object.entries(RATIOS)) {
  const over = (of: (all: readonly number[]) => number): number => of(cpuOf(ours)) / of(cpuOf(theirs))
  const middle = over(median)
  ratios[name] = Number(middle.toFixed(3))
  const least = over((all) => Math.min(...all)).toFixed(2)
  console.log(
    `${name.padEnd(30)}${middle.toFixed(2).padStart(6)} (of the least ${least})   goal: at most ${goal}`,
  )
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ ratios }, undefined, 2)}\n`)
