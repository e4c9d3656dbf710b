/**
 * Measures the import of the built packages, compared with an import of their dependencies and with an import
 * of jose, a package that also signs. Each import runs in its own process. The figures are CPU time,
 * including reading and compiling, because other load on the machine changes elapsed time much more.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from '../../ci/lib/workspace.ts'
import { interleave, medians, type Options, type Results, ratioOf } from '../benchmark.ts'
import { inFolder } from '../programs.ts'

const dist = (file: string): string => pathToFileURL(join(ROOT, 'packages', file)).href

/** `peers` has the entry points of Connect and protobuf-es that the built packages import. */
const CASES: Readonly<Record<string, readonly string[]>> = {
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

export const goals = {
  'import.client.vs_peers': { atMost: 1.5 },
  'import.edge.vs_jose': { atMost: 1.1 },
  'import.signer.vs_jose': { atMost: 0.6 },
  'import.transport.vs_peers': { atMost: 1.25 },
}

const programOf = (imports: readonly string[]): string => `
const cpu = process.cpuUsage()
${imports.map((name) => `await import('${name}')`).join('\n')}
const { user, system } = process.cpuUsage(cpu)
console.log((user + system) / 1000)
`

function cpuMs(file: string): number {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${file} ended with ${status}:\n${stderr}`)
  return Number(stdout)
}

export async function run({ quick }: Options): Promise<Results> {
  const rounds = await inFolder((folder) => {
    const files = Object.entries(CASES).map(([name, imports]) => {
      const file = join(folder, `${name}.mjs`)
      writeFileSync(file, programOf(imports))
      return [name, file] as const
    })
    return interleave(Object.fromEntries(files), quick ? 3 : 25, cpuMs)
  })
  const ratio = (over: string, under: string): number => ratioOf(rounds, over, under)
  return {
    tables: [medians('import', 'ms of CPU time', rounds, 0)],
    ratios: {
      'import.client.vs_peers': ratio('client', 'peers'),
      'import.edge.vs_jose': ratio('edge', 'jose'),
      'import.signer.vs_jose': ratio('signer', 'jose'),
      'import.transport.vs_peers': ratio('transport', 'peers'),
    },
  }
}
