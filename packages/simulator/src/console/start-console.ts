/** Starts the console of a simulator. Its connections are no part of what `advance()` waits for. */
import { randomUUID } from 'node:crypto'
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
  /** 0: the last one where it is free, else any. */
  readonly port: number
  readonly lastPort: number | undefined
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
  const listenOn = (wanted: number): Promise<Listener> => listen(server, wanted, 'consolePort')
  const wanted = input.port === 0 ? (input.lastPort ?? 0) : input.port
  const listener = await listenOn(wanted).catch((error: unknown) => {
    const isTaken = input.port === 0 && wanted !== 0 && isSimulatorError(error, 'SIMULATOR_LISTEN_FAILED')
    if (isTaken) return listenOn(0)
    throw error
  })
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
