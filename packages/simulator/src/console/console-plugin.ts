/** Plugin for the option `console`. `advance()` does not wait for the connections of the console. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { Secret } from '@brokerwire/core'
import { type Listener, LOOPBACK, listen } from '../listen.ts'
import type { SimulatorCore } from '../server/core.ts'
import type { SimulatorPlugin } from '../server/plugin.ts'
import { isSimulatorError } from '../simulator-error.ts'
import { executeConsoleCall } from './console-calls.ts'
import { findStoredConsole, saveConsole } from './console-file.ts'
import { createConsoleServer } from './console-server.ts'
import type { ConsoleSources } from './console-state.ts'
import { createFeed, type Feed } from './feed.ts'
import { createGuard } from './guard.ts'
import { readPageFiles } from './page-files.ts'

/** The console of one simulator. */
export interface ConsolePlugin extends SimulatorPlugin {
  /** The token that opens the page. */
  readonly token: Secret
  /** `undefined` until the server listens. */
  readonly url: string | undefined
}

/** Dependencies that the simulator's core does not have. */
export type ConsoleInput = Pick<ConsoleSources, 'isScenarioRunning' | 'quotes' | 'trading'>

/**
 * Listens on the first of the ports that is free.
 *
 * @throws SimulatorError `SIMULATOR_LISTEN_FAILED` if none of the ports is free.
 */
async function listenOnFirst(server: Server, [wanted = 0, ...others]: readonly number[]): Promise<Listener> {
  try {
    return await listen(server, wanted, 'consolePort')
  } catch (error) {
    if (others.length === 0 || !isSimulatorError(error, 'SIMULATOR_LISTEN_FAILED')) throw error
    return listenOnFirst(server, others)
  }
}

/** `start()` throws SimulatorError `SIMULATOR_CONSOLE_FAILED` and `SIMULATOR_LISTEN_FAILED`. */
export function createConsolePlugin(core: SimulatorCore, input: ConsoleInput): ConsolePlugin {
  const { state, receiveBody } = core
  const { clock, consoleFile, consolePort } = core.settings
  const last = findStoredConsole(state.console, consoleFile)
  const token = new Secret(last?.token ?? randomBytes(24).toString('base64url'))
  const sources: ConsoleSources = { ...core, clock, ...input }
  let running: { readonly feed: Feed; readonly listener: Listener } | undefined
  return {
    token,
    get url() {
      return running && `http://${LOOPBACK}:${running.listener.port}`
    },
    async start(simulator) {
      const files = await readPageFiles()
      const feed = createFeed(sources, randomUUID())
      let port = 0
      const server = createConsoleServer({
        guard: createGuard(token, () => port),
        feed,
        files,
        receiveBody,
        execute: (call, body) => executeConsoleCall({ simulator, ...sources }, call, body),
      })
      const ports = consolePort === 0 ? [...(last?.ports ?? []), 0] : [consolePort]
      const listener = await listenOnFirst(server, ports)
      port = listener.port
      running = { feed, listener }
      state.write({ kind: 'console', token: token.reveal(), port })
      if (consoleFile !== undefined) saveConsole(consoleFile, token.reveal(), port)
    },
    async close() {
      running?.feed.close()
      await running?.listener.close()
    },
  }
}
