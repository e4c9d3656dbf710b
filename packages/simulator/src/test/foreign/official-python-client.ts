/**
 * The official Python client in its own process. This repository contains none of its code: the variable
 * `BROKERWIRE_PYTHON_CLIENT` names the folder of a checkout. The first `python3` of the PATH runs it.
 */
import { spawn, spawnSync } from 'node:child_process'
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

/** An event, as the client passes it on. */
export interface PythonEvent {
  readonly eventType: number
  readonly subscribeType: number
  readonly payload: unknown
}

export interface PythonEvents extends AsyncDisposable {
  /** Waits for the next event. */
  next(): Promise<PythonEvent>
}

/** Whether that Python has the packages of the client's event stream. */
export function hasPythonGrpc(): boolean {
  return spawnSync('python3', ['-c', 'import grpc, google.protobuf']).status === 0
}

/** Starts the client. It creates its token before the first call. */
export function startPythonClient(simulator: Simulator, folder: string): PythonClient {
  const { send, receive, dispose } = startScript('official-client.py', simulator, folder)
  return {
    call(name, args = [], keywords = {}) {
      send({ name, args, keywords })
      return receive() as Promise<PythonCallResult>
    },
    [Symbol.asyncDispose]: dispose,
  }
}

/** Subscribes the client to the event stream. */
export function startPythonEvents(simulator: Simulator, folder: string): PythonEvents {
  const { receive, dispose } = startScript('official-client-events.py', simulator, folder)
  return { next: () => receive() as Promise<PythonEvent>, [Symbol.asyncDispose]: dispose }
}

/** Starts a script, and sends it the folder, the addresses and the credentials. It ends with its input. */
function startScript(name: string, simulator: Simulator, folder: string) {
  const temporary = mkdtempSync(join(tmpdir(), 'brokerwire-python-'))
  const child = spawn('python3', [fileURLToPath(new URL(name, import.meta.url))], {
    cwd: temporary,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  })
  const exit = new Promise((resolve) => child.once('close', resolve))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const send = (value: object): void => {
    child.stdin.write(`${JSON.stringify(value)}\n`)
  }
  const http = new URL(simulator.baseUrl)
  const events = new URL(simulator.eventsUrl)
  const { appKey, appSecret } = simulator.credentials
  send({
    folder,
    host: http.hostname,
    port: Number(http.port),
    eventsHost: events.hostname,
    eventsPort: Number(events.port),
    region: simulator.region,
    accounts: simulator.accounts,
    appKey,
    appSecret: appSecret.reveal(),
    tokenFolder: temporary,
  })
  return {
    send,
    async receive(): Promise<unknown> {
      const { done, value } = await lines.next()
      if (done === true) throw new Error(`${name} ended without a response`)
      return JSON.parse(value)
    },
    async dispose(): Promise<void> {
      child.stdin.end()
      await exit
      rmSync(temporary, { recursive: true, force: true })
    },
  }
}
