/** The server and each client as plain Node programs, without the loader that runs this file. */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { ROOT } from '../../ci/lib/workspace.ts'
import type { ClientReport, Plan, ServerReport } from './plan.ts'
import { block } from './wire/blocks.ts'

/** Nothing in a run takes so long. */
const RUN_TIMEOUT_MS = 60_000

/** Both sides of one run. */
export interface Run {
  readonly client: ClientReport
  readonly server: ServerReport
  readonly messages: number
}

export interface Client {
  run(plan: Plan): Promise<Run>
  end(): void
}

export interface Stage {
  start(contender: string, job: string): Promise<Client>
  end(): void
}

interface Told {
  readonly type: string
  readonly port?: number
  readonly text?: string
  readonly report?: ClientReport | ServerReport
}

/** The next message of this type. */
function told(child: ChildProcess, type: string, what: string): Promise<Told> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      clearTimeout(timer)
      child.off('message', onMessage)
      child.off('exit', onExit)
      act()
    }
    const onMessage = (message: Told): void => {
      if (message.type === 'failed') settle(() => reject(new Error(`${what}: ${message.text}`)))
      else if (message.type === type) settle(() => resolve(message))
    }
    const onExit = (code: number | null): void =>
      settle(() => reject(new Error(`${what}: ended with code ${code}`)))
    const timer = setTimeout(
      () => settle(() => reject(new Error(`${what}: nothing for ${RUN_TIMEOUT_MS} ms`))),
      RUN_TIMEOUT_MS,
    )
    child.on('message', onMessage)
    child.on('exit', onExit)
  })
}

export async function openStage(): Promise<Stage> {
  // Where the packages are found, in their built form.
  const parent = join(ROOT, 'tools/node_modules/.cache')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'bench-stream-'))
  const here = dirname(fileURLToPath(import.meta.url))
  await build({
    entryPoints: [join(here, 'server-process.ts'), join(here, 'client-process.ts')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    target: 'es2022',
  })
  const children = new Set<ChildProcess>()
  const open = (file: string, args: readonly string[] = []): ChildProcess => {
    const child = fork(join(folder, file), args, { cwd: ROOT, execArgv: [] })
    children.add(child)
    child.on('exit', () => children.delete(child))
    return child
  }
  const server = open('server-process.mjs')
  const { port } = await told(server, 'listening', 'the server')

  return {
    async start(contender, job) {
      const child = open('client-process.mjs', [contender, job, String(port)])
      await told(child, 'ready', contender)
      return {
        async run(plan) {
          const both = Promise.all([
            told(child, 'ran', contender),
            told(server, 'served', `the server for ${contender}`),
          ])
          child.send(plan)
          const [ran, served] = await both
          const run = {
            client: ran.report as ClientReport,
            server: served.report as ServerReport,
            messages:
              plan.kind === 'blast' ? plan.blocks * block(plan.shape, plan.service).messages : plan.messages,
          }
          requireComplete(contender, plan, run)
          return run
        },
        end: () => child.kill(),
      }
    },
    end() {
      for (const child of children) child.kill()
      rmSync(folder, { recursive: true })
    },
  }
}

/** A client that loses something must not be measured. */
function requireComplete(contender: string, plan: Plan, { client, messages }: Run): void {
  if (client.messages !== undefined && client.messages !== messages) {
    throw new Error(`${contender}: ${client.messages} of ${messages} messages came`)
  }
  if (plan.kind !== 'blast') return
  const { payloadChars, dataBytes } = block(plan.shape, plan.service)
  const size = plan.blocks * (client.messages === undefined ? dataBytes : payloadChars)
  if (client.size !== size) throw new Error(`${contender}: ${client.size} of ${size} bytes came`)
}
