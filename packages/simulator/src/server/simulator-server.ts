/**
 * The servers of a simulator. `SimulatorServer` owns the listeners, the plugins and the state file. `start()`
 * opens the listeners, and `close()` releases everything. The parts are created in order, and each part
 * depends only on earlier ones.
 */
import { randomBytes } from 'node:crypto'
import { Secret } from '@brokerwire/core'
import { createSimulatedApps, type SimulatedApps } from '../apps/simulated-apps.ts'
import type { ConsolePlugin, createConsolePlugin } from '../console/console-plugin.ts'
import type { createControlPlugin } from '../control/control-plugin.ts'
import { addFault } from '../fault-controls.ts'
import { createGrpcServer, type GrpcServer } from '../grpc/server.ts'
import type { StreamService } from '../grpc/subscription-fault.ts'
import { createHttpApp } from '../http/app.ts'
import { createHttpServer } from '../http/server.ts'
import type { createMarketDataPlugin, MarketData } from '../quotes/market-data-plugin.ts'
import { executeQuotesAction } from '../quotes/quotes-actions.ts'
import { createScenarioRoutes } from '../routes/scenario-routes.ts'
import { ScenarioPlayer } from '../scenario/scenario-player.ts'
import type { Simulator, StreamControls } from '../simulator-api.ts'
import { createStreamControls } from '../stream-controls.ts'
import type { createTradingPlugin } from '../trading/trading-plugin.ts'
import type { SimulatorCore } from './core.ts'
import type { SimulatorPlugin } from './plugin.ts'

/** The plugins that the options enable. The modules of other plugins are not loaded. */
export interface PluginFactories {
  readonly marketData: typeof createMarketDataPlugin | undefined
  readonly trading: typeof createTradingPlugin | undefined
  readonly control: typeof createControlPlugin | undefined
  readonly console: typeof createConsolePlugin | undefined
}

export class SimulatorServer {
  readonly core: SimulatorCore
  readonly controlToken = newToken()
  readonly marketData: MarketData | undefined
  readonly console: ConsolePlugin | undefined
  readonly consoleToken: Secret
  readonly apps: SimulatedApps
  readonly streamControls: StreamControls
  readonly scenarios: ScenarioPlayer
  readonly #http: ReturnType<typeof createHttpServer>
  /** The gRPC servers. With a shared port, the only server is stored under `'trade'`. */
  readonly #grpc: ReadonlyMap<StreamService, GrpcServer>
  /** The plugins in the order in which they are started. */
  readonly #plugins: readonly SimulatorPlugin[]
  #isStateClosed = false

  constructor(core: SimulatorCore, factories: PluginFactories) {
    const { settings, hub, apps, listeners, lifecycle, faults, routes } = core
    const { clock, tls, quotes, trading: tradingSettings, emitPlaceEvents } = settings
    this.core = core

    this.marketData = quotes && factories.marketData?.(core, quotes)
    const trading = tradingSettings && factories.trading?.(core, tradingSettings)
    const app = createHttpApp({
      ...settings,
      ...core,
      plugins: this.marketData === undefined ? [] : [this.marketData],
      isServing: () => lifecycle.isServing,
    })
    this.#http = createHttpServer({ ...core, app, faults: faults.http, clock, tls })
    this.#grpc = createGrpcServers(core)

    const controls = this.marketData?.controls
    this.apps = createSimulatedApps(apps, {
      clock,
      emitPlaceEvents,
      urls: () => ({
        ...listeners.serviceUrls(),
        ...(controls && { mqttUrl: controls.mqttUrl, mqttWebSocketUrl: controls.mqttWebSocketUrl }),
      }),
      subscriptions: hub.list,
      trading: (appKey) => trading?.getControls(appKey),
      requireOpen: lifecycle.requireOpen,
    })
    this.streamControls = createStreamControls({ hub, grpcServers: this.#grpc, listeners })
    const { streamControls } = this
    this.scenarios = new ScenarioPlayer(settings, {
      app: (nameOrKey) => {
        const handle = nameOrKey === undefined ? this.apps.first : this.apps.find(nameOrKey)
        return { handle, publisher: apps.of(handle.credentials.appKey).publisher }
      },
      emitPlaceEvents,
      dropConnections: (selection) => void streamControls.dropConnections(selection),
      quotes: (action) => void executeQuotesAction(controls, action),
      setFault: (fault) => addFault(faults.api, fault),
      addRoute: createScenarioRoutes(routes),
      advance: core.advance,
      stepLimiter: core.stepLimiter,
    })

    const { scenarios } = this
    const control = factories.control?.(core, this.controlToken)
    this.console = factories.console?.(core, {
      isScenarioRunning: () => scenarios.running,
      quotes: this.marketData,
      trading,
    })
    this.consoleToken = this.console?.token ?? newToken()
    this.#plugins = [this.marketData, trading, control, this.console].filter((plugin) => plugin !== undefined)
  }

  /**
   * Opens the listeners. If `start()` fails, the caller must call `close()`.
   *
   * @param simulator - The result of `startSimulator()`, for the plugins.
   * @throws SimulatorError `SIMULATOR_LISTEN_FAILED`, `SIMULATOR_CONSOLE_FAILED`, `SIMULATOR_STATE_INVALID`
   */
  async start(simulator: Simulator): Promise<void> {
    const { settings, state, apps, listeners } = this.core
    const plugins = this.#plugins
    state.begin(settings.seed, function* () {
      for (const app of apps.all) yield* app.records()
      for (const plugin of plugins) yield* plugin.records?.() ?? []
    })
    await listeners.open('http', this.#http, { port: settings.httpPort, option: 'httpPort' })
    for (const plugin of this.#plugins) await plugin.start(simulator)
    for (const [service, { server }] of this.#grpc) {
      const option = service === 'module' ? 'moduleEventsPort' : 'eventsPort'
      await listeners.open(service, server, { port: Number(settings[option]), option })
    }
  }

  /**
   * Closes each stream once it has sent the current entries of the log. Waits at most `timeoutMs` for the
   * connections to end, then calls `close()`.
   */
  async shutdown(timeoutMs: number): Promise<void> {
    const { lifecycle, listeners } = this.core
    lifecycle.drain()
    this.scenarios.stop()
    this.streamControls.endStreams()
    for (const grpc of this.#grpc.values()) grpc.closeSessions()
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs)
    })
    await Promise.race([late, listeners.drain()])
    clearTimeout(timer)
    await this.close()
  }

  readonly close = async (): Promise<void> => {
    const { lifecycle, listeners, waiters, localClients, state } = this.core
    lifecycle.close()
    this.scenarios.stop()
    waiters.close()
    localClients.close()
    for (const grpc of this.#grpc.values()) grpc.destroySessions()
    for (const plugin of this.#plugins) await plugin.close()
    await listeners.close()
    if (!this.#isStateClosed) state.close()
    this.#isStateClosed = true
  }
}

function createGrpcServers(core: SimulatorCore): ReadonlyMap<StreamService, GrpcServer> {
  const context = { ...core.settings, ...core }
  if (core.settings.moduleEventsPort === 'shared') {
    return new Map([['trade', createGrpcServer(context, ['trade', 'module'])]])
  }
  return new Map([
    ['trade', createGrpcServer(context, ['trade'])],
    ['module', createGrpcServer(context, ['module'])],
  ])
}

function newToken(): Secret {
  return new Secret(randomBytes(24).toString('base64url'))
}
