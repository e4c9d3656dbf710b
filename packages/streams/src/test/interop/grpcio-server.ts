/** An interop server on Python's grpcio: see `interop-server.ts`. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ModuleEventService, TradeEventService } from '@brokerwire/protos'
import { toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import type { InteropCredentials, InteropServer } from './interop-server.ts'

/** Debian's Python, because the packages are installed for it. Another Python may come first in the path. */
const PYTHON = '/usr/bin/python3'
/** The folder of `grpcio_setup.py`, which the programs import. */
const SHARED = fileURLToPath(new URL('../../../../testing/src', import.meta.url))
const PROGRAM = new URL('grpcio-server.py', import.meta.url)

/** How to install what the server needs. */
export const GRPCIO_INSTALL = 'apt-get install python3-grpcio python3-protobuf'

/** Whether this machine has grpcio. */
export function hasGrpcio(): boolean {
  return spawnSync(PYTHON, ['-c', 'import grpc, google.protobuf']).status === 0
}

/** Starts the server on 127.0.0.1. */
export async function startGrpcioServer(credentials: InteropCredentials): Promise<InteropServer> {
  const files = [TradeEventService, ModuleEventService].map(({ file }) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)).toString('base64'),
  )
  return startPythonServer(PROGRAM, { ...credentials, files })
}

/**
 * Starts a program that prints its port on 127.0.0.1, and ends when its standard input does.
 *
 * @param setup - Its first line of input, as JSON: no argument list shows it.
 */
export async function startPythonServer(program: URL, setup: object): Promise<InteropServer> {
  const child = spawn(PYTHON, ['-B', fileURLToPath(program)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PYTHONPATH: SHARED },
  })
  const exit = once(child, 'exit')
  child.stdin.write(`${JSON.stringify(setup)}\n`)
  const lines = createInterface({ input: child.stdout })
  const line = once(lines, 'line').then(([text]) => String(text))
  const port = await Promise.race([
    line,
    exit.then(() => Promise.reject(new Error('the server ended before it listened'))),
  ])
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      child.stdin.end()
      await exit
    },
  }
}
