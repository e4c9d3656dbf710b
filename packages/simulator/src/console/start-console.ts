/** Starts the console of a simulator. Its connections are no part of what `advance()` waits for. */
import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import type { Secret } from '@brokerwire/core'
import { type Listener, LOOPBACK, listen } from '../listen.ts'
import type { ReceiveBody } from '../receive-body.ts'
import type { Simulator } from '../simulator-api.ts'
import { isSimulatorError } from '../simulator-error.ts'
import { carryOutConsoleCall } from './console-calls.ts'
import { createConsoleServer } from './console-server.ts'
import type { ConsoleSources } from './console-state.ts'
import { createFeed } from './feed.ts'
import { createGuard } from './guard.ts'
import { readPageFiles } from './page-files.ts'

/** A console that listens. */
export interface RunningConsole {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

/** What it is made of. */
export interface ConsoleInput {
  readonly simulator: Simulator
  readonly sources: ConsoleSources
  readonly receiveBody: ReceiveBody
  readonly token: Secret
  /** 0: the first of the last ones that is free, else any. */
  readonly port: number
  readonly lastPorts: readonly number[]
}

/** @throws SimulatorError `SIMULATOR_LISTEN_FAILED` where the last one cannot be listened on either. */
async function listenOnFirst(server: Server, [wanted = 0, ...others]: readonly number[]): Promise<Listener> {
  try {
    return await listen(server, wanted, 'consolePort')
  } catch (error) {
    if (others.length === 0 || !isSimulatorError(error, 'SIMULATOR_LISTEN_FAILED')) throw error
    return listenOnFirst(server, others)
  }
}

/** @throws SimulatorError `SIMULATOR_CONSOLE_FAILED`, `SIMULATOR_LISTEN_FAILED` */
export async function startConsole(input: ConsoleInput): Promise<RunningConsole> {
  const { simulator, sources, receiveBody } = input
  const files = await readPageFiles()
  const feed = createFeed(sources, randomUUID())
  let port = 0
  const server = createConsoleServer({
    guard: createGuard(input.token, () => port),
    feed,
    files,
    receiveBody,
    carryOut: (call, body) => carryOutConsoleCall({ simulator, ...sources }, call, body),
  })
  const listener = await listenOnFirst(server, input.port === 0 ? [...input.lastPorts, 0] : [input.port])
  port = listener.port
  return {
    url: `http://${LOOPBACK}:${port}`,
    port,
    async close() {
      feed.close()
      await listener.close()
    },
  }
}
