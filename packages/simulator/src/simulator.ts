/** Starts a simulator: validates the options, loads the plugins that they need, and opens the listeners. */
import { isRecord, received } from '@brokerwire/core/internal'
import type { SimulatorOptions, SimulatorSettings } from './options.ts'
import { readSimulatorOptions, readStatePath } from './parse-options.ts'
import { createCore } from './server/core.ts'
import { createSimulator } from './server/create-simulator.ts'
import { type PluginFactories, SimulatorServer } from './server/simulator-server.ts'
import type { Simulator } from './simulator-api.ts'
import { optionFailure } from './simulator-error.ts'
import { openState } from './state/simulator-state.ts'
import { watchInProcessClients } from './time/in-process-clients.ts'

/**
 * Starts a local simulator of the service.
 *
 * @throws {@link SimulatorError} `SIMULATOR_OPTION_INVALID`, `SIMULATOR_LISTEN_FAILED`, `SIMULATOR_STATE_FAILED`,
 * `SIMULATOR_STATE_INVALID`
 *
 * @example
 * ```ts
 * import { startSimulator } from '@brokerwire/simulator'
 *
 * const simulator = await startSimulator({ environment: 'sandbox' })
 * console.log(simulator.baseUrl)
 * await simulator.close()
 * ```
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  if (!isRecord(options)) throw optionFailure('options', 'an object', received(options))
  const state = openState(readStatePath(options))
  const localClients = watchInProcessClients()
  let server: SimulatorServer | undefined
  try {
    const settings = readSimulatorOptions(options, state)
    const factories = await loadPlugins(settings)
    server = new SimulatorServer(createCore({ settings, state, localClients }), factories)
    const simulator = createSimulator(server)
    await server.start(simulator)
    if (settings.scenario !== undefined) simulator.startScenario()
    return simulator
  } catch (error) {
    if (server === undefined) {
      localClients.close()
      state.close()
    }
    await server?.close()
    throw error
  }
}

async function loadPlugins({
  quotes,
  trading,
  control,
  console,
}: SimulatorSettings): Promise<PluginFactories> {
  return {
    marketData: quotes && (await import('./quotes/market-data-plugin.ts')).createMarketDataPlugin,
    trading: trading && (await import('./trading/trading-plugin.ts')).createTradingPlugin,
    control: control ? (await import('./control/control-plugin.ts')).createControlPlugin : undefined,
    console: console ? (await import('./console/console-plugin.ts')).createConsolePlugin : undefined,
  }
}
