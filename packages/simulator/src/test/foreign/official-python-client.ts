/**
 * The official Python client in its own process. This repository contains none of its code: the variable
 * `BROKERWIRE_PYTHON_CLIENT` names the folder of a checkout. The first `python3` of the PATH runs it.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Simulator } from '../../simulator-api.ts'

/** Folder of a checkout of the client, which contains its package. `undefined` if it is not tested. */
export const PYTHON_CLIENT_FOLDER = process.env.BROKERWIRE_PYTHON_CLIENT

/** Response of a call, or the service error that the client raises. */
export interface PythonCallResult {
  readonly status: number
  readonly json?: unknown
  /** Code of the raised error. */
  readonly code?: string
  readonly message?: string
}

export interface PythonClient extends AsyncDisposable {
  /** Calls a method such as `trade.order_v3.place_order`. */
  call(
    name: string,
    args?: readonly unknown[],
    keywords?: Readonly<Record<string, unknown>>,
  ): Promise<PythonCallResult>
}

/** Starts the client. It creates its token before the first call. */
export function startPythonClient(simulator: Simulator, folder: string): PythonClient {
  const temporary = mkdtempSync(join(tmpdir(), 'brokerwire-python-'))
  const child = spawn('python3', [fileURLToPath(new URL('official-client.py', import.meta.url))], {
    cwd: temporary,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  })
  const exit = new Promise((resolve) => child.once('close', resolve))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const send = (value: object): void => {
    child.stdin.write(`${JSON.stringify(value)}\n`)
  }
  const { hostname, port } = new URL(simulator.baseUrl)
  const { appKey, appSecret } = simulator.credentials
  send({
    folder,
    host: hostname,
    port: Number(port),
    region: simulator.region,
    appKey,
    appSecret: appSecret.reveal(),
    tokenFolder: temporary,
  })
  return {
    async call(name, args = [], keywords = {}) {
      send({ name, args, keywords })
      const { done, value } = await lines.next()
      if (done === true) throw new Error(`the Python client ended before it responded to ${name}`)
      return JSON.parse(value) as PythonCallResult
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await exit
      rmSync(temporary, { recursive: true, force: true })
    },
  }
}
