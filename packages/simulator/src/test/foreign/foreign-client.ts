/**
 * Third-party gRPC clients on Python's grpcio, grpc-go and grpc-js, without any code of the toolkit. Each
 * subscribes to both services four times: without changes, with replayed metadata, with a compressed request,
 * and with a request that differs from the signed one. It reads two frames or until the end, and prints the
 * result.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { buildGo, GO, GO_PATH } from '@brokerwire/testing/build-go'

/** Input of a client, as a line of JSON. */
export interface ForeignSetup {
  /** Host and port of the services. */
  readonly trade: string
  readonly module: string
  /** Trusted certificate in PEM format. `null` for clear text. */
  readonly ca: string | null
  readonly appKey: string
  readonly appSecret: string
  readonly account: string
  readonly eventTypes: readonly string[]
}

/** Result of one case. */
export interface ForeignReport {
  readonly service: 'trade' | 'module'
  readonly case: 'plain' | 'replayed' | 'gzip' | 'tampered'
  readonly frames: readonly { readonly kind: number; readonly payload: string }[]
  /** gRPC status of the stream. `left` if the client closed it. */
  readonly status: string
}

/** A client program. */
export interface ForeignClient {
  readonly name: string
  readonly isInstalled: boolean
  /** Command that installs its dependencies. */
  readonly install: string
  /**
   * Builds the program.
   *
   * @param folder - Folder for the files of the program.
   */
  prepare(folder: string): Promise<readonly [command: string, ...args: string[]]>
}

/** Debian's own Python, which has the packages. Another Python may come first in PATH. */
const PYTHON = '/usr/bin/python3'
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

export const FOREIGN_CLIENTS: readonly ForeignClient[] = [
  {
    name: 'grpcio',
    isInstalled: spawnSync(PYTHON, ['-c', 'import grpc']).status === 0,
    install: 'apt-get install python3-grpcio',
    prepare: async () => [PYTHON, here('client.py')],
  },
  {
    name: 'grpc-js',
    isInstalled: true,
    install: '',
    prepare: async () => [process.execPath, here('grpc-js-client.mjs')],
  },
  {
    name: 'grpc-go',
    isInstalled: existsSync(GO) && existsSync(join(GO_PATH, 'src/google.golang.org/grpc')),
    install: 'apt-get install golang-go golang-google-grpc-dev',
    prepare: async (folder) => [await buildGo(here('main.go'), folder)],
  },
]

/** Runs a client until it exits. */
export async function runForeignClient(
  [command, ...args]: readonly [string, ...string[]],
  setup: ForeignSetup,
): Promise<readonly ForeignReport[]> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  child.stdin.end(`${JSON.stringify(setup)}\n`)
  const reports: ForeignReport[] = []
  for await (const line of createInterface({ input: child.stdout })) reports.push(JSON.parse(line))
  const [code] = await exit
  if (code !== 0) throw new Error(`${command} ended with status ${code}`)
  return reports
}
